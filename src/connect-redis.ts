import type { Logger } from 'pino';
import { MemoryResponseCache, type ResponseCache } from './gateway/cache/response-cache.ts';
import type { SharedClaims } from './gateway/idempotency/shared-claims.ts';
import type { BudgetStore, LimitStore } from './gateway/limits/limit-store.ts';
import type { LiveBus } from './live/live-bus.ts';
import { MemoryLimitStore } from './gateway/limits/memory-limit-store.ts';
import { MemoryReasoningStore, type ReasoningStore } from './gateway/reasoning/reasoning-memory.ts';

const MEGABYTE = 1024 * 1024;

export interface SharedOptions {
  /** Of `REDIS_URL`. */
  readonly redis: string | undefined;
  /** The master key. */
  readonly secret: string;
  /** As `sluice.yaml` has it. */
  readonly cache: { readonly redis?: string | undefined; readonly megabytes: number };
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/** What several processes have in common where they have a Redis, and each has for itself else. */
export interface Shared {
  readonly limits: LimitStore & BudgetStore;
  readonly cache: ResponseCache;
  /** Null where there is one process. */
  readonly bus: LiveBus | null;
  /** Of idempotency keys; null where there is one process. */
  readonly claims: SharedClaims | null;
  readonly reasoning: ReasoningStore;
  close(): void;
}

/** Redis' client is loaded only where it is used. */
export async function connectRedis({ redis, secret, cache, log }: SharedOptions): Promise<Shared> {
  const answers = await openCache(cache.redis ?? redis, cache.megabytes, log);
  const limits = await openLimits(redis, log);
  const live = await openBus(redis, log);
  const repeated = await openClaims(redis, log);
  const reasoning = await openReasoning(redis, secret, log);
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

async function openCache(url: string | undefined, megabytes: number, log: SharedOptions['log']) {
  if (url === undefined) return { cache: new MemoryResponseCache(megabytes * MEGABYTE), close: () => undefined };
  const { RedisResponseCache } = await import('./storage/redis-response-cache.ts');
  const cache = new RedisResponseCache(url, log);
  cache.open();
  return { cache, close: () => cache.close() };
}

async function openBus(url: string | undefined, log: SharedOptions['log']) {
  if (url === undefined) return { bus: null, close: () => undefined };
  const { RedisLiveBus } = await import('./storage/live/redis-live-bus.ts');
  const bus = new RedisLiveBus(url, log);
  bus.open();
  return { bus, close: () => bus.close() };
}

async function openLimits(url: string | undefined, log: SharedOptions['log']) {
  if (url === undefined) return { store: new MemoryLimitStore(), close: () => undefined };
  const { RedisLimitStore } = await import('./storage/limits/redis-limit-store.ts');
  const store = new RedisLimitStore({ url, log });
  await store.connect();
  return { store, close: () => store.stop() };
}

async function openClaims(url: string | undefined, log: SharedOptions['log']) {
  if (url === undefined) return { claims: null, close: () => undefined };
  const { RedisClaims } = await import('./storage/redis-claims.ts');
  const claims = new RedisClaims(url, log);
  await claims.open();
  return { claims, close: () => claims.close() };
}

async function openReasoning(url: string | undefined, masterKey: string, log: SharedOptions['log']) {
  if (url === undefined) return { store: new MemoryReasoningStore(), close: () => undefined };
  const { RedisReasoningStore } = await import('./storage/redis-reasoning-store.ts');
  const store = new RedisReasoningStore({ url, masterKey, log });
  void store.open();
  return { store, close: () => store.close() };
}
