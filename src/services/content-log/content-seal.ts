import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  randomBytes,
  randomFillSync,
  type KeyObject,
} from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { deriveKey } from '../../secrets/derived-keys.ts';
import { MasterKeys, type MasterKey, type MasterKeySource } from '../../secrets/master-keys.ts';
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
  type Allocate,
  type Bound,
  type ContentOwner,
  type PlainContent,
} from './segment-writer.ts';

const KEY_BYTES = 32;
const WORD_BYTES = 4;
const KEY_WORDS = KEY_BYTES / WORD_BYTES;
const WRAPPING = 'aes-256-ctr';
const BLOCK_BYTES = 16;
const VERSION_BYTES = 2;
const PLACE_BYTES = 2;
const PLACE_AT = NONCE_BYTES + VERSION_BYTES;
/** Nonce, version and place. */
const HEAD_BYTES = NONCE_BYTES + VERSION_BYTES + PLACE_BYTES;
/** Contents that are encrypted together. */
const MAX_CONTENTS = 2 ** (8 * PLACE_BYTES);
/** Head and key. */
export const WRAPPED_KEY_BYTES = HEAD_BYTES + KEY_BYTES;
const MAX_ACCOUNT_KEYS = 1_000;
/** Requests run between slices of this time. */
const SLICE_MS = 1;
/** Bytes that are encrypted between looks at the clock. */
const CLOCK_BYTES = 16 * 1024;
/** Of a record that is read; its parts are bounded when it is written. */
const maxDecompressed = { maxOutputLength: 256 * 1024 * 1024 };

export interface SealedContent {
  /** Encoding (1 byte: 0 plain, 1 brotli), ciphertext, tag (16). */
  readonly bytes: Buffer;
  /**
   * Nonce (12), version of the master key minus 1 (2), place in the batch (2), encrypted key (32); of earlier versions nonce (12),
   * encrypted key (32), tag (16), under version 1.
   */
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
  readonly #keys: MasterKeys;
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #accountKeys = new Map<string, KeyObject>();

  constructor(masterKeys: MasterKeySource, clock: Clock = systemClock) {
    this.#keys = MasterKeys.of(masterKeys);
    this.#clock = clock;
  }

  /** In slices, between which requests run. @param allocate the memory of the segment */
  async seal(accountId: string, contents: readonly PlainContent[], allocate?: Allocate): Promise<SealedSegment> {
    if (contents.length > MAX_CONTENTS)
      throw new RangeError(`More than ${MAX_CONTENTS} contents cannot be encrypted together`);
    const key = this.#keys.current;
    const nonce = randomBytes(NONCE_BYTES);
    const dataKeys = new Uint32Array(contents.length * KEY_WORDS);
    randomFillSync(dataKeys);
    const wrapped = createCipheriv(WRAPPING, this.#keyOf(key, accountId, 'batch'), counterAt(nonce, 0)).update(
      new Uint8Array(dataKeys.buffer),
    );
    const segment = new SegmentWriter(accountId, contents, allocate);
    // One for all: Node copies it.
    const dataKey = new Uint32Array(KEY_WORDS);
    let sliceFrom = this.#clock.monotonic();
    let looksAt = CLOCK_BYTES;
    for (let place = 0; place < contents.length; place++) {
      copyWords(dataKeys, place * KEY_WORDS, dataKey, 0);
      segment.add(contents[place] as PlainContent, createSecretKey(dataKey));
      if (segment.plainBytes < looksAt) continue;
      looksAt = segment.plainBytes + CLOCK_BYTES;
      if (this.#clock.monotonic() - sliceFrom < SLICE_MS) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceFrom = this.#clock.monotonic();
    }
    const wrappedKeys = withHeads(wrapped, headOf({ nonce, version: key.version, place: 0 }));
    return { bytes: segment.bytes, lengths: segment.lengths, wrappedKeys };
  }

  /** Null where it was changed, is of another request or account, or was encrypted under another master key. */
  open({ bytes, wrappedKey }: SealedContent, owner: ContentOwner): Buffer | null {
    const bound = boundTo(owner);
    const encoding = bytes[0] ?? PLAIN;
    try {
      const dataKey = this.#dataKey(wrappedKey, owner.accountId, bound);
      if (dataKey === null) return null;
      const plain = decrypt(createSecretKey(dataKey), ONLY_NONCE, bytes.subarray(1), [encoding, bound]);
      return encoding === BROTLI ? brotliDecompressSync(plain, maxDecompressed) : plain;
    } catch {
      // Node throws where the tag does not fit.
      return null;
    }
  }

  /**
   * Encrypts the key of a content under the current master key; the content itself stays as it is. A key has no tag: whether the
   * master key of its version is the right one, only opening a content shows.
   * @returns null where the master key is not known
   */
  rewrap(wrappedKey: Buffer, owner: ContentOwner): Buffer | null {
    let dataKey: Buffer | null;
    try {
      dataKey = this.#dataKey(wrappedKey, owner.accountId, boundTo(owner));
    } catch {
      return null;
    }
    if (dataKey === null) return null;
    const key = this.#keys.current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(WRAPPING, this.#keyOf(key, owner.accountId, 'batch'), counterAt(nonce, 0));
    return Buffer.concat([headOf({ nonce, version: key.version, place: 0 }), cipher.update(dataKey)]);
  }

  #dataKey(wrappedKey: Buffer, accountId: string, bound: string): Buffer | null {
    const nonce = wrappedKey.subarray(0, NONCE_BYTES);
    const isSingle = isSingleKey(wrappedKey);
    const key = this.#keys.find(masterKeyVersionOf(wrappedKey));
    if (key === null) return null;
    if (isSingle)
      return decrypt(this.#keyOf(key, accountId, 'single'), nonce, wrappedKey.subarray(NONCE_BYTES), [
        KEY_BYTES,
        bound,
      ]);
    const counter = counterAt(nonce, wrappedKey.readUInt16BE(PLACE_AT));
    return createDecipheriv(WRAPPING, this.#keyOf(key, accountId, 'batch'), counter).update(
      wrappedKey.subarray(HEAD_BYTES),
    );
  }

  /** Each of its own for both ways to encrypt data keys. */
  #keyOf({ version, masterKey }: MasterKey, accountId: string, kind: 'batch' | 'single'): KeyObject {
    const name = `${kind} ${version} ${accountId}`;
    const known = this.#accountKeys.get(name);
    if (known !== undefined) return known;
    const purpose = kind === 'batch' ? 'sluice/content-log/2' : 'sluice/content-log/1';
    const key = createSecretKey(deriveKey(masterKey, accountId, purpose, KEY_BYTES));
    if (this.#accountKeys.size >= MAX_ACCOUNT_KEYS) this.#accountKeys.clear();
    this.#accountKeys.set(name, key);
    return key;
  }
}

