import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONCURRENCY, loads, sendEvenly, type Target } from './load.ts';
import { bind, childrenOf, cpuOf } from './processes.ts';
import { connectionsOf } from './worker-connections.ts';

const WARM_UP = 20_000;
const REQUESTS = 9_600;
const TURNS = 6;
/** As in the other figures: what is drained belongs to the turn that wrote it. */
const DRAIN_MS = 300;

/**
 * Workers that share a core evict each other's code and data from its caches; on a machine with a core for each they do not. The
 * first worker gets the measured core, and the other one and the supervisor run beside the clients.
 * @returns of each round, the CPU of a request with the supervisor's share, against that of one process on the same core
 */
export async function measureOwnCore(one: Target, several: Target, rounds: number): Promise<number[]> {
  const [worker = 0, ...others] = childrenOf(several.pid);
  for (const pid of [several.pid, ...others]) bind(pid, `1-${cpus().length - 1}`);
  const earlier = connectionsOf(several);
  for (const target of [one, several]) {
    // Opened one after another, connections go to the workers in turn.
    for (let opened = 1; opened <= CONCURRENCY; opened++) await sendEvenly(target, loads.small, opened, opened);
    await sendEvenly(target, loads.small, WARM_UP, CONCURRENCY);
  }
  const [first = 0, ...rest] = connectionsOf(several).map((count, at) => count - (earlier[at] ?? 0));
  const share = first / (first + rest.reduce((sum, count) => sum + count, 0));
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    let alone = 0;
    let apart = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      alone += await cpuDuringTurn(one, () => cpuOf(one.pid));
      apart += await cpuDuringTurn(several, () => cpuOf(worker) / share + cpuOf(several.pid));
    }
    ratios.push(apart / alone);
    const [costAlone, costApart] = [alone, apart].map((used) => (used / REQUESTS).toFixed(1));
    process.stderr.write(
      `Core of its own, round ${round} of ${rounds}, CPU of a request: one process ${costAlone} µs, a worker with ${first} of ${CONCURRENCY} connections ${costApart} µs\n`,
    );
  }
  return ratios;
}

async function cpuDuringTurn(target: Target, used: () => number): Promise<number> {
  const before = used();
  await sendEvenly(target, loads.small, REQUESTS / TURNS, CONCURRENCY);
  await sleep(DRAIN_MS);
  return used() - before;
}
