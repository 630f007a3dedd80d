import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGatewayCluster, type Cluster } from '../../harness/cluster/cluster.ts';
import { brokenPromises, readEvidence } from '../../harness/cluster/evidence.ts';
import { allFaults } from '../../harness/cluster/faults.ts';
import { Load } from '../../harness/cluster/load.ts';
import { runFaults, type Pace } from '../../harness/cluster/run-faults.ts';
import { watchEverywhere } from '../../harness/cluster/watch-everywhere.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { describeWithRedis } from '../../harness/redis.ts';
import { describeWithS3 } from '../../harness/s3.ts';
import { shared } from '../../harness/shared-resources.ts';

const PROCESSES = 4;
const WORKERS = { plain: 4, stream: 3, keyed: 2, budget: 2, file: 1 };
const PAUSE_MS = 20;
const READY_POLL_MS = 20;
/** Processes start several times: longer than the limit of other tests. */
const TIMEOUT_MS = 900_000;

/** Faults last as many requests, however long those take. */
const pace: Pace = {
  baseline: (load) => load.whenEnded(100),
  before: (load) => load.whenEnded(20),
  during: (load) => load.whenEnded(40),
  after: (load) => load.whenEnded(60),
  budgetNano: 4_000_000n,
};

describeWithRedis('four processes on one PostgreSQL, Redis and object store', () => {
  describeWithS3('under load', () => {
    describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('of a load balancer', () => {
      let cluster: Cluster;

      beforeAll(async () => {
        await shared('build');
        // Far longer than the balancer takes to notice.
        cluster = await startGatewayCluster(PROCESSES, { env: { SLUICE_SHUTDOWN_DELAY_MS: '5000' } });
      }, TIMEOUT_MS);

      afterAll(() => cluster?.stop());

      it('tell a subscriber at any process all of a completion at another, in order, once', async () => {
        const { completions, gaps } = await watchEverywhere(cluster, 'watched');
        expect(gaps).toBe(0);
        expect(completions).toHaveLength(PROCESSES);
        for (const { clientText, watched } of completions) {
          expect(clientText).not.toBe('');
          expect(watched).toEqual(watched.map(() => ({ text: clientText, ends: 1, lateMs: [] })));
        }
      });

      it(
        'restart one after the other without a failed request',
        async () => {
          const load = new Load(cluster, { workers: { ...WORKERS, budget: 0 }, pauseMs: PAUSE_MS });
          await load.whenEnded(50);
          for (const [at, each] of cluster.processes.entries()) {
            expect(await each.end('SIGTERM')).toBe(0);
            await each.start();
            while (!load.balancer.isReady(at)) await sleep(READY_POLL_MS);
            await load.whenEnded(20);
          }
          await load.stop();
          expect(load.outcomes.filter(({ isWhole }) => !isWhole)).toEqual([]);
          expect(brokenPromises(await readEvidence(cluster, load, new Map(), new Set()))).toEqual([]);
        },
        TIMEOUT_MS,
      );

      it(
        'lose nothing, bill nothing twice and overdraw no budget through any fault',
        async () => {
          const load = new Load(cluster, { workers: WORKERS, pauseMs: PAUSE_MS });
          expect(brokenPromises(await runFaults(cluster, load, allFaults(), pace))).toEqual([]);
        },
        TIMEOUT_MS,
      );
    });
  });
});
