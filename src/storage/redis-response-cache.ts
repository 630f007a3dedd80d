import type { CachedAnswer, ResponseCache } from '../gateway/cache/response-cache.ts';
import { RedisConnection } from './redis/redis-connection.ts';
import type { RedisStoreOptions } from './redis-options.ts';

const PREFIX = 'sluice:answer:';
/** A slower cache costs more than it saves. */
const DEFAULT_TIMEOUT_MS = 250;

interface Log {
  warn(fields: object, message: string): void;
}

/**
 * Cached responses in Redis or Valkey, shared by several processes. While it is unavailable nothing is found, and requests are
 * sent to providers. An entry is a line of JSON, then the response's bytes.
 */
export class RedisResponseCache implements ResponseCache {
  readonly #redis: RedisConnection;
  readonly #timeoutMs: number;
  #down = false;

  constructor({ log, ...options }: RedisStoreOptions<Log>) {
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#redis = new RedisConnection({
      ...options,
      onReady: () => (this.#down = false),
      onError: (err) => {
        // Logged once per outage, not per attempt.
        if (!this.#down) log.warn({ err }, 'Redis is unavailable; responses are not cached');
        this.#down = true;
      },
    });
  }

  /** Connects in the background: a server starts without its cache. */
  open(): Promise<void> {
    return this.#redis.open();
  }

  async get(key: string): Promise<CachedAnswer | undefined> {
    if (!this.#redis.isReady) return undefined;
    try {
      const name = PREFIX + key;
      const found = await this.#redis.send(name, ['GET', name], { timeoutMs: this.#timeoutMs, asBuffers: true });
      return Buffer.isBuffer(found) ? decode(found) : undefined;
    } catch {
      return undefined;
    }
  }

  set(key: string, answer: CachedAnswer, ttlMs: number): void {
    if (!this.#redis.isReady) return;
    const name = PREFIX + key;
    // In the background: a large entry may take longer.
    this.#redis.send(name, ['SET', name, encode(answer), 'PX', String(Math.ceil(ttlMs))]).catch(() => undefined);
  }

  close(): void {
    this.#redis.close();
  }
}

function encode({ body, costNano, ...rest }: CachedAnswer): Buffer {
  const head = JSON.stringify({ ...rest, costNano: String(costNano) });
  return Buffer.concat([Buffer.from(`${head}\n`), body]);
}

/** Undefined for an entry of another program. */
function decode(entry: Buffer): CachedAnswer | undefined {
  const end = entry.indexOf('\n');
  if (end < 0) return undefined;
  try {
    const { model, provider, dropped, keptAt, costNano = '0' } = JSON.parse(entry.toString('utf8', 0, end));
    if (typeof model !== 'string' || typeof provider !== 'string' || typeof keptAt !== 'number') return undefined;
    if (!Array.isArray(dropped)) return undefined;
    // Throws unless it is an integer. Entries of earlier versions state no cost.
    const cost = BigInt(costNano);
    return { model, provider, dropped: dropped.map(String), keptAt, costNano: cost, body: entry.subarray(end + 1) };
  } catch {
    return undefined;
  }
}
