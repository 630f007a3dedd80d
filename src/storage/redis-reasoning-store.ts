import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import {
  MAX_REASONING_BYTES,
  MemoryReasoningStore,
  REASONING_RETENTION_MS,
  type StoredReasoning,
  type ReasoningStore,
} from '../gateway/reasoning/reasoning-memory.ts';
import { deriveKey } from '../secrets/derived-keys.ts';
import { MasterKeys, type MasterKey, type MasterKeySource } from '../secrets/master-keys.ts';
import { RedisConnection } from './redis/redis-connection.ts';
import type { RedisStoreOptions } from './redis-options.ts';

const PREFIX = 'sluice:reasoning:';
/** Reasoning is optional: a conversation continues without it rather than wait longer. */
const DEFAULT_TIMEOUT_MS = 250;
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D: GCM is designed for nonces of 96 bits; 128 bits is the longest tag. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Log {
  warn(fields: object, message: string): void;
}

export interface RedisReasoningOptions extends RedisStoreOptions<Log> {
  readonly masterKeys: MasterKeySource;
}

/**
 * Signed reasoning in Redis or Valkey, shared by several processes, encrypted by AES-256-GCM with a key per account. Each
 * process also caches in memory what it used, which is all that is available while Redis is unavailable.
 */
export class RedisReasoningStore implements ReasoningStore {
  readonly #redis: RedisConnection;
  readonly #keys: MasterKeys;
  readonly #local = new MemoryReasoningStore();
  readonly #timeoutMs: number;
  #down = false;

  constructor({ masterKeys, log, ...options }: RedisReasoningOptions) {
    this.#keys = MasterKeys.of(masterKeys);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#redis = new RedisConnection({
      ...options,
      onReady: () => (this.#down = false),
      onError: (err) => {
        if (!this.#down) log.warn({ err }, 'Redis is unavailable; signed reasoning is not shared between processes');
        this.#down = true;
      },
    });
  }

  /** Starts to connect, without waiting. */
  open(): Promise<void> {
    return this.#redis.open();
  }

  store(accountId: string, callId: string, reasoning: StoredReasoning): void {
    this.#local.store(accountId, callId, reasoning);
    if (!this.#redis.isReady || reasoning.details.length > MAX_REASONING_BYTES) return;
    const name = nameOf(accountId, callId);
    const sealed = this.#seal(accountId, name, reasoning);
    this.#redis.send(name, ['SET', name, sealed, 'PX', String(REASONING_RETENTION_MS)]).catch(() => undefined);
  }

  find(accountId: string, callId: string): StoredReasoning | undefined {
    return this.#local.find(accountId, callId);
  }

  load(accountId: string, callIds: readonly string[]): Promise<void> | undefined {
    const missing = callIds.filter((callId) => this.#local.find(accountId, callId) === undefined);
    if (missing.length === 0 || !this.#redis.isReady) return undefined;
    return Promise.all(missing.map((callId) => this.#load(accountId, callId))).then(
      () => undefined,
      () => undefined,
    );
  }

  close(): void {
    this.#redis.close();
  }

  async #load(accountId: string, callId: string): Promise<void> {
    const name = nameOf(accountId, callId);
    const command = ['GETEX', name, 'PX', String(REASONING_RETENTION_MS)];
    const found = await this.#redis.send(name, command, { timeoutMs: this.#timeoutMs, asBuffers: true });
    if (!Buffer.isBuffer(found)) return;
    for (const key of this.#keys.known) {
      const reasoning = unseal(keyOf(key, accountId), name, found);
      if (reasoning !== null) return this.#local.store(accountId, callId, reasoning);
    }
  }

  #seal(accountId: string, name: string, { name: tool, details }: StoredReasoning): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, keyOf(this.#keys.current, accountId), nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(name));
    const sealed = cipher.update(JSON.stringify([tool, details]));
    return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]);
  }
}

/** Null if it was changed, or encrypted under another key. */
function unseal(key: Buffer, name: string, box: Buffer): StoredReasoning | null {
  try {
    const nonce = box.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(name))
      .setAuthTag(box.subarray(-TAG_BYTES));
    const plain = Buffer.concat([decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
    const [tool, details]: unknown[] = JSON.parse(plain.toString());
    return typeof tool === 'string' && typeof details === 'string' ? { name: tool, details } : null;
  } catch {
    return null;
  }
}

function keyOf({ masterKey }: MasterKey, accountId: string): Buffer {
  return deriveKey(masterKey, accountId, 'sluice/kept-reasoning/1', KEY_BYTES);
}

/** Ids are text of a provider and may be long. */
function nameOf(accountId: string, callId: string): string {
  return `${PREFIX}{${accountId}}:${createHash('sha256').update(callId).digest('base64url')}`;
}
