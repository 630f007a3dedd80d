import { setTimeout as sleep } from 'node:timers/promises';
import { closeConnections, CONCURRENCY, loads, openStreams, send, type Target } from './load.ts';
import { cpuMicroseconds, keepApart, type Started } from './processes.ts';
import { median } from './report.ts';
import { startProxy, startSluice, startUpstream } from './targets.ts';
import { connectionsOf, imbalanceOf } from './worker-connections.ts';
import { measureOwnCore } from './worker-own-core.ts';

const WORKERS = 2;
/** Of each process: each compiles its own code, the last of it late: after 30,000, compilation is still a fifth of what they use. */
const WARM_UP = 150_000;
const WARM_UP_OF_PROXY = 30_000;
const WARM_UP_TURNS = 20;
const REQUESTS = 9_000;
const TURNS = 6;
/** The journal is drained every 250 ms: what is drained belongs to the turn that wrote it. */
const DRAIN_MS = 300;
const CONNECTIONS = 200;
/**
 * What is intended: CPU of a small request with two workers and their supervisor, against one process with as many connections as
 * both have. The more connections a process has, the more requests it handles per turn of its event loop, and the less each costs,
 * with or without workers: the figure with as many connections per worker as that process has is reported beside it.
 */
const MAX_RATIO = 1.1;
/** What is intended: how far the connections of a worker are from their mean. */
const MAX_IMBALANCE = 0.2;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** One process and several of the same program. */
interface Pair {
  readonly name: string;
  readonly one: Target & Started;
  readonly several: Target & Started;
  /** Requests of each process. */
  readonly warmUp: number;
}

/** Of each round. */
interface Ratios {
  /** With as many connections per process. */
  readonly perProcess: number[];
  /** With as many connections in all. */
  readonly inAll: number[];
}

/**
 * Sends small requests to one process and to a supervisor with two workers without Redis, in turns, and counts the connections
 * of each worker. Beside it, the same of the do-nothing proxy: what several processes on one core cost whatever they do.
 * @returns whether the ratio and the balance are within what is intended
 */
export async function reportWorkers(rounds: number): Promise<boolean> {
  const upstream = await startUpstream();
  const one = await startSluice(upstream.origin, undefined, 'one process', { WORKERS: '1' });
  const several = await startSluice(upstream.origin, undefined, `${WORKERS} workers`, { WORKERS: String(WORKERS) });
  const proxy = await startProxy(upstream.origin);
  const proxies = await startProxy(upstream.origin, WORKERS);
  try {
    const targets = [one, several, proxy, proxies];
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    const sluice = { name: 'Sluice', one, several, warmUp: WARM_UP };
    const reference = { name: 'do-nothing proxy', one: proxy, several: proxies, warmUp: WARM_UP_OF_PROXY };
    for (const pair of [sluice, reference]) await warm(pair);
    const figures = await measurePair(sluice, rounds);
    const referenceFigures = await measurePair(reference, rounds);
    const streams = await openStreams(several, CONNECTIONS);
    const counts = connectionsOf(several);
    await streams.close();
    const apart = await measureOwnCore(one, several, rounds);
    const [ratio, divided] = [median(figures.perProcess), median(figures.inAll)];
    const imbalance = imbalanceOf(counts);
    process.stdout.write(
      `Workers: ${ratio.toFixed(2)} times the CPU of a small request with ${CONCURRENCY} connections per process, ${divided.toFixed(2)} times with ${CONCURRENCY} in all, the supervisor's included; connections ${counts.join(' and ')}, at most ${(imbalance * 100).toFixed(0)} % from their mean.\n` +
        `The do-nothing proxy in ${WORKERS} processes of node:cluster: ${median(referenceFigures.perProcess).toFixed(2)} times and ${median(referenceFigures.inAll).toFixed(2)} times.\n` +
        `A worker on a core of its own, with ${CONCURRENCY} connections in all: ${median(apart).toFixed(2)} times, the supervisor's share included.\n`,
    );
    return divided <= MAX_RATIO && imbalance <= MAX_IMBALANCE;
  } finally {
    await closeConnections();
    await Promise.all([one, several, proxy, proxies].map((target) => target.stop()));
    await upstream.stop();
  }
}

async function warm({ one, several, warmUp: requests }: Pair): Promise<void> {
  for (let turn = 0; turn < WARM_UP_TURNS; turn++) {
    await send(one, loads.small, requests / WARM_UP_TURNS);
    await send(several, loads.small, (WORKERS * requests) / WARM_UP_TURNS);
  }
}

async function measurePair({ name, one, several }: Pair, rounds: number): Promise<Ratios> {
  const ratios: Ratios = { perProcess: [], inAll: [] };
  const measured = [
    { label: 'one process', target: one, connections: CONCURRENCY },
    { label: 'workers', target: several, connections: WORKERS * CONCURRENCY },
    { label: 'workers with the connections of one', target: several, connections: CONCURRENCY },
  ];
  for (let round = 1; round <= rounds; round++) {
    const costs = await measureRound(measured);
    const [alone = 0, together = 0, divided = 0] = costs;
    ratios.perProcess.push(together / alone);
    ratios.inAll.push(divided / alone);
    const each = measured.map(({ label }, at) => `${label} ${(costs[at] ?? 0).toFixed(1)} µs`);
    say(`${name}, round ${round} of ${rounds}, CPU of a request: ${each.join(', ')}`);
  }
  return ratios;
}

interface Measured {
  readonly target: Target;
  readonly connections: number;
}

/**
 * What a target uses while another one is sent requests is not counted: it would be more for several processes, the longer the other
 * ones take.
 * @returns the CPU of a request in microseconds, of each
 */
async function measureRound(measured: readonly Measured[]): Promise<number[]> {
  const used = measured.map(() => 0);
  for (let turn = 0; turn < TURNS; turn++)
    for (const [at, { target, connections }] of measured.entries()) {
      const before = cpuMicroseconds(target.pid);
      await send(target, loads.small, REQUESTS / TURNS, connections);
      await sleep(DRAIN_MS);
      used[at] = (used[at] ?? 0) + cpuMicroseconds(target.pid) - before;
    }
  return used.map((microseconds) => microseconds / REQUESTS);
}
