import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../gateway/key-directory.ts';
import type { PepperSource } from './pepper.ts';

const PREFIX = 'st-sluice-';
/** One bit each, for ever: tokens hold them. */
const scopeBits: Readonly<Record<Scope, number>> = { inference: 1, read: 2, manage: 4 };
/** Version, key, scopes, the end, and what makes each token another. */
const CLAIM_BYTES = 2 + 16 + 1 + 6 + 7;
const MAC_BYTES = 32;
const TOKEN_LENGTH = PREFIX.length + Math.ceil(((CLAIM_BYTES + MAC_BYTES) * 4) / 3);

/** What a token says of itself. */
export interface TokenClaims {
  readonly keyId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Whether a text stands in the place of a key as an access token, right or wrong. */
export function isAccessToken(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Signs access tokens and reads them again. A token says itself which key it is of, what it may and until when, under
 * HMAC-SHA256 with a key derived from the master key (HKDF, RFC 5869): nothing of it is stored.
 */
export class AccessTokenSigner {
  readonly #currentVersion: number;
  readonly #keys: ReadonlyMap<number, Buffer>;

  /** @param sources newest first; the older ones still recognise what was signed under them */
  constructor(sources: readonly [PepperSource, ...PepperSource[]]) {
    this.#currentVersion = sources[0].version;
    this.#keys = new Map(sources.map(({ version, masterKey }) => [version, deriveKey(masterKey, version)]));
  }

  sign({ keyId, scopes, expiresAt }: TokenClaims): string {
    const claims = Buffer.concat([Buffer.alloc(2), Buffer.from(keyId.replaceAll('-', ''), 'hex'), Buffer.alloc(7)]);
    claims.writeUInt16BE(this.#currentVersion, 0);
    claims.writeUInt8(
      [...scopes].reduce((bits, scope) => bits | scopeBits[scope], 0),
      18,
    );
    claims.writeUIntBE(expiresAt, 19, 6);
    const signed = Buffer.concat([claims, randomBytes(7)]);
    return PREFIX + Buffer.concat([signed, this.#mac(signed, this.#currentVersion)]).toString('base64url');
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
    return {
      keyId: toUuid(claims.toString('hex', 2, 18)),
      scopes: new Set(scopesOf(bits)),
      expiresAt: claims.readUIntBE(19, 6),
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
