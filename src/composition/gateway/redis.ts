import type { Logger } from 'pino';
import type { Environment } from '../../config/environment.ts';
import { redisSettings, type RedisEnvironment, type RedisSettings } from '../../config/redis/redis-settings.ts';
import { MemoryResponseCache, type ResponseCache } from '../../gateway/cache/response-cache.ts';
import type { AbandonedClaims, SharedClaims } from '../../gateway/idempotency/shared-claims.ts';
import type { BudgetStore, LimitStore } from '../../gateway/limits/limit-store.ts';
import type { SharedPoints } from '../../graphql/limits/cost-meter.ts';
import { ProcessFeeds } from '../../live/feeds/process-feeds.ts';
import type { RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import type { LiveBus } from '../../live/live-bus.ts';
import type { SharedAttempts } from '../../services/accounts/sign-in-throttle.ts';
import type { SupervisorLink } from '../../workers/supervisor-link.ts';
import { WorkerLimitStore } from '../../gateway/limits/shared/worker-limit-store.ts';
import { MemoryLimitStore } from '../../gateway/limits/memory-limit-store.ts';
import type { RedisStoreOptions } from '../../storage/redis-options.ts';
import { MemoryReasoningStore, type ReasoningStore } from '../../gateway/reasoning/reasoning-memory.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';
import { WorkerClaims } from '../../gateway/idempotency/shared/worker-claims.ts';
import { workerAnswers } from '../worker-folders.ts';
import { claimMessages } from '../worker-claims.ts';
import { WorkerLiveBus } from '../../live/workers/worker-live-bus.ts';
import { busMessages } from '../worker-live.ts';
import { feedMessages } from '../worker-feeds.ts';
import { limitMessages } from './worker-limits.ts';

const MEGABYTE = 1024 * 1024;

export interface RedisOptions {
  readonly environment: RedisEnvironment & Pick<Environment, 'SLUICE_REDIS_TIMEOUT_MS'>;
  readonly masterKeys: MasterKeys;
  /** Of all workers. */
  readonly dataDir: string;
  /** From `sluice.yaml`. */
  readonly cache: { readonly redis?: string | undefined; readonly megabytes: number };
  /** Null where this process is no worker. */
  readonly supervisor: Pick<SupervisorLink, 'channel' | 'handlers'> | null;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

/**
 * State that processes share through Redis. Without Redis each process has its own, but for limits, idempotency keys and live
 * events: workers share theirs.
 */
export interface WiredRedis {
  readonly limits: LimitStore & BudgetStore;
  readonly cache: ResponseCache;
  /** Null where no other process serves the same accounts. */
  readonly bus: LiveBus | null;
  /** Completions and comparisons of other processes; null where no other process serves the same accounts. */
  readonly feeds: RemoteFeeds | null;
  /** Claims of idempotency keys; null where no other process serves the same accounts. */
  readonly claims: SharedClaims | null;
  /** Those of instances that do not run any more; null without Redis. */
  readonly abandonedClaims: AbandonedClaims | null;
  readonly reasoning: ReasoningStore;
  /** Sign-in attempts and points of the GraphQL API; null without Redis. */
  readonly throttles: (SharedAttempts & SharedPoints) | null;
  close(): void;
}

/** The Redis client is loaded only if it is used. */
export async function wireRedis(options: RedisOptions): Promise<WiredRedis> {
  const { environment, masterKeys, dataDir, cache, supervisor, log } = options;
  const { REDIS_URL: redis, SLUICE_REDIS_TIMEOUT_MS: timeoutMs } = environment;
  const common = { timeoutMs, log };
  const opened: (() => void)[] = [];
  /** What all processes share at a Redis address, or what this process has without one. */
  const open = async <T>(url: string | undefined, own: () => T, share: Share<T>): Promise<T> => {
    if (url === undefined) return own();
    const { store, close } = await share(redisSettings(environment, url));
    opened.push(close);
    return store;
  };
  const claims = await open<WiredClaims>(
    redis,
    () => ({ shared: supervisor && ownClaims(supervisor, dataDir), abandoned: null }),
    (servers) => sharedClaims({ servers, ...common }),
  );
  return {
    cache: await open<ResponseCache>(
      cache.redis ?? redis,
      () => new MemoryResponseCache(cache.megabytes * MEGABYTE),
      async (servers) => {
        const { RedisResponseCache } = await import('../../storage/redis-response-cache.ts');
        const store = new RedisResponseCache({ servers, ...common });
        void store.open();
        return { store, close: () => store.close() };
      },
    ),
    limits: await open<LimitStore & BudgetStore>(
      redis,
      () => {
        if (supervisor === null) return new MemoryLimitStore();
        const store = new WorkerLimitStore(limitMessages(supervisor.channel, supervisor.handlers));
        opened.push(() => store.stop());
        return store;
      },
      async (servers) => {
        const { RedisLimitStore } = await import('../../storage/limits/redis-limit-store.ts');
        const store = new RedisLimitStore({ servers, ...common });
        await store.connect();
        return { store, close: () => store.stop() };
      },
    ),
    bus: await open<LiveBus | null>(
      redis,
      () => supervisor && ownBus(supervisor, opened),
      (servers) => sharedBus(servers, log),
    ),
    feeds: await open<RemoteFeeds | null>(
      redis,
      () => supervisor && new ProcessFeeds(feedMessages(supervisor.channel, supervisor.handlers)),
      (servers) => sharedFeeds({ servers, ...common }),
    ),
    claims: claims.shared,
    abandonedClaims: claims.abandoned,
    reasoning: await open<ReasoningStore>(
      redis,
      () => new MemoryReasoningStore(),
      async (servers) => {
        const { RedisReasoningStore } = await import('../../storage/redis-reasoning-store.ts');
        const store = new RedisReasoningStore({ servers, masterKeys, ...common });
        void store.open();
        return { store, close: () => store.close() };
      },
    ),
    throttles: await open<(SharedAttempts & SharedPoints) | null>(redis, none, async (servers) => {
      const { RedisThrottles } = await import('../../storage/redis-throttles.ts');
      const store = new RedisThrottles({ servers, ...common });
      void store.open();
      return { store, close: () => store.close() };
    }),
    close: () => opened.forEach((close) => close()),
  };
}

function ownBus({ channel, handlers }: WorkerLink, opened: (() => void)[]): LiveBus {
  const bus = new WorkerLiveBus(busMessages(channel, handlers));
  opened.push(() => bus.close());
  return bus;
}

async function sharedBus(servers: RedisSettings, log: Pick<Logger, 'warn'>): ReturnType<Share<LiveBus>> {
  const { RedisLiveBus } = await import('../../storage/live/redis-live-bus.ts');
  const store = new RedisLiveBus(servers, log);
  store.open();
  return { store, close: () => store.close() };
}

async function sharedFeeds(options: RedisStoreOptions<Pick<Logger, 'warn'>>): ReturnType<Share<RemoteFeeds>> {
  const { RedisFeedMessages } = await import('../../storage/live/redis-feed-messages.ts');
  const messages = new RedisFeedMessages(options);
  messages.open();
  return { store: new ProcessFeeds(messages), close: () => messages.close() };
}

interface WiredClaims {
  readonly shared: SharedClaims | null;
  readonly abandoned: AbandonedClaims | null;
}

async function sharedClaims(options: RedisStoreOptions<Pick<Logger, 'warn'>>): ReturnType<Share<WiredClaims>> {
  const { RedisClaims } = await import('../../storage/redis-claims.ts');
  const claims = new RedisClaims(options);
  await claims.open();
  return { store: { shared: claims, abandoned: claims }, close: () => claims.close() };
}

function ownClaims({ channel }: WorkerLink, dataDir: string): SharedClaims {
  const answersOf = (slot: number): string => workerAnswers(dataDir, slot);
  return new WorkerClaims({ messages: claimMessages(channel), answersOf });
}

type WorkerLink = Pick<SupervisorLink, 'channel' | 'handlers'>;

type Share<T> = (servers: RedisSettings) => Promise<{ readonly store: T; readonly close: () => void }>;

function none(): null {
  return null;
}
