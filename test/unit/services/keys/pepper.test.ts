import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { KeyPepper } from '../../../../src/services/keys/secrets/pepper.ts';

const masterKey = 'm'.repeat(32);

describe('KeyPepper', () => {
  it('is HMAC-SHA256 under a pepper that HKDF derives from the master key', () => {
    const pepper = Buffer.from(hkdfSync('sha256', masterKey, '', 'sluice/api-key-pepper/1', 32));
    const expected = createHmac('sha256', pepper).update('secret').digest('hex');
    expect(new KeyPepper([{ version: 1, masterKey }]).secretHmac('secret').toString('hex')).toBe(expected);
  });

  it('differs by version, by master key and by secret', () => {
    const pepper = new KeyPepper([
      { version: 2, masterKey },
      { version: 1, masterKey },
    ]);
    const other = new KeyPepper([{ version: 1, masterKey: 'n'.repeat(32) }]);
    const all = [
      pepper.secretHmac('a', 1),
      pepper.secretHmac('a', 2),
      pepper.secretHmac('b', 1),
      other.secretHmac('a', 1),
    ].map((hmac) => hmac.toString('hex'));
    expect(new Set(all).size).toBe(4);
  });

  it('uses the newest version for new secrets and accepts older ones', () => {
    const pepper = new KeyPepper([
      { version: 2, masterKey: 'n'.repeat(32) },
      { version: 1, masterKey },
    ]);
    expect(pepper.currentVersion).toBe(2);
    expect(pepper.secretHmac('a')).toEqual(pepper.secretHmac('a', 2));
    expect(pepper.everyHmac('a')).toEqual([
      { version: 2, hmac: pepper.secretHmac('a', 2) },
      { version: 1, hmac: pepper.secretHmac('a', 1) },
    ]);
    expect(() => pepper.secretHmac('a', 3)).toThrow(RangeError);
  });
});
