import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CredentialVault, UnsealError } from '../../../../src/services/connections/credential-vault.ts';

const first = { version: 1, masterKey: 'a master key for tests, long enough' };
const second = { version: 2, masterKey: 'another master key, also long enough' };
const vault = new CredentialVault([first]);
const owner = { accountId: randomUUID(), rowId: randomUUID() };
const text = JSON.stringify({ apiKey: 'sk-canary-1234567890' });

describe('encrypted credentials', () => {
  it('can be decrypted for their owner', () => {
    for (const each of [text, '', 'ä€😀', 'x'.repeat(100_000)])
      expect(vault.open(vault.seal(each, owner), owner)).toBe(each);
    expect(new CredentialVault([first]).open(vault.seal(text, owner), owner)).toBe(text);
  });

  it('reveal nothing, and are never equal', () => {
    const [one, other] = [vault.seal(text, owner), vault.seal(text, owner)];
    expect(one.includes('canary')).toBe(false);
    expect(one.length).toBe(other.length);
    // Beyond format and version nothing repeats: neither nonces nor keys.
    for (let at = 3; at + 8 <= one.length; at += 8)
      expect(one.subarray(at, at + 8).equals(other.subarray(at, at + 8))).toBe(false);
  });

  it('cannot be decrypted if a byte was changed, removed or added', () => {
    const sealed = vault.seal(text, owner);
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => vault.open(changed, owner)).toThrow(UnsealError);
    }
    for (let length = 0; length < sealed.length; length++)
      expect(() => vault.open(sealed.subarray(0, length), owner)).toThrow(UnsealError);
    expect(() => vault.open(Buffer.concat([sealed, Buffer.alloc(1)]), owner)).toThrow(UnsealError);
  });

  it('cannot be decrypted for another account or row', () => {
    const sealed = vault.seal(text, owner);
    for (const other of [
      { ...owner, accountId: randomUUID() },
      { ...owner, rowId: randomUUID() },
      { accountId: owner.rowId, rowId: owner.accountId },
    ])
      expect(() => vault.open(sealed, other)).toThrow(UnsealError);
  });

  it('cannot be combined from two', () => {
    const [one, other] = [vault.seal(text, owner), vault.seal(text, owner)];
    // The key of one with the text of the other.
    expect(() => vault.open(Buffer.concat([one.subarray(0, 63), other.subarray(63)]), owner)).toThrow(UnsealError);
  });

  it('cannot be decrypted with another master key', () => {
    const sealed = vault.seal(text, owner);
    const wrong = new CredentialVault([{ ...first, masterKey: second.masterKey }]);
    expect(() => wrong.open(sealed, owner)).toThrow(UnsealError);
    expect(() => new CredentialVault([second]).open(sealed, owner)).toThrow(/no master key of version 1/);
  });

  it('can be decrypted after the master key was rotated', () => {
    const old = vault.seal(text, owner);
    const rotated = new CredentialVault([second, first]);
    expect(rotated.open(old, owner)).toBe(text);
    const renewed = rotated.seal(rotated.open(old, owner), owner);
    expect(new CredentialVault([second]).open(renewed, owner)).toBe(text);
    // The version is authenticated: it cannot be changed back.
    renewed.writeUInt16BE(1, 1);
    expect(() => rotated.open(renewed, owner)).toThrow(UnsealError);
  });

  it('are not contained in the error if they cannot be decrypted', () => {
    const sealed = vault.seal(text, owner);
    let told: unknown = null;
    try {
      vault.open(sealed, { ...owner, rowId: randomUUID() });
    } catch (error) {
      told = error;
    }
    expect(told).toBeInstanceOf(UnsealError);
    expect(inspect(told, { showHidden: true, depth: 10 })).not.toContain('canary');
  });
});
