import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeConnections, CONCURRENCY, loads, openStreams, send } from './load.ts';
import { childrenOf, cpuMicroseconds, keepApart } from './processes.ts';
import { median } from './report.ts';
import { startSluice, startUpstream, type SluiceTarget } from './targets.ts';

const WORKERS = 2;
/** Of each process: each compiles its own code. */
const WARM_UP = 60_000;
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

interface Measured {
  readonly name: string;
  readonly target: SluiceTarget;
  readonly connections: number;
}

/**
 * Sends small requests to one process and to a supervisor with two workers without Redis, in turns, and counts the connections
 * of each worker.
 * @returns whether the ratio and the balance are within what is intended
 */
export async function reportWorkers(rounds: number): Promise<boolean> {
  const upstream = await startUpstream();
  const one = await startSluice(upstream.origin, undefined, 'one process', { WORKERS: '1' });
  const several = await startSluice(upstream.origin, undefined, `${WORKERS} workers`, { WORKERS: String(WORKERS) });
  try {
    const targets = [one, several];
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    for (let turn = 0; turn < WARM_UP_TURNS; turn++) {
      await send(one, loads.small, WARM_UP / WARM_UP_TURNS);
      await send(several, loads.small, (WORKERS * WARM_UP) / WARM_UP_TURNS);
    }
    const ratios: number[] = [];
    const dividedRatios: number[] = [];
    const measured = [
      { name: 'one process', target: one, connections: CONCURRENCY },
      { name: 'workers', target: several, connections: WORKERS * CONCURRENCY },
      { name: 'workers with the connections of one', target: several, connections: CONCURRENCY },
    ];
    for (let round = 1; round <= rounds; round++) {
      const costs = await measureRound(measured);
      const [alone = 0, together = 0, divided = 0] = costs;
      ratios.push(together / alone);
      dividedRatios.push(divided / alone);
      const each = measured.map(({ name }, at) => `${name} ${(costs[at] ?? 0).toFixed(1)} µs`);
      say(`round ${round} of ${rounds}, CPU of a request: ${each.join(', ')}`);
    }
    const streams = await openStreams(several, CONNECTIONS);
    const counts = connectionsOf(several);
    await streams.close();
    const [ratio, divided] = [median(ratios), median(dividedRatios)];
    const imbalance = imbalanceOf(counts);
    process.stdout.write(
      `Workers: ${ratio.toFixed(2)} times the CPU of a small request with ${CONCURRENCY} connections per process, ${divided.toFixed(2)} times with ${CONCURRENCY} in all, the supervisor's included; connections ${counts.join(' and ')}, at most ${(imbalance * 100).toFixed(0)} % from their mean.\n`,
    );
    return divided <= MAX_RATIO && imbalance <= MAX_IMBALANCE;
  } finally {
    await closeConnections();
    await Promise.all([one.stop(), several.stop()]);
    await upstream.stop();
  }
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

/** The clients' connections of each worker. Of Linux. */
function connectionsOf({ pid, url }: SluiceTarget): number[] {
  const sockets = establishedAt(Number(new URL(url).port));
  return childrenOf(pid).map((worker) => {
    const open = readdirSync(`/proc/${worker}/fd`).map((fd) => linkOf(`/proc/${worker}/fd/${fd}`));
    return open.filter((link) => sockets.has(link)).length;
  });
}

/** As links of file descriptors. */
function establishedAt(port: number): ReadonlySet<string> {
  const sockets = new Set<string>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const isOurs = Number.parseInt(local.split(':')[1] ?? '', 16) === port;
      if (isOurs && state === ESTABLISHED) sockets.add(`socket:[${inode}]`);
    }
  return sockets;
}

const ESTABLISHED = '01';

/** Empty for one that was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function imbalanceOf(counts: readonly number[]): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return Math.max(...counts.map((count) => Math.abs(count - mean))) / mean;
}
