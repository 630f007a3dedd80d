import { createHmac, hkdfSync } from 'node:crypto';

export interface PepperSource {
  /** As stored with each key's HMAC: 1 to 32,767. */
  readonly version: number;
  /** The master key that this version's pepper is derived from. */
  readonly masterKey: string;
}

/** Of one secret under one pepper. */
export interface VersionedHmac {
  readonly version: number;
  readonly hmac: Buffer;
}

/**
 * Turns secrets into what the database keeps: HMAC-SHA256 under a pepper that is derived from the master key
 * (HKDF, RFC 5869) and never stored. A copy of the database alone cannot tell whether a guessed secret is right.
 */
export class KeyPepper {
  /** New secrets are stored under it. */
  readonly currentVersion: number;
  readonly #peppers: ReadonlyMap<number, Buffer>;

  /** @param sources newest first; the older ones still recognise what was stored under them */
  constructor(sources: readonly [PepperSource, ...PepperSource[]]) {
    this.currentVersion = sources[0].version;
    this.#peppers = new Map(sources.map(({ version, masterKey }) => [version, derivePepper(masterKey, version)]));
  }

  /** @throws RangeError where no pepper of this version is known */
  secretHmac(secret: string, version: number = this.currentVersion): Buffer {
    const pepper = this.#peppers.get(version);
    if (pepper === undefined) throw new RangeError(`There is no pepper of version ${version}`);
    return createHmac('sha256', pepper).update(secret).digest();
  }

  /** Under every known pepper, newest first. */
  everyHmac(secret: string): VersionedHmac[] {
    return [...this.#peppers.keys()].map((version) => ({ version, hmac: this.secretHmac(secret, version) }));
  }
}

function derivePepper(masterKey: string, version: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `sluice/api-key-pepper/${version}`, 32));
}
