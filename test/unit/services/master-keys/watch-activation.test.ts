import { describe, expect, it } from 'vitest';
import type { ChangeFeed } from '../../../../src/database/change-watch.ts';
import { MasterKeys } from '../../../../src/secrets/master-keys.ts';
import { watchActivation } from '../../../../src/services/master-keys/watch-activation.ts';

const first = { version: 1, masterKey: 'the first master key of this test' };
const second = { version: 2, masterKey: 'the second master key of this test' };

/** What a process does when other processes activate these versions. */
function activated(keys: MasterKeys, ...versions: readonly number[]): object[] {
  const logged: object[] = [];
  const changes = {
    add: ({ changed }: ChangeFeed<never>) => {
      for (const version of versions) changed({ version, activated_ms: 5_000 } as never);
      return () => undefined;
    },
  };
  watchActivation(changes as never, { keys }, { error: (fields: object) => void logged.push(fields) } as never);
  return logged;
}

describe('a process whose master key is replaced', () => {
  it('encrypts with the next one from when it is activated', () => {
    const keys = new MasterKeys([first, second]);
    expect(activated(keys, 1, 2)).toEqual([]);
    expect(keys.current).toEqual({ ...second, activeSince: 5_000 });
  });

  it('logs that it does not know the one that was activated, without any secret', () => {
    const keys = new MasterKeys([first]);
    expect(activated(keys, 1, 2)).toEqual([{ version: 2 }]);
    expect(keys.current).toBe(first);
  });
});
