import { createClient, RESP_TYPES } from '@redis/client';
import { systemClock, type Clock } from '../calendar/clock.ts';
import type { CachedAnswer, ResponseCache } from '../gateway/cache/response-cache.ts';
import { withResponseTimeout } from './response-timeout.ts';
import { redisOptions, type RedisStoreOptions } from './redis-options.ts';

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
  readonly #client;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #down = false;

  constructor({ url, log, timeoutMs, clock = systemClock }: RedisStoreOptions<Log>) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#client = createClient({
      ...redisOptions(timeoutMs),
      url,
      disableOfflineQueue: true,
      commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    });
    this.#client.on('ready', () => (this.#down = false));
    this.#client.on('error', (err: unknown) => {
      // Logged once per outage, not per attempt.
      if (!this.#down) log.warn({ err }, 'Redis is unavailable; responses are not cached');
      this.#down = true;
    });
  }

  /** Connects in the background: a server starts without its cache. */
  open(): Promise<void> {
    return this.#client.connect().then(
      () => undefined,
      () => undefined,
    );
  }

  async get(key: string): Promise<CachedAnswer | undefined> {
    if (!this.#client.isReady) return undefined;
    try {
      const found = await withResponseTimeout(
        this.#client,
        this.#timeoutMs,
        this.#client.get(PREFIX + key),
        this.#clock,
      );
      return Buffer.isBuffer(found) ? decode(found) : undefined;
    } catch {
      return undefined;
    }
  }

  set(key: string, answer: CachedAnswer, ttlMs: number): void {
    if (!this.#client.isReady) return;
    const expiration = { type: 'PX', value: Math.ceil(ttlMs) } as const;
    // In the background: a large entry may take longer.
    this.#client.set(PREFIX + key, encode(answer), { expiration }).catch(() => undefined);
  }

  close(): void {
    this.#client.destroy();
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
