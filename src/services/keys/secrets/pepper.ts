import { createHmac, hkdfSync } from 'node:crypto';

export interface PepperSource {
  /** Stored with each key's HMAC: 1 to 32,767. */
  readonly version: number;
  /** The master key that this version's pepper is derived from. */
  readonly masterKey: string;
}

/** A secret's HMAC under one pepper. */
export interface VersionedHmac {
  readonly version: number;
  readonly hmac: Buffer;
}

/**
 * Hashes secrets for storage: HMAC-SHA256 under a pepper that is derived from the master key (HKDF, RFC 5869) and never
 * stored. Guesses cannot be verified with a copy of the database alone.
 */
export class KeyPepper {
  /** The version for new secrets. */
  readonly currentVersion: number;
  readonly #peppers: ReadonlyMap<number, Buffer>;

  /** @param sources newest first; older ones still match what was stored under them */
  constructor(sources: readonly [PepperSource, ...PepperSource[]]) {
    this.currentVersion = sources[0].version;
    this.#peppers = new Map(sources.map(({ version, masterKey }) => [version, derivePepper(masterKey, version)]));
  }

  /** @throws RangeError if the pepper of this version is not known */
  secretHmac(secret: string, version: number = this.currentVersion): Buffer {
    const pepper = this.#peppers.get(version);
    if (pepper === undefined) throw new RangeError(`There is no pepper of version ${version}`);
    return createHmac('sha256', pepper).update(secret).digest();
  }

  /** The HMAC under every known pepper, newest first. */
  everyHmac(secret: string): VersionedHmac[] {
    return [...this.#peppers.keys()].map((version) => ({ version, hmac: this.secretHmac(secret, version) }));
  }
}

function derivePepper(masterKey: string, version: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `sluice/api-key-pepper/${version}`, 32));
}
