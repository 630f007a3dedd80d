import { startCluster } from '../redis-cluster.ts';
import { startRedis, type RedisProcess } from '../redis.ts';

export const redisKinds = ['standalone', 'cluster'] as const;
export type RedisKind = (typeof redisKinds)[number];

/** What the processes of a cluster share. */
export interface SharedRedis {
  readonly url: string;
  /** The one server, or the primaries of a Redis Cluster. */
  readonly primaries: readonly RedisProcess[];
  stop(): Promise<void>;
}

/** They have their data again after a restart. */
const DURABLE = ['--appendonly', 'yes'];

export async function startSharedRedis(kind: RedisKind): Promise<SharedRedis> {
  if (kind === 'standalone') {
    const redis = await startRedis(DURABLE);
    return { url: redis.url, primaries: [redis], stop: () => redis.stop() };
  }
  const { url, nodes, stop } = await startCluster(DURABLE);
  return { url, primaries: nodes, stop };
}
