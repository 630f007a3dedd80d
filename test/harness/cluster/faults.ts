import { childrenOf } from '../workers.ts';
import type { RedisProcess } from '../redis.ts';
import type { Cluster } from './cluster.ts';
import type { RedisKind } from './shared-redis.ts';

/** Something that happens to a part of a cluster while it serves. */
export interface Fault {
  readonly name: string;
  /** Redis, or one of its primaries, knows nothing any more afterwards: not which idempotency keys were used. */
  readonly losesClaims?: true;
  begin(cluster: Cluster): Promise<void>;
  end(cluster: Cluster): Promise<void>;
}

/** @returns a fault of one of several parts: each round has another one */
function inTurn<T>(
  name: string,
  partsOf: (cluster: Cluster) => readonly T[],
  begin: (part: T) => Promise<unknown>,
  end: (part: T) => Promise<unknown>,
): Fault {
  let round = -1;
  const chosen = (cluster: Cluster): T => {
    const parts = partsOf(cluster);
    const part = parts[round % parts.length];
    if (part === undefined) throw new Error('there is no such part');
    return part;
  };
  return {
    name,
    begin: async (cluster) => {
      round++;
      await begin(chosen(cluster));
    },
    end: async (cluster) => void (await end(chosen(cluster))),
  };
}

const processesOf = ({ processes }: Cluster): Cluster['processes'] => processes;
const primariesOf = ({ redis }: Cluster): readonly RedisProcess[] => redis.primaries;

/** In a Redis Cluster, each is one of a primary. */
export function redisFaults(kind: RedisKind): readonly Fault[] {
  const subject = kind === 'standalone' ? 'Redis' : 'a Redis primary';
  const owner = kind === 'standalone' ? 'Redis’' : 'a Redis primary’s';
  return [
    inTurn(
      `restart of ${subject}`,
      primariesOf,
      (each) => each.kill(),
      (each) => each.start(),
    ),
    {
      ...inTurn(
        `loss of ${owner} data`,
        primariesOf,
        async (each) => {
          await each.kill();
          each.removeData();
        },
        (each) => each.start(),
      ),
      losesClaims: true,
    },
    inTurn(
      `pause of ${subject}`,
      primariesOf,
      async (each) => each.pause(),
      async (each) => each.resume(),
    ),
  ];
}

function signalPostgres({ postgres: { pid } }: Cluster, signal: 'SIGSTOP' | 'SIGCONT'): void {
  // The server first: it starts no child meanwhile.
  process.kill(pid, signal);
  for (const child of childrenOf(pid)) process.kill(child, signal);
}

/** In the order in which they happen. */
export function allFaults(redis: RedisKind = 'standalone'): readonly Fault[] {
  return [
    inTurn(
      'kill -9 of a process',
      processesOf,
      (each) => each.end('SIGKILL'),
      (each) => each.start(),
    ),
    inTurn(
      'pause of a process',
      processesOf,
      async ({ pid }) => process.kill(pid, 'SIGSTOP'),
      async ({ pid }) => process.kill(pid, 'SIGCONT'),
    ),
    ...redisFaults(redis),
    {
      name: 'restart of PostgreSQL',
      begin: ({ postgres }) => postgres.kill(),
      end: ({ postgres }) => postgres.start(),
    },
    {
      name: 'pause of PostgreSQL',
      begin: async (cluster) => signalPostgres(cluster, 'SIGSTOP'),
      end: async (cluster) => signalPostgres(cluster, 'SIGCONT'),
    },
    { name: 'restart of the object store', begin: ({ s3 }) => s3.kill(), end: ({ s3 }) => s3.start() },
    {
      name: 'pause of the object store',
      begin: async ({ s3 }) => s3.pause(),
      end: async ({ s3 }) => s3.resume(),
    },
  ];
}
