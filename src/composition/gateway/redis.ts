import type { Logger } from 'pino';
import type { Environment } from '../../config/environment.ts';
import { MemoryResponseCache, type ResponseCache } from '../../gateway/cache/response-cache.ts';
import type { SharedClaims } from '../../gateway/idempotency/shared-claims.ts';
import type { BudgetStore, LimitStore } from '../../gateway/limits/limit-store.ts';
import type { LiveBus } from '../../live/live-bus.ts';
import { MemoryLimitStore } from '../../gateway/limits/memory-limit-store.ts';
import { MemoryReasoningStore, type ReasoningStore } from '../../gateway/reasoning/reasoning-memory.ts';
import type { RedisStoreOptions } from '../../storage/redis-options.ts';

const MEGABYTE = 1024 * 1024;

export interface RedisOptions {
  readonly environment: Pick<Environment, 'REDIS_URL' | 'SLUICE_REDIS_TIMEOUT_MS'>;
  readonly masterKey: string;
  /** From `sluice.yaml`. */
  readonly cache: { readonly redis?: string | undefined; readonly megabytes: number };
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/** State that processes share through Redis. Without Redis each process has its own. */
export interface WiredRedis {
  readonly limits: LimitStore & BudgetStore;
  readonly cache: ResponseCache;
  /** Null without Redis. */
  readonly bus: LiveBus | null;
  /** Claims of idempotency keys; null without Redis. */
  readonly claims: SharedClaims | null;
  readonly reasoning: ReasoningStore;
  close(): void;
}

/** The Redis client is loaded only if it is used. */
export async function wireRedis({ environment, masterKey, cache, log }: RedisOptions): Promise<WiredRedis> {
  const { REDIS_URL: redis, SLUICE_REDIS_TIMEOUT_MS: timeoutMs } = environment;
  const answers = await openCache(cache.redis ?? redis, cache.megabytes, { timeoutMs, log });
  const limits = await openLimits(redis, { timeoutMs, log });
  const live = await openBus(redis, log);
  const repeated = await openClaims(redis, { timeoutMs, log });
  const reasoning = await openReasoning(redis, masterKey, { timeoutMs, log });
  return {
    limits: limits.store,
    cache: answers.cache,
    bus: live.bus,
    claims: repeated.claims,
    reasoning: reasoning.store,
    close() {
      answers.close();
      limits.close();
      live.close();
      repeated.close();
      reasoning.close();
    },
  };
}

type StoreOptions = Pick<RedisStoreOptions<RedisOptions['log']>, 'timeoutMs' | 'log'>;

async function openCache(url: string | undefined, megabytes: number, options: StoreOptions) {
  if (url === undefined) return { cache: new MemoryResponseCache(megabytes * MEGABYTE), close: () => undefined };
  const { RedisResponseCache } = await import('../../storage/redis-response-cache.ts');
  const cache = new RedisResponseCache({ url, ...options });
  void cache.open();
  return { cache, close: () => cache.close() };
}

async function openBus(url: string | undefined, log: RedisOptions['log']) {
  if (url === undefined) return { bus: null, close: () => undefined };
  const { RedisLiveBus } = await import('../../storage/live/redis-live-bus.ts');
  const bus = new RedisLiveBus(url, log);
  bus.open();
  return { bus, close: () => bus.close() };
}

async function openLimits(url: string | undefined, options: StoreOptions) {
  if (url === undefined) return { store: new MemoryLimitStore(), close: () => undefined };
  const { RedisLimitStore } = await import('../../storage/limits/redis-limit-store.ts');
  const store = new RedisLimitStore({ url, ...options });
  await store.connect();
  return { store, close: () => store.stop() };
}

async function openClaims(url: string | undefined, options: StoreOptions) {
  if (url === undefined) return { claims: null, close: () => undefined };
  const { RedisClaims } = await import('../../storage/redis-claims.ts');
  const claims = new RedisClaims({ url, ...options });
  await claims.open();
  return { claims, close: () => claims.close() };
}

async function openReasoning(url: string | undefined, masterKey: string, options: StoreOptions) {
  if (url === undefined) return { store: new MemoryReasoningStore(), close: () => undefined };
  const { RedisReasoningStore } = await import('../../storage/redis-reasoning-store.ts');
  const store = new RedisReasoningStore({ url, masterKey, ...options });
  void store.open();
  return { store, close: () => store.close() };
}
