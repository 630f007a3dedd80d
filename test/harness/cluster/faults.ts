import { childrenOf } from '../workers.ts';
import type { Cluster, ClusterProcess } from './cluster.ts';

/** Something that happens to a part of a cluster while it serves. */
export interface Fault {
  readonly name: string;
  /** Redis knows nothing any more afterwards: not which idempotency keys were used. */
  readonly losesClaims?: true;
  begin(cluster: Cluster): Promise<void>;
  end(cluster: Cluster): Promise<void>;
}

/** In turn: each round has another process. @returns a fault of processes */
function ofProcess(
  name: string,
  begin: (process: ClusterProcess) => Promise<unknown>,
  end: (process: ClusterProcess) => Promise<unknown>,
): Fault {
  let round = -1;
  const chosen = ({ processes }: Cluster): ClusterProcess => {
    const process = processes[round % processes.length];
    if (process === undefined) throw new Error('there is no process');
    return process;
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

function signalPostgres({ postgres: { pid } }: Cluster, signal: 'SIGSTOP' | 'SIGCONT'): void {
  // The server first: it starts no child meanwhile.
  process.kill(pid, signal);
  for (const child of childrenOf(pid)) process.kill(child, signal);
}

/** In the order in which they happen. */
export function allFaults(): readonly Fault[] {
  return [
    ofProcess(
      'kill -9 of a process',
      (each) => each.end('SIGKILL'),
      (each) => each.start(),
    ),
    ofProcess(
      'pause of a process',
      async ({ pid }) => process.kill(pid, 'SIGSTOP'),
      async ({ pid }) => process.kill(pid, 'SIGCONT'),
    ),
    { name: 'restart of Redis', begin: ({ redis }) => redis.kill(), end: ({ redis }) => redis.start() },
    {
      name: 'loss of Redis’ data',
      losesClaims: true,
      begin: async ({ redis }) => {
        await redis.kill();
        redis.removeData();
      },
      end: ({ redis }) => redis.start(),
    },
    { name: 'pause of Redis', begin: async ({ redis }) => redis.pause(), end: async ({ redis }) => redis.resume() },
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
