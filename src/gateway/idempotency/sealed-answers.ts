import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { deriveKey } from '../../secrets/derived-keys.ts';
import { MasterKeys, type MasterKey, type MasterKeySource } from '../../secrets/master-keys.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D: 96-bit nonces are recommended for GCM; 128 bits is the longest tag. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LENGTH_BYTES = 4;
/** Bytes encrypted per turn of the event loop. */
const PIECE_BYTES = 1024 * 1024;

/** In the folder of claims. */
export const ANSWERS = 'answers';

/** A response as sent: its metadata as JSON, and its body. */
export interface StoredAnswer {
  readonly about: string;
  readonly chunks: readonly Buffer[];
}

/**
 * Encrypted response files: AES-256-GCM under the account's data key, which is derived from the master key (HKDF, RFC
 * 5869), and bound to the file's name. Format: nonce (12 bytes), ciphertext (length of `about` (4), `about`, body), tag
 * (16). A file is kept for a day, so it names no master key: each known one is tried.
 */
export class SealedAnswers {
  readonly #folder: string;
  readonly #keys: MasterKeys;

  constructor(folder: string, masterKeys: MasterKeySource) {
    this.#folder = folder;
    this.#keys = MasterKeys.of(masterKeys);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** @returns its size on disk in bytes */
  async write(accountId: string, name: string, answer: StoredAnswer): Promise<number> {
    const file = await open(this.#path(name), 'w', 0o600);
    let size = 0;
    try {
      for (const piece of this.#sealed(accountId, name, answer)) {
        size += piece.length;
        await file.write(piece);
      }
      return size;
    } catch (error) {
      await rm(this.#path(name), { force: true }).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Bytes of a response when it is encrypted. */
  sizeOf({ about, chunks }: StoredAnswer): number {
    const body = chunks.reduce((bytes, chunk) => bytes + chunk.length, 0);
    return NONCE_BYTES + LENGTH_BYTES + Buffer.byteLength(about) + body + TAG_BYTES;
  }

  /** The same bytes, to be stored elsewhere. */
  seal(accountId: string, name: string, answer: StoredAnswer): Buffer {
    return Buffer.concat([...this.#sealed(accountId, name, answer)]);
  }

  /** @throws where it is missing, modified, or encrypted under another master key */
  async read(accountId: string, name: string): Promise<StoredAnswer> {
    return this.open(accountId, name, await readFile(this.#path(name)));
  }

  /** Decrypts a response. @throws where it was modified, or encrypted under another master key or name */
  async open(accountId: string, name: string, box: Buffer): Promise<StoredAnswer> {
    if (box.length < NONCE_BYTES + TAG_BYTES) throw new Error('a stored response is truncated');
    const [current, ...others] = this.#keys.known;
    let opening = openWith(keyOf(current, accountId), name, box);
    for (const other of others) opening = opening.catch(() => openWith(keyOf(other, accountId), name, box));
    return opening;
  }

  remove(name: string): void {
    // A file that cannot be removed now is removed at the next start.
    unlink(this.#path(name)).catch(() => undefined);
  }

  /** Removes all files except these. */
  removeAllBut(names: { has(name: string): boolean }): void {
    for (const name of readdirSync(this.#folder)) if (!names.has(name)) this.remove(name);
  }

  *#sealed(accountId: string, name: string, { about, chunks }: StoredAnswer): Iterable<Buffer> {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyOf(this.#keys.current, accountId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(name));
    const head = Buffer.from(about);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(head.length);
    yield nonce;
    for (const piece of pieces([length, head, ...chunks])) yield cipher.update(piece);
    cipher.final();
    yield cipher.getAuthTag();
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

/** @throws where the tag does not fit */
async function openWith(key: Buffer, name: string, box: Buffer): Promise<StoredAnswer> {
  const nonce = box.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(name))
    .setAuthTag(box.subarray(-TAG_BYTES));
  const opened: Buffer[] = [];
  for (const piece of pieces([box.subarray(NONCE_BYTES, -TAG_BYTES)])) {
    opened.push(decipher.update(piece));
    if (piece.length === PIECE_BYTES) await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const plain = Buffer.concat([...opened, decipher.final()]);
  const bodyAt = LENGTH_BYTES + plain.readUInt32BE(0);
  return { about: plain.toString('utf8', LENGTH_BYTES, bodyAt), chunks: [plain.subarray(bodyAt)] };
}

function keyOf({ masterKey }: MasterKey, accountId: string): Buffer {
  return deriveKey(masterKey, accountId, 'sluice/idempotent-answers/1', KEY_BYTES);
}

/** Splits and joins chunks to pieces of at most `PIECE_BYTES`. */
function* pieces(chunks: readonly Buffer[]): Iterable<Buffer> {
  let joined: Buffer[] = [];
  let length = 0;
  for (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
      const part = chunk.subarray(at, at + PIECE_BYTES);
      joined.push(part);
      length += part.length;
      if (length < PIECE_BYTES) continue;
      yield Buffer.concat(joined);
      joined = [];
      length = 0;
    }
  if (length > 0) yield Buffer.concat(joined);
}
