import { createHmac } from 'node:crypto';
import { deriveKey, DerivedKeys } from '../../../secrets/derived-keys.ts';
import type { MasterKeySource } from '../../../secrets/master-keys.ts';

/** A secret's HMAC under one pepper. */
export interface VersionedHmac {
  readonly version: number;
  readonly hmac: Buffer;
}

/**
 * Hashes secrets for storage: HMAC-SHA256 under a pepper that is derived from the master key (HKDF, RFC 5869) and never
 * stored in plain text. Guesses cannot be verified with a copy of the database alone.
 */
export class KeyPepper {
  readonly #peppers: DerivedKeys;
  readonly #retired: ReadonlyMap<number, Buffer>;

  /** @param retired peppers of master keys that are no longer known, by version: nobody can hash a key again without its secret */
  constructor(masterKeys: MasterKeySource, retired: ReadonlyMap<number, Buffer> = new Map()) {
    this.#peppers = new DerivedKeys(masterKeys, ({ version, masterKey }) => derivePepper(masterKey, version));
    this.#retired = retired;
  }

  /** The version for new secrets: 1 to 32,767. */
  get currentVersion(): number {
    return this.#peppers.current.version;
  }

  /** @throws RangeError if the pepper of this version is not known */
  secretHmac(secret: string, version: number = this.currentVersion): Buffer {
    const pepper = this.#peppers.find(version) ?? this.#retired.get(version);
    if (pepper === undefined) throw new RangeError(`There is no pepper of version ${version}`);
    return createHmac('sha256', pepper).update(secret).digest();
  }

  /** The HMAC under every known pepper, the current one first. */
  everyHmac(secret: string): VersionedHmac[] {
    const versions = new Set([...this.#peppers.all.map(({ version }) => version), ...this.#retired.keys()]);
    return [...versions].map((version) => ({ version, hmac: this.secretHmac(secret, version) }));
  }
}

export function derivePepper(masterKey: string, version: number): Buffer {
  return deriveKey(masterKey, '', `sluice/api-key-pepper/${version}`, 32);
}
