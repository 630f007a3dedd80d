import { randomUUID } from 'node:crypto';
import { assert, integer, option, property, subarray, uuid } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AccessTokenSigner } from '../../../../src/services/keys/secrets/access-token.ts';

const masterKey = 'a master key for tests, long enough';
const signer = new AccessTokenSigner([{ version: 1, masterKey }]);
const scopes = ['inference', 'read', 'manage'] as const;
const secretId = '0123456789abcdef';
const claimed = {
  id: randomUUID(),
  keyId: randomUUID(),
  scopes: new Set(['inference', 'read'] as const),
  expiresAt: 1_800_000_000_123,
  secretId,
  creator: null,
};

describe('an access token', () => {
  it('contains what was signed', () => {
    assert(
      property(
        uuid(),
        subarray([...scopes], { minLength: 1 }),
        integer({ min: 0, max: 2 ** 48 - 1 }),
        option(uuid()),
        uuid(),
        (keyId, some, expiresAt, makerId, id) => {
          const creator = makerId === null ? null : { keyId: makerId, secretId: 'fedcba9876543210' };
          const claims = { id, keyId, scopes: new Set(some), expiresAt, secretId, creator };
          expect(signer.read(signer.sign(claims))).toEqual(claims);
        },
      ),
    );
  });

  it('is rejected if it was changed', () => {
    const token = signer.sign(claimed);
    expect(signer.sign({ ...claimed, id: randomUUID() })).not.toBe(token);
    for (let at = 0; at < token.length; at++)
      for (const letter of 'Aa0_-') {
        if (token[at] === letter) continue;
        expect(signer.read(token.slice(0, at) + letter + token.slice(at + 1))).toBeNull();
      }
    for (const other of ['', 'st-sluice-', `${token}A`, token.slice(0, -1), ` ${token}`, `${token.slice(0, -1)}é`])
      expect(signer.read(other)).toBeNull();
  });

  it('is valid only for its master key and version', () => {
    const token = signer.sign(claimed);
    expect(new AccessTokenSigner([{ version: 1, masterKey: 'n'.repeat(32) }]).read(token)).toBeNull();
    expect(new AccessTokenSigner([{ version: 2, masterKey }]).read(token)).toBeNull();
    const newer = new AccessTokenSigner([
      { version: 2, masterKey: 'n'.repeat(32) },
      { version: 1, masterKey },
    ]);
    expect(newer.read(token)).toEqual(claimed);
    expect(signer.read(newer.sign(claimed))).toBeNull();
  });
});
