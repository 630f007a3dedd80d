import type { Clock } from '../calendar/clock.ts';
import type { RedisServers } from './redis/redis-servers.ts';

/**
 * Shorter than the second for which budgets are recounted: what other processes hold of a budget that a restarted Redis lost is
 * held again before the budget is in use.
 */
const MAX_PAUSE_MS = 500;
const SOCKET_TIMEOUT_MS = 5_000;

/** Options of each store in Redis. */
export interface RedisStoreOptions<Log> {
  readonly servers: RedisServers;
  readonly log: Log;
  /**
   * How long a command that a request waits for may take before Redis counts as unavailable; each store has its own default.
   */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock;
}

/**
 * Connection options of Redis clients. Pings detect a host that disappeared without closing the connection, also while
 * connecting.
 * @param timeoutMs of a command: sockets are not closed earlier
 */
export function redisOptions(timeoutMs = 0) {
  return {
    pingInterval: 2_000,
    socket: {
      connectTimeout: Math.max(2_000, timeoutMs),
      socketTimeout: Math.max(SOCKET_TIMEOUT_MS, timeoutMs),
      reconnectStrategy: (tries: number): number => Math.min(MAX_PAUSE_MS, 50 * 2 ** tries),
    },
  };
}
