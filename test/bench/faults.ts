import { setTimeout as sleep } from 'node:timers/promises';
import { startGatewayCluster } from '../harness/cluster/cluster.ts';
import { brokenPromises } from '../harness/cluster/evidence.ts';
import { allFaults } from '../harness/cluster/faults.ts';
import { Load } from '../harness/cluster/load.ts';
import { runFaults, type Pace } from '../harness/cluster/run-faults.ts';
import type { RedisKind } from '../harness/cluster/shared-redis.ts';
import { watchEverywhere } from '../harness/cluster/watch-everywhere.ts';
import { liveFigures, notAnswered, writeFaultsReport } from './faults-report.ts';

const PROCESSES = 4;
/** Some 30 requests a second for each process: the machine has to serve, to provide and to ask. */
const WORKERS = { plain: 6, stream: 4, keyed: 3, budget: 2, file: 1 };
const PAUSE_MS = 200;
const MIN_BASELINE_S = 10;
const BASELINE_SHARE = 0.1;
const PAUSE_S = 5;
const BEFORE_S = 2;
/** What is left of a round after this belongs to the time after the fault. */
const MIN_AFTER_S = 4;
/** Of a round, of which there are as many as fit. */
const ROUND_S = 20;
/** A budget ends about when its fault does, at two clients that send nine requests a second each. */
const BUDGET_NANO_PER_SECOND = 1_500_000;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Four processes under load, while faults happen to them and to what they stand on.
 * @param minutes of load, without starts and the last accounts
 * @returns whether every promise was kept
 */
export async function reportFaults(minutes: number, redis: RedisKind): Promise<boolean> {
  const seconds = minutes * 60;
  const baselineS = Math.max(MIN_BASELINE_S, seconds * BASELINE_SHARE);
  const kinds = allFaults(redis);
  const rounds = Math.max(1, Math.floor((seconds - baselineS) / (kinds.length * ROUND_S)));
  const roundS = (seconds - baselineS) / (kinds.length * rounds);
  const afterS = Math.max(MIN_AFTER_S, roundS - BEFORE_S - PAUSE_S);
  const pace: Pace = {
    baseline: () => sleep(baselineS * 1_000),
    before: () => sleep(BEFORE_S * 1_000),
    during: () => sleep(PAUSE_S * 1_000),
    after: () => sleep(afterS * 1_000),
    budgetNano: BigInt(Math.round(BUDGET_NANO_PER_SECOND * (BEFORE_S + PAUSE_S))),
  };
  say(`Starting ${PROCESSES} processes, PostgreSQL, Redis (${redis}) and the object store …`);
  const cluster = await startGatewayCluster(PROCESSES, { redis });
  try {
    const live = await watchEverywhere(cluster, 'clock');
    const load = new Load(cluster, { workers: WORKERS, pauseMs: PAUSE_MS });
    say(`baseline, ${baselineS.toFixed(0)} s`);
    const faults = Array.from({ length: rounds }, () => kinds).flat();
    let count = 0;
    const evidence = await runFaults(cluster, load, faults, pace, (name) => {
      const failed = notAnswered(load.outcomes).length;
      say(`${++count} of ${faults.length}: ${name} (${load.outcomes.length} requests, ${failed} not answered so far)`);
    });
    const broken = brokenPromises(evidence);
    const figures = liveFigures(live.completions);
    if (live.gaps > 0) broken.push(`${live.gaps} gaps in live events`);
    if (!figures.isWhole) broken.push('subscribers did not see every event in order, once');
    writeFaultsReport({ minutes, redis, rounds, evidence, faults: kinds, broken, live: figures });
    return broken.length === 0;
  } finally {
    await cluster.stop();
  }
}
