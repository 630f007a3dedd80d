import { describe, expect, it } from 'vitest';
import { DerivedKeys, deriveKey } from '../../../src/secrets/derived-keys.ts';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';

const first = { version: 1, masterKey: 'first' };
const second = { version: 2, masterKey: 'second' };

describe('the master keys of a process', () => {
  it('encrypt with another known key once it is activated', () => {
    const keys = new MasterKeys([first, second]);
    const derived = new DerivedKeys(keys, ({ masterKey }) => deriveKey(masterKey, '', 'test', 32));
    const before = derived.current;
    expect(before.version).toBe(1);
    keys.activate(2, 5_000);
    expect(derived.current.version).toBe(2);
    expect(derived.current.bytes).not.toEqual(before.bytes);
    expect(derived.find(1)).toEqual(before.bytes);
    expect(derived.all.map(({ version }) => version)).toEqual([2, 1]);
    expect(derived.find(3)).toBeNull();
    expect(() => keys.activate(3, 5_000)).toThrow(RangeError);
  });

  it('know which one encrypted at a time', () => {
    const keys = new MasterKeys([first, second]);
    expect(keys.activeAt(9_000).version).toBe(1);
    keys.activate(2, 5_000);
    expect(keys.activeAt(4_999).version).toBe(1);
    expect(keys.activeAt(5_000).version).toBe(2);
    expect(new MasterKeys([{ ...second, activeSince: 5_000 }]).activeAt(4_999).version).toBe(2);
  });

  it('are one of version 1 where there was no rotation', () => {
    expect(MasterKeys.of('secret').known).toEqual([{ version: 1, masterKey: 'secret' }]);
  });
});
