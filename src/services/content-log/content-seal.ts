import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import {
  aadOf,
  ALGORITHM,
  boundTo,
  BROTLI,
  NONCE_BYTES,
  ONLY_NONCE,
  PLAIN,
  SegmentWriter,
  TAG_BYTES,
  type Bound,
  type ContentOwner,
  type PlainContent,
} from './segment-writer.ts';

const KEY_BYTES = 32;
const WRAPPING = 'aes-256-ctr';
const BLOCK_BYTES = 16;
const PLACE_BYTES = 4;
/** Nonce, place and key. */
export const WRAPPED_KEY_BYTES = NONCE_BYTES + PLACE_BYTES + KEY_BYTES;
const MAX_ACCOUNT_KEYS = 1_000;
/** Requests run between turns of so many contents, or so many bytes of them. */
const TURN_CONTENTS = 64;
const TURN_BYTES = 64 * 1024;
/** Of a record that is read; its parts are bounded when it is written. */
const maxDecompressed = { maxOutputLength: 256 * 1024 * 1024 };

export interface SealedContent {
  /** Encoding (1 byte: 0 plain, 1 brotli), ciphertext, tag (16). */
  readonly bytes: Buffer;
  /** Nonce (12), place in the batch (4), encrypted key (32); of earlier versions nonce (12), encrypted key (32), tag (16). */
  readonly wrappedKey: Buffer;
}

/** The contents of a segment, one after another. */
export interface SealedSegment {
  /** As `SealedContent.bytes` of each. */
  readonly bytes: Buffer;
  /** Of each content, in bytes. */
  readonly lengths: readonly number[];
  /** As `SealedContent.wrappedKey` of each, of WRAPPED_KEY_BYTES. */
  readonly wrappedKeys: Buffer;
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

  /** In turns, between which requests run. */
  async seal(accountId: string, contents: readonly PlainContent[]): Promise<SealedSegment> {
    const random = randomBytes(NONCE_BYTES + contents.length * KEY_BYTES);
    const nonce = random.subarray(0, NONCE_BYTES);
    const dataKeys = random.subarray(NONCE_BYTES);
    const wrapped = createCipheriv(WRAPPING, this.#keyOf(accountId, 'batch'), counterAt(nonce, 0)).update(dataKeys);
    const segment = new SegmentWriter(accountId, contents);
    const wrappedKeys = Buffer.allocUnsafe(contents.length * WRAPPED_KEY_BYTES);
    let turnEnd = TURN_BYTES;
    for (const [place, content] of contents.entries()) {
      const keyAt = place * KEY_BYTES;
      segment.add(content, createSecretKey(dataKeys.subarray(keyAt, keyAt + KEY_BYTES)));
      const wrappedAt = place * WRAPPED_KEY_BYTES;
      nonce.copy(wrappedKeys, wrappedAt);
      wrappedKeys.writeUInt32BE(place, wrappedAt + NONCE_BYTES);
      wrapped.copy(wrappedKeys, wrappedAt + NONCE_BYTES + PLACE_BYTES, keyAt, keyAt + KEY_BYTES);
      if (segment.plainBytes < turnEnd && (place + 1) % TURN_CONTENTS !== 0) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnEnd = segment.plainBytes + TURN_BYTES;
    }
    return { bytes: segment.bytes, lengths: segment.lengths, wrappedKeys };
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
    if (wrappedKey.length !== WRAPPED_KEY_BYTES)
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

/** The counter block (NIST SP 800-38A) of a key's place: each key has two blocks. */
function counterAt(nonce: Buffer, place: number): Buffer {
  const counter = Buffer.alloc(BLOCK_BYTES);
  nonce.copy(counter);
  counter.writeUInt32BE(place * (KEY_BYTES / BLOCK_BYTES), NONCE_BYTES);
  return counter;
}

function decrypt(key: KeyObject, nonce: Buffer, box: Buffer, bound: Bound): Buffer {
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(aadOf(bound)))
    .setAuthTag(box.subarray(-TAG_BYTES));
  return Buffer.concat([decipher.update(box.subarray(0, -TAG_BYTES)), decipher.final()]);
}
