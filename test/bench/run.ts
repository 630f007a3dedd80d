import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { reportContentLogging } from './content-logging.ts';
import { reportContentStall } from './content-stall.ts';
import { reportContentVolume } from './content-volume.ts';
import { reportDashboard } from './dashboard.ts';
import { closeConnections, loads, openStreams, send, type Load, type LoadName, type Target } from './load.ts';
import { reportFaults } from './faults.ts';
import { reportMediaMemory } from './media-memory.ts';
import { cpuMicroseconds, keepApart, residentKb } from './processes.ts';
import {
  median,
  OTHER_CHECKOUT,
  together,
  writeReport,
  type LoadResult,
  type MemoryResult,
  type Sample,
} from './report.ts';
import { reportRelays } from './relays.ts';
import { reportUsageKey } from './usage-key.ts';
import { reportUsageVolume } from './usage-volume.ts';
import { reportSubscribers } from './subscribers.ts';
import { reportTracing } from './tracing.ts';
import { reportWorkers } from './workers.ts';
import { startPortkey, startProxy, startSluice, startUpstream, type SluiceTarget } from './targets.ts';

const usage = `Usage: npm run bench -- [options]

Measures a do-nothing proxy, Sluice on server PostgreSQL, and Portkey's gateway, in turns, over a local upstream.
Needs Debian's postgresql package, and npm for Portkey's. Writes test/bench/RESULTS.md when nothing is left out.

  --rounds N        turns of each (default 15)
  --starts N        of all targets, each with as many rounds (default 1): one process is faster than another of the same code
                    by a few per cent, so that a small difference needs several
  --only LIST       of small, stream, large, translated, responses, messages, gemini, memory (default all); or media alone: what uploads take of memory;
                    or usage alone: what a long usage log costs, in test/bench/USAGE.md; or usage-key alone: what its primary key
                    costs, in the same file; or subscribers alone: how late 1,000
                    who watch one completion hear of it; or dashboard alone: what its pages ask of a browser, in
                    test/bench/DASHBOARD.md, which needs Chromium; or content alone: what content logging costs a small request;
                    or tracing alone: what exporting telemetry costs a small request;
                    or relays alone: what streams of other protocols cost next to that of Chat Completions;
                    or workers alone: what a small request costs with two workers against one process, and how connections
                    are balanced;
                    or content-stall alone: what requests notice while their content cannot be stored for 30 s;
                    or content-volume alone: what filters and search take in a long log with content, in test/bench/CONTENT.md;
                    or faults alone: what clients notice of faults in a cluster of four processes, and whether all is accounted
                    for, in test/bench/FAULTS.md; it needs Debian's postgresql and redis-server, and SeaweedFS
  --minutes N       of faults (default 10; a shorter run writes no report)
  --rows N          of usage (default 10000000, which takes 10 GB and some 20 minutes), of usage-key and content-volume (default 1000000)
  --without portkey leaves Portkey out
  --against DIR     also measures the built server of another checkout, such as the one before a change, in the same turns
`;

const names: readonly LoadName[] = ['small', 'stream', 'large', 'translated', 'responses', 'messages', 'gemini'];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    starts: { type: 'string', default: '1' },
    only: { type: 'string' },
    rows: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    without: { type: 'string' },
    against: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
if (values.only === 'media') process.exit((await reportMediaMemory()) ? 0 : 1);
if (values.only === 'subscribers') process.exit((await reportSubscribers()) ? 0 : 1);
if (values.only === 'dashboard') process.exit((await reportDashboard()) ? 0 : 1);
if (values.only === 'content') process.exit((await reportContentLogging(Number(values.rounds))) ? 0 : 1);
if (values.only === 'tracing') process.exit((await reportTracing(Number(values.rounds))) ? 0 : 1);
if (values.only === 'relays') process.exit((await reportRelays(Number(values.rounds))) ? 0 : 1);
if (values.only === 'workers') process.exit((await reportWorkers(Number(values.rounds))) ? 0 : 1);
if (values.only === 'content-stall') process.exit((await reportContentStall(Number(values.rounds))) ? 0 : 1);
if (values.only === 'faults') process.exit((await reportFaults(Number(values.minutes))) ? 0 : 1);
if (values.only === 'content-volume')
  process.exit((await reportContentVolume(Number(values.rows ?? 1_000_000))) ? 0 : 1);
