import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Each key encrypts one content: a nonce is never used twice with it. */
const ONLY_NONCE = Buffer.alloc(NONCE_BYTES);
const WRAPPING = 'aes-256-ctr';
const BLOCK_BYTES = 16;
const PLACE_BYTES = 4;
const BATCH_KEY_BYTES = NONCE_BYTES + PLACE_BYTES + KEY_BYTES;
const PLAIN = 0;
const BROTLI = 1;
/** Compression takes most of the time of a shorter one, and saves some 200 bytes. */
const MIN_COMPRESSED_BYTES = 1_024;
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
  /** Nonce (12), place in the batch (4), encrypted key (32); of earlier versions nonce (12), encrypted key (32), tag (16). */
  readonly wrappedKey: Buffer;
}

/** A content before it is encrypted. */
export interface PlainContent {
  readonly eventId: string;
  readonly document: Buffer;
}

/**
 * Compresses and encrypts logged content by AES-256-GCM, each under a random key of its own. These keys are encrypted under one of
 * the account, which derives from the master key (HKDF, RFC 5869): those of a batch together by AES-256-CTR, each readable by
 * itself. A changed key opens nothing, because the tag of the content does not fit. Without its key, content is unreadable,
 * wherever copies of it are.
 */
export class ContentSeal {
  readonly #masterKey: string;
  /** Oldest first. */
  readonly #accountKeys = new Map<string, KeyObject>();

  constructor(masterKey: string) {
    this.#masterKey = masterKey;
  }

  /** @returns one for each content, in their order */
  seal(accountId: string, contents: readonly PlainContent[]): SealedContent[] {
    const random = randomBytes(NONCE_BYTES + contents.length * KEY_BYTES);
    const nonce = random.subarray(0, NONCE_BYTES);
    const dataKeys = random.subarray(NONCE_BYTES);
    const wrapped = createCipheriv(WRAPPING, this.#keyOf(accountId, 'batch'), counterAt(nonce, 0)).update(dataKeys);
    return contents.map(({ eventId, document }, place) => {
      const keyAt = place * KEY_BYTES;
      const dataKey = createSecretKey(dataKeys.subarray(keyAt, keyAt + KEY_BYTES));
      const wrappedKey = Buffer.allocUnsafe(BATCH_KEY_BYTES);
      nonce.copy(wrappedKey);
      wrappedKey.writeUInt32BE(place, NONCE_BYTES);
      wrapped.copy(wrappedKey, NONCE_BYTES + PLACE_BYTES, keyAt, keyAt + KEY_BYTES);
      return { bytes: sealed(document, dataKey, boundTo({ accountId, eventId })), wrappedKey };
    });
  }

  /** Null where it was changed, is of another request or account, or was encrypted under another master key. */
  open({ bytes, wrappedKey }: SealedContent, owner: ContentOwner): Buffer | null {
    const bound = boundTo(owner);
    const encoding = bytes[0] ?? PLAIN;
    try {
      const dataKey = this.#dataKey(wrappedKey, owner.accountId, bound);
      const plain = decrypt(createSecretKey(dataKey), ONLY_NONCE, bytes.subarray(1), [encoding, bound]);
      return encoding === BROTLI ? brotliDecompressSync(plain, maxDecompressed) : plain;
    } catch {
      // Node throws where the tag does not fit.
      return null;
    }
  }

  #dataKey(wrappedKey: Buffer, accountId: string, bound: string): Buffer {
    const nonce = wrappedKey.subarray(0, NONCE_BYTES);
    if (wrappedKey.length !== BATCH_KEY_BYTES)
      return decrypt(this.#keyOf(accountId, 'single'), nonce, wrappedKey.subarray(NONCE_BYTES), [KEY_BYTES, bound]);
    const counter = counterAt(nonce, wrappedKey.readUInt32BE(NONCE_BYTES));
    const wrapped = wrappedKey.subarray(NONCE_BYTES + PLACE_BYTES);
    return createDecipheriv(WRAPPING, this.#keyOf(accountId, 'batch'), counter).update(wrapped);
  }

  /** Each of its own for both ways to encrypt data keys. */
  #keyOf(accountId: string, kind: 'batch' | 'single'): KeyObject {
    const name = `${kind} ${accountId}`;
    const known = this.#accountKeys.get(name);
    if (known !== undefined) return known;
    const purpose = kind === 'batch' ? 'sluice/content-log/2' : 'sluice/content-log/1';
    const bytes = hkdfSync('sha256', this.#masterKey, accountId, purpose, KEY_BYTES);
    const key = createSecretKey(Buffer.from(bytes));
    if (this.#accountKeys.size >= MAX_ACCOUNT_KEYS) this.#accountKeys.clear();
    this.#accountKeys.set(name, key);
    return key;
  }
}

/** Encoding, ciphertext and tag. */
function sealed(document: Buffer, key: KeyObject, bound: string): Buffer {
  const isCompressed = document.length >= MIN_COMPRESSED_BYTES;
  const encoding = isCompressed ? BROTLI : PLAIN;
  const plain = isCompressed ? compress(document) : document;
  return Buffer.concat([Buffer.from([encoding]), ...encrypt(key, ONLY_NONCE, plain, [encoding, bound])]);
}

/** The counter block (NIST SP 800-38A) of a key's place: each key has two blocks. */
function counterAt(nonce: Buffer, place: number): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  nonce.copy(counter);
  counter.writeUInt32BE(place * (KEY_BYTES / BLOCK_BYTES), NONCE_BYTES);
  return counter;
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
