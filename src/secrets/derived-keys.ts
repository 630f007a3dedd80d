import { hkdfSync } from 'node:crypto';
import { MasterKeys, type MasterKey, type MasterKeySource } from './master-keys.ts';

export interface DerivedKey {
  readonly version: number;
  readonly bytes: Buffer;
}

/** The keys for one purpose, one of each master key. */
export class DerivedKeys {
  readonly #keys: MasterKeys;
  readonly #derive: (key: MasterKey) => Buffer;
  readonly #derived = new Map<number, Buffer>();

  constructor(source: MasterKeySource, derive: (key: MasterKey) => Buffer) {
    this.#keys = MasterKeys.of(source);
    this.#derive = derive;
  }

  get current(): DerivedKey {
    return this.#of(this.#keys.current);
  }

  /** That of the current master key first. */
  get all(): readonly DerivedKey[] {
    return this.#keys.known.map((key) => this.#of(key));
  }

  find(version: number): Buffer | null {
    const key = this.#keys.find(version);
    return key === null ? null : this.#of(key).bytes;
  }

  #of(key: MasterKey): DerivedKey {
    const known = this.#derived.get(key.version);
    if (known !== undefined) return { version: key.version, bytes: known };
    const bytes = this.#derive(key);
    this.#derived.set(key.version, bytes);
    return { version: key.version, bytes };
  }
}

/** A key by HKDF-SHA256 (RFC 5869). @param salt of an account, for a key of its own */
export function deriveKey(masterKey: string, salt: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, salt, purpose, bytes));
}
