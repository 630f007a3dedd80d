import { createHmac, timingSafeEqual } from 'node:crypto';
import { SluiceError } from '../../errors/index.ts';
import { deriveKey, DerivedKeys } from '../../secrets/derived-keys.ts';
import type { MasterKeySource } from '../../secrets/master-keys.ts';

const KEY_BYTES = 32;
const secondsForm = /^[1-9]\d{0,11}$/;

/**
 * Signed links: whoever has one can fetch its file until it expires. Files cannot be listed, and links cannot be created
 * without the master key, from which the signing key is derived (HKDF, RFC 5869).
 */
export class MediaLinks {
  readonly #keys: DerivedKeys;

  constructor(masterKeys: MasterKeySource) {
    this.#keys = new DerivedKeys(masterKeys, ({ masterKey }) =>
      deriveKey(masterKey, '', 'sluice/media-links/1', KEY_BYTES),
    );
  }

  /** @param origin as `https://gateway.example` */
  make(origin: string, id: string, expiresAt: Date): string {
    const expires = String(Math.floor(expiresAt.getTime() / 1_000));
    return `${origin}/media/${id}?expires=${expires}&signature=${sign(this.#keys.current.bytes, id, expires).toString('base64url')}`;
  }

  /**
   * Verifies a link.
   * @returns when it expires
   * @throws SluiceError media_link_invalid | media_link_expired
   */
  check(id: string, expires: unknown, signature: unknown, now: Date): Date {
    if (typeof expires !== 'string' || typeof signature !== 'string' || !secondsForm.test(expires))
      throw new SluiceError('media_link_invalid');
    const given = Buffer.from(signature, 'base64url');
    const isRight = this.#keys.all.some(({ bytes }) => {
      const right = sign(bytes, id, expires);
      return given.length === right.length && timingSafeEqual(given, right);
    });
    if (!isRight) throw new SluiceError('media_link_invalid');
    const expiresAt = new Date(Number(expires) * 1_000);
    if (expiresAt <= now) throw new SluiceError('media_link_expired');
    return expiresAt;
  }
}

function sign(key: Buffer, id: string, expires: string): Buffer {
  return createHmac('sha256', key).update(`${id}\n${expires}`).digest();
}
