import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeConnections, openStreams, send, type Target } from './load.ts';
import { cpuMicroseconds, keepApart, residentKb } from './processes.ts';
import { median, OTHER_CHECKOUT, type LoadResult, type MemoryResult, type Sample } from './report.ts';
import type { Row } from './rows.ts';
import { startPeers, type PeerPrograms } from './peers.ts';
import { startProxy, startSluice, type SluiceTarget } from './targets.ts';

/** Of each target in a round. */
const TURNS = 15;
const WARM_UP_TURNS = 100;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

export interface Targets {
  /** The origin of the upstream. */
  readonly upstream: string;
  /** None where absent. */
  readonly peers?: PeerPrograms | undefined;
  /** The built server of another checkout. */
  readonly against?: string;
}

/** Starts all targets for `work`, and stops them. */
export async function withTargets<T>(
  { upstream, peers, against }: Targets,
  work: (targets: readonly Target[]) => Promise<T>,
): Promise<T> {
  say(`Starting the proxy, PostgreSQL, Sluice${peers === undefined ? '' : ' and other gateways'} …`);
  const targets: Target[] = [];
  try {
    targets.push(await startProxy(upstream), await startSluice(upstream));
    if (against) targets.push(await startSluice(upstream, resolve(against), OTHER_CHECKOUT));
    if (peers !== undefined) targets.push(...(await startPeers(peers, upstream)));
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    await sleep(3_000);
    return await work(targets);
  } finally {
    await closeConnections();
    for (const target of targets) await target.stop();
  }
}

/** @param place which row of how many it is */
export async function measureRow(
  { load, isOfPeers }: Row,
  all: readonly Target[],
  rounds: number,
  place: string,
): Promise<LoadResult> {
  const { title, warmUp, requests } = load;
  const targets = all.filter((target) => isOfPeers || target.share === undefined);
  say(`[${place}] ${title}: warming up`);
  // In turns as well: a process that rests while others are warmed up lets go of compiled code.
  for (let turn = 0; turn < WARM_UP_TURNS; turn++)
    for (const target of targets) await send(target, load, Math.ceil(share(target, warmUp) / WARM_UP_TURNS));
  for (const target of targets) await target.settle();
  const samples = new Map<string, Sample[]>(targets.map((target) => [target.name, []]));
  for (let round = 1; round <= rounds; round++) {
    const measured = await measureRound(targets, load);
    for (const [target, sample] of measured) samples.get(target.name)?.push(sample);
    const costs = measured.map(([{ name }, { cpuMicros }]) => `${name} ${cpuMicros.toFixed(0)} µs`).join(', ');
    say(`[${place}] ${title}, round ${round} of ${rounds}, CPU of a request: ${costs}`);
  }
  return { title, requests, samples };
}

function share(target: Target, requests: number): number {
  return requests * (target.share ?? 1);
}

/** All targets take turns many times a second or so: a machine that slows down for a while slows them all. */
async function measureRound(targets: readonly Target[], load: Row['load']): Promise<(readonly [Target, Sample])[]> {
  const turns = targets.map((target) => {
    const database = 'databaseCpu' in target ? (target as SluiceTarget) : null;
    const [cpu, databaseCpu] = [cpuMicroseconds(target.pid), database?.databaseCpu() ?? 0];
    return { target, database, cpu, databaseCpu, times: [] as number[] };
  });
  for (let turn = 0; turn < TURNS; turn++)
    for (const { target, times } of turns)
      times.push(...(await send(target, load, Math.ceil(share(target, load.requests) / TURNS))));
  for (const { target } of turns) await target.settle();
  return turns.map(({ target, database, cpu, databaseCpu, times }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const sample = {
      cpuMicros: (cpuMicroseconds(target.pid) - cpu) / times.length,
      databaseMicros: database ? (database.databaseCpu() - databaseCpu) / times.length : 0,
      p50: median(times),
      p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    };
    return [target, sample] as const;
  });
}

export async function measureMemory(target: Target): Promise<MemoryResult> {
  const count = 1_000;
  const before = residentKb(target.pid);
  const streams = await openStreams(target, count);
  await sleep(3_000);
  const open = residentKb(target.pid);
  await streams.close();
  say(`${count} open streams: ${target.name} ${((open - before) / count).toFixed(0)} kB each`);
  return { name: target.name, beforeKb: before, perStreamKb: (open - before) / count };
}
