import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Each key encrypts one content: a nonce is never used twice with it. */
const ONLY_NONCE = Buffer.alloc(NONCE_BYTES);
const PLAIN = 0;
const BROTLI = 1;
/** A shorter text hardly gets shorter. */
const MIN_COMPRESSED_BYTES = 256;
const MAX_ACCOUNT_KEYS = 1_000;
/** Measured for records of 1 to 10 kB: a third of the time of zstd and deflate, at the same size. */
const compression = { [constants.BROTLI_PARAM_QUALITY]: 1 };
/** Node's minimum. */
const MIN_CHUNK_BYTES = 64;
/** Of a record that is read; its parts are bounded when it is written. */
const maxDecompressed = { maxOutputLength: 256 * 1024 * 1024 };

/** The owner of a content, which cannot be decrypted for another account or request. */
export interface ContentOwner {
  readonly accountId: string;
  readonly eventId: string;
}

export interface SealedContent {
  /** Encoding (1 byte: 0 plain, 1 brotli), ciphertext, tag (16). */
  readonly bytes: Buffer;
  /** Nonce (12), encrypted key (32), tag (16). */
  readonly wrappedKey: Buffer;
}

/**
 * Compresses and encrypts logged content by AES-256-GCM, each under a random key of its own. That key is encrypted under the
 * account's, which derives from the master key (HKDF, RFC 5869). Without its key, content is unreadable, wherever copies of it are.
 */
export class ContentSeal {
  readonly #masterKey: string;
  /** Oldest first. */
  readonly #accountKeys = new Map<string, KeyObject>();

  constructor(masterKey: string) {
    this.#masterKey = masterKey;
  }

  seal(document: Buffer, owner: ContentOwner): SealedContent {
    const isCompressed = document.length >= MIN_COMPRESSED_BYTES;
    const encoding = isCompressed ? BROTLI : PLAIN;
    const plain = isCompressed ? compress(document) : document;
    const key = randomBytes(KEY_BYTES + NONCE_BYTES);
    const dataKey = key.subarray(0, KEY_BYTES);
    const nonce = key.subarray(KEY_BYTES);
    const bound = boundTo(owner);
    return {
      bytes: Buffer.concat([
        Buffer.from([encoding]),
        ...encrypt(createSecretKey(dataKey), ONLY_NONCE, plain, [encoding, bound]),
      ]),
      wrappedKey: Buffer.concat([nonce, ...encrypt(this.#keyOf(owner.accountId), nonce, dataKey, [KEY_BYTES, bound])]),
    };
  }

  /** Null where it was changed, is of another request or account, or was encrypted under another master key. */
  open({ bytes, wrappedKey }: SealedContent, owner: ContentOwner): Buffer | null {
    const bound = boundTo(owner);
    const [nonce, wrapped] = [wrappedKey.subarray(0, NONCE_BYTES), wrappedKey.subarray(NONCE_BYTES)];
    const encoding = bytes[0] ?? PLAIN;
    try {
      const dataKey = decrypt(this.#keyOf(owner.accountId), nonce, wrapped, [KEY_BYTES, bound]);
      const plain = decrypt(createSecretKey(dataKey), ONLY_NONCE, bytes.subarray(1), [encoding, bound]);
      return encoding === BROTLI ? brotliDecompressSync(plain, maxDecompressed) : plain;
    } catch {
      // Node throws where the tag does not fit.
      return null;
    }
  }

  #keyOf(accountId: string): KeyObject {
    const known = this.#accountKeys.get(accountId);
    if (known !== undefined) return known;
    const bytes = hkdfSync('sha256', this.#masterKey, accountId, 'sluice/content-log/1', KEY_BYTES);
    const key = createSecretKey(Buffer.from(bytes));
    if (this.#accountKeys.size >= MAX_ACCOUNT_KEYS) this.#accountKeys.clear();
    this.#accountKeys.set(accountId, key);
    return key;
  }
}

/** Usually into one chunk: those of Node are 16 kB, which the garbage collector has to release. */
function compress(document: Buffer): Buffer {
  return brotliCompressSync(document, { params: compression, chunkSize: Math.max(MIN_CHUNK_BYTES, document.length) });
}

type Bound = readonly [kind: number, owner: string];

function boundTo({ accountId, eventId }: ContentOwner): string {
  return `${accountId}/${eventId}`;
}

/** A key object: given bytes, Node takes more than twice the time for a cipher. */
function encrypt(key: KeyObject, nonce: Buffer, plain: Buffer, [kind, owner]: Bound): Buffer[] {
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(`${kind}/${owner}`));
  return [cipher.update(plain), cipher.final(), cipher.getAuthTag()];
}

function decrypt(key: KeyObject, nonce: Buffer, box: Buffer, [kind, owner]: Bound): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(`${kind}/${owner}`))
    .setAuthTag(box.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(0, -TAG_BYTES)), decipher.final()]);
}