if (values.only === 'usage') {
  await reportUsageVolume(Number(values.rows ?? 10_000_000));
  process.exit(0);
}
if (values.only === 'usage-key') {
  await reportUsageKey(Number(values.rows ?? 1_000_000));
  process.exit(0);
}
const rounds = Number(values.rounds);
const starts = Number(values.starts);
const only = values.only?.split(',') ?? [...names, 'memory'];
/** Of each target in a round. */
const TURNS = 15;
const WARM_UP_TURNS = 100;
const say = (text: string): void => void process.stderr.write(`${text}\n`);

say('Starting the upstream …');
const upstream = await startUpstream();
// On processes of their own: what 1,000 streams leave behind would be in every figure that follows.
const memory = only.includes('memory') ? await withTargets((targets) => eachOf(targets, measureMemory)) : [];
const measured: LoadResult[][] = [];
for (let begun = 1; begun <= starts; begun++) {
  if (starts > 1) say(`Start ${begun} of ${starts}`);
  measured.push(
    await withTargets((targets) =>
      eachOf(
        names.filter((name) => only.includes(name)),
        (name) => measure(name, targets),
      ),
    ),
  );
}
const results = together(measured);
await upstream.stop();

writeReport({
  results,
  memory,
  rounds: rounds * starts,
  whole: values.only === undefined && values.without === undefined && values.against === undefined,
});
async function withTargets<T>(work: (targets: readonly Target[]) => Promise<T>): Promise<T> {
  say('Starting the proxy, PostgreSQL, Sluice and Portkey …');
  const targets = [await startProxy(upstream.origin), await startSluice(upstream.origin)];
  if (values.against) targets.push(await startSluice(upstream.origin, resolve(values.against), OTHER_CHECKOUT));
  if (values.without !== 'portkey') targets.push(await startPortkey(upstream.origin));
  for (const target of targets) await target.settle();
  keepApart(targets.map(({ pid }) => pid));
  await sleep(3_000);
  const result = await work(targets);
  await closeConnections();
  for (const target of targets) await target.stop();
  return result;
}

async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

async function measure(name: LoadName, all: readonly Target[]): Promise<LoadResult> {
  const load = loads[name];
  const { title, warmUp, requests } = load;
  // Portkey serves chats only.
  const targets = 'proxyPath' in load || 'path' in load ? all.filter((target) => target.name !== 'Portkey') : all;
  say(`${title}: warming up`);
  // In turns as well: a process that rests while others are warmed up lets go of compiled code.
  for (let turn = 0; turn < WARM_UP_TURNS; turn++)
    for (const target of targets) await send(target, load, Math.ceil(share(target, warmUp) / WARM_UP_TURNS));
  for (const target of targets) await target.settle();
  const samples = new Map<string, Sample[]>(targets.map((target) => [target.name, []]));
  for (let round = 1; round <= rounds; round++)
    for (const [target, sample] of await measureRound(targets, load)) {
      samples.get(target.name)?.push(sample);
      say(`${title}, round ${round} of ${rounds}: ${target.name} ${sample.cpuMicros.toFixed(0)} µs a request`);
    }
  return { title, requests, samples };
}

/** Portkey's takes so much longer that a quarter says as much. */
function share(target: Target, requests: number): number {
  return target.name === 'Portkey' ? requests / 4 : requests;
}

/** All targets take turns many times a second or so: a machine that slows down for a while slows them all. */
async function measureRound(targets: readonly Target[], load: Load): Promise<(readonly [Target, Sample])[]> {
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

async function measureMemory(target: Target): Promise<MemoryResult> {
  const count = 1_000;
  const before = residentKb(target.pid);
  const streams = await openStreams(target, count);
  await sleep(3_000);
  const open = residentKb(target.pid);
  await streams.close();
  say(`${count} open streams: ${target.name} ${((open - before) / count).toFixed(0)} kB each`);
  return { name: target.name, beforeKb: before, perStreamKb: (open - before) / count };
}