/** The version of the master key of an encrypted key. */
export function masterKeyVersionOf(wrappedKey: Buffer): number {
  return isSingleKey(wrappedKey) ? 1 : 1 + wrappedKey.readUInt16BE(NONCE_BYTES);
}

/** Encrypted by itself, by an earlier release. */
function isSingleKey(wrappedKey: Buffer): boolean {
  return wrappedKey.length !== WRAPPED_KEY_BYTES;
}

interface Head {
  readonly nonce: Buffer;
  readonly version: number;
  readonly place: number;
}

/** What stands before an encrypted key. */
function headOf({ nonce, version, place }: Head): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  nonce.copy(head);
  head.writeUInt16BE(version - 1, NONCE_BYTES);
  head.writeUInt16BE(place, PLACE_AT);
  return head;
}

/**
 * The encrypted keys of a batch, each behind the head of its place. Thousands of them: words are copied in less time than a call of
 * `copy` takes.
 */
function withHeads(wrapped: Buffer, firstHead: Buffer): Buffer {
  const count = wrapped.length / KEY_BYTES;
  // A copy where Node pools what ciphers write: its words would not be aligned.
  const aligned = wrapped.byteOffset % WORD_BYTES === 0 ? wrapped : new Uint8Array(wrapped);
  const source = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / WORD_BYTES);
  // Not of Node's pool, so that words are aligned.
  const keys = Buffer.allocUnsafeSlow(count * WRAPPED_KEY_BYTES);
  if (count > 0) keys.fill(Buffer.concat([firstHead, Buffer.alloc(KEY_BYTES)]));
  const target = new Uint32Array(keys.buffer);
  for (let place = 0; place < count; place++) {
    const at = place * WRAPPED_KEY_BYTES;
    keys[at + PLACE_AT] = place >> 8;
    keys[at + PLACE_AT + 1] = place & 0xff;
    copyWords(source, place * KEY_WORDS, target, (at + HEAD_BYTES) / WORD_BYTES);
  }
  return keys;
}

/** Of a key. */
function copyWords(source: Uint32Array, from: number, target: Uint32Array, to: number): void {
  for (let word = 0; word < KEY_WORDS; word++) target[to + word] = source[from + word] as number;
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
