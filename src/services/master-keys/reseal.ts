import type { MasterKeys } from '../../secrets/master-keys.ts';
import { CredentialVault } from '../connections/credential-vault.ts';
import { ContentSeal } from '../content-log/content-seal.ts';
import type { SealedColumn, SealedValue } from './sealed-columns.ts';

/** Of `encrypted_content` that Sluice wrote: the kind is authenticated with it. */
export const writtenContent = /("encrypted_content": ?")(sluice-(?:reasoning|compaction)-2\.)([\w.-]+)(?=")/g;

/** Encrypts what clients keep, by account. */
export interface EncryptedContents {
  of(accountId: string): {
    seal(kind: string, content: string): string;
    open(kind: string, sealed: string): string | null;
  };
}

/** Encrypts values again, under the current master key. */
export class Resealer {
  readonly #keys: MasterKeys;
  readonly #vault: CredentialVault;
  readonly #contents: ContentSeal;
  readonly #encrypted: EncryptedContents;

  constructor(keys: MasterKeys, encrypted: EncryptedContents) {
    this.#keys = keys;
    this.#vault = new CredentialVault(keys);
    this.#contents = new ContentSeal(keys);
    this.#encrypted = encrypted;
  }

  /** @returns null where the value cannot be decrypted */
  reseal({ kind }: Pick<SealedColumn, 'kind'>, { accountId, boundTo, value }: SealedValue): Buffer | null {
    // Its account was removed meanwhile.
    if (accountId === null) return null;
    if (kind === 'encrypted_content') return this.#resealText(accountId, value.toString());
    const of = boundTo ?? '';
    if (kind === 'content key') return this.#contents.rewrap(value, { accountId, eventId: of });
    const owner = { accountId, rowId: of };
    try {
      return this.#vault.seal(this.#vault.open(value, owner), owner);
    } catch {
      return null;
    }
  }

  /** Text that none of the known keys encrypted stays as it is. */
  #resealText(accountId: string, text: string): Buffer | null {
    const seal = this.#encrypted.of(accountId);
    const current = `${this.#keys.current.version}.`;
    let changed = 0;
    const resealed = text.replace(writtenContent, (whole: string, before: string, kind: string, sealed: string) => {
      if (sealed.startsWith(current)) return whole;
      const content = seal.open(kind, sealed);
      if (content === null) return whole;
      changed++;
      return before + kind + seal.seal(kind, content);
    });
    return changed === 0 ? null : Buffer.from(resealed);
  }
}
