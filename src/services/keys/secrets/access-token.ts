import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../../gateway/keys/key-directory.ts';
import { deriveKey, DerivedKeys } from '../../../secrets/derived-keys.ts';
import type { MasterKeySource } from '../../../secrets/master-keys.ts';
import { SECRET_ID_BYTES } from './secret-id.ts';

const PREFIX = 'st-sluice-';
/** One bit each; never reassigned, because issued tokens contain them. */
const scopeBits: Readonly<Record<Scope, number>> = { inference: 1, read: 2, manage: 4 };
/** Version, key id, scopes, expiry, id of the key's secret, id of the key that created it and of its secret, token id. */
const CLAIM_BYTES = 2 + 16 + 1 + 6 + SECRET_ID_BYTES + 16 + SECRET_ID_BYTES + 16;
const NOBODY = '0'.repeat(32);
const MAC_BYTES = 32;
const TOKEN_LENGTH = PREFIX.length + Math.ceil(((CLAIM_BYTES + MAC_BYTES) * 4) / 3);

/** The signed content of a token. */
export interface TokenClaims {
  /** The token's UUID, by which it is revoked and attributed to its creator. */
  readonly id: string;
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The secret of its key; the token expires with it. */
  readonly secretId: string;
  /** The other key that created it, and the secret that it also expires with; null if its own key or a member created it. */
  readonly creator: { readonly keyId: string; readonly secretId: string } | null;
}

/** Whether a text has the form of an access token, valid or not. */
export function isAccessToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Signs and reads access tokens. A token contains its key, scopes and expiry, signed by HMAC-SHA256 with a key derived from
 * the master key (HKDF, RFC 5869): an invalid token causes no database query.
 */
export class AccessTokenSigner {
  readonly #keys: DerivedKeys;

  constructor(masterKeys: MasterKeySource) {
    this.#keys = new DerivedKeys(masterKeys, ({ version, masterKey }) =>
      deriveKey(masterKey, '', `sluice/access-token/${version}`, 32),
    );
  }

  sign({ id, keyId, scopes, expiresAt, secretId, creator }: TokenClaims): string {
    const { version, bytes } = this.#keys.current;
    const claims = Buffer.alloc(CLAIM_BYTES);
    claims.write(keyId.replaceAll('-', ''), 2, 'hex');
    claims.writeUInt16BE(version, 0);
    claims.writeUInt8(
      [...scopes].reduce((bits, scope) => bits | scopeBits[scope], 0),
      18,
    );
    claims.writeUIntBE(expiresAt, 19, 6);
    claims.write(secretId, 25, 'hex');
    if (creator !== null) claims.write(creator.keyId.replaceAll('-', '') + creator.secretId, 33, 'hex');
    claims.write(id.replaceAll('-', ''), 57, 'hex');
    return PREFIX + Buffer.concat([claims, macOf(claims, bytes)]).toString('base64url');
  }

  /** Null if the signature is invalid. Accepts any string; does not check the expiry. */
  read(token: string): TokenClaims | null {
    if (token.length !== TOKEN_LENGTH || !isAccessToken(token)) return null;
    const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
    // Only the canonical encoding is accepted: others would be the same token in a different spelling.
    if (bytes.length !== CLAIM_BYTES + MAC_BYTES || bytes.toString('base64url') !== token.slice(PREFIX.length))
      return null;
    const [claims, mac] = [bytes.subarray(0, CLAIM_BYTES), bytes.subarray(CLAIM_BYTES)];
    const key = this.#keys.find(claims.readUInt16BE(0));
    if (key === null || !timingSafeEqual(macOf(claims, key), mac)) return null;
    const bits = claims.readUInt8(18);
    const creatorKey = claims.toString('hex', 33, 49);
    return {
      id: toUuid(claims.toString('hex', 57, 73)),
      keyId: toUuid(claims.toString('hex', 2, 18)),
      scopes: new Set(scopesOf(bits)),
      expiresAt: claims.readUIntBE(19, 6),
      secretId: claims.toString('hex', 25, 33),
      creator: creatorKey === NOBODY ? null : { keyId: toUuid(creatorKey), secretId: claims.toString('hex', 49, 57) },
    };
  }
}

function macOf(claims: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(claims).digest();
}

function* scopesOf(bits: number): Generator<Scope> {
  if (bits & scopeBits.inference) yield 'inference';
  if (bits & scopeBits.read) yield 'read';
  if (bits & scopeBits.manage) yield 'manage';
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
