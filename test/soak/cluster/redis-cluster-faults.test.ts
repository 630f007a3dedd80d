import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayCluster, type Cluster } from '../../harness/cluster/cluster.ts';
import { brokenPromises } from '../../harness/cluster/evidence.ts';
import { redisFaults } from '../../harness/cluster/faults.ts';
import { Load } from '../../harness/cluster/load.ts';
import { runFaults, type Pace } from '../../harness/cluster/run-faults.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { describeWithRedis } from '../../harness/redis.ts';
import { describeWithS3 } from '../../harness/s3.ts';
import { shared } from '../../harness/shared-resources.ts';

const PROCESSES = 4;
const WORKERS = { plain: 2, stream: 1, keyed: 2, budget: 3, file: 0 };
const PAUSE_MS = 20;
/** Processes start, and each primary several times: longer than the limit of other tests. */
const TIMEOUT_MS = 900_000;

/** Faults last as many requests, however long those take. */
const pace: Pace = {
  baseline: (load) => load.whenEnded(50),
  before: (load) => load.whenEnded(20),
  during: (load) => load.whenEnded(40),
  after: (load) => load.whenEnded(60),
  budgetNano: 4_000_000n,
};

describeWithRedis('four processes on one PostgreSQL, object store and Redis Cluster', () => {
  describeWithS3('under load', () => {
    describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('of a load balancer', () => {
      let cluster: Cluster;

      beforeAll(async () => {
        await shared('build');
        cluster = await startGatewayCluster(PROCESSES, { redis: 'cluster' });
      }, TIMEOUT_MS);

      afterAll(() => cluster?.stop());

      it(
        'lose nothing, bill nothing twice and overdraw no budget through any fault of each primary',
        async () => {
          const load = new Load(cluster, { workers: WORKERS, pauseMs: PAUSE_MS });
          const kinds = redisFaults('cluster');
          const faults = cluster.redis.primaries.flatMap(() => kinds);
          expect(brokenPromises(await runFaults(cluster, load, faults, pace))).toEqual([]);
        },
        TIMEOUT_MS,
      );
    });
  });
});
