import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../gateway/key-directory.ts';
import type { PepperSource } from './pepper.ts';
import { SECRET_ID_BYTES } from './secret-id.ts';

const PREFIX = 'st-sluice-';
/** One bit each, for ever: tokens hold them. */
const scopeBits: Readonly<Record<Scope, number>> = { inference: 1, read: 2, manage: 4 };
/** Version, key, scopes, the end, the key's secret, another key that made it, its secret, and the token's id. */
const CLAIM_BYTES = 2 + 16 + 1 + 6 + SECRET_ID_BYTES + 16 + SECRET_ID_BYTES + 16;
const NOBODY = '0'.repeat(32);
const MAC_BYTES = 32;
const TOKEN_LENGTH = PREFIX.length + Math.ceil(((CLAIM_BYTES + MAC_BYTES) * 4) / 3);

/** What a token says of itself. */
export interface TokenClaims {
  /** A UUID: it is revoked, and attributed to who made it, by this. */
  readonly id: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The secret of its key that it ends with. */
  readonly secretId: string;
  /** Another key that made it, by a secret that it ends with too; null where its own key or a member did. */
  readonly maker: { readonly keyId: string; readonly secretId: string } | null;
}

/** Whether a text stands in the place of a key as an access token, right or wrong. */
export function isAccessToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Signs access tokens and reads them again. A token says itself which key it is of, what it may and until when, under
 * HMAC-SHA256 with a key derived from the master key (HKDF, RFC 5869): what is not signed reaches no database.
 */
export class AccessTokenSigner {
  readonly #currentVersion: number;
  readonly #keys: ReadonlyMap<number, Buffer>;

  /** @param sources newest first; the older ones still recognise what was signed under them */
  constructor(sources: readonly [PepperSource, ...PepperSource[]]) {
    this.#currentVersion = sources[0].version;
    this.#keys = new Map(sources.map(({ version, masterKey }) => [version, deriveKey(masterKey, version)]));
  }

  sign({ id, keyId, scopes, expiresAt, secretId, maker }: TokenClaims): string {
    const claims = Buffer.alloc(CLAIM_BYTES);
    claims.write(keyId.replaceAll('-', ''), 2, 'hex');
    claims.writeUInt16BE(this.#currentVersion, 0);
    claims.writeUInt8(
      [...scopes].reduce((bits, scope) => bits | scopeBits[scope], 0),
      18,
    );
    claims.writeUIntBE(expiresAt, 19, 6);
    claims.write(secretId, 25, 'hex');
    if (maker !== null) claims.write(maker.keyId.replaceAll('-', '') + maker.secretId, 33, 'hex');
    claims.write(id.replaceAll('-', ''), 57, 'hex');
    return PREFIX + Buffer.concat([claims, this.#mac(claims, this.#currentVersion)]).toString('base64url');
  }

  /** Null where it is none of ours. Takes any string; whether it has expired is for the caller to see. */
  read(token: string): TokenClaims | null {
    if (token.length !== TOKEN_LENGTH || !isAccessToken(token)) return null;
    const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
    // One spelling each: what decodes to the same bytes would be the same token in another text.
    if (bytes.length !== CLAIM_BYTES + MAC_BYTES || bytes.toString('base64url') !== token.slice(PREFIX.length))
      return null;
    const [claims, mac] = [bytes.subarray(0, CLAIM_BYTES), bytes.subarray(CLAIM_BYTES)];
    const version = claims.readUInt16BE(0);
    if (!this.#keys.has(version) || !timingSafeEqual(this.#mac(claims, version), mac)) return null;
    const bits = claims.readUInt8(18);
    const makerKey = claims.toString('hex', 33, 49);
    return {
      id: toUuid(claims.toString('hex', 57, 73)),
      keyId: toUuid(claims.toString('hex', 2, 18)),
      scopes: new Set(scopesOf(bits)),
      expiresAt: claims.readUIntBE(19, 6),
      secretId: claims.toString('hex', 25, 33),
      maker: makerKey === NOBODY ? null : { keyId: toUuid(makerKey), secretId: claims.toString('hex', 49, 57) },
    };
  }

  #mac(claims: Buffer, version: number): Buffer {
    const key = this.#keys.get(version);
    if (key === undefined) throw new RangeError(`There is no signing key of version ${version}`);
    return createHmac('sha256', key).update(claims).digest();
  }
}

function* scopesOf(bits: number): Generator<Scope> {
  if (bits & scopeBits.inference) yield 'inference';
  if (bits & scopeBits.read) yield 'read';
  if (bits & scopeBits.manage) yield 'manage';
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function deriveKey(masterKey: string, version: number): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `sluice/access-token/${version}`, 32));
}
