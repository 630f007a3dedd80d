import { parseArgs } from 'node:util';
import { loads, openStreams, send, type LoadName, type Target } from './load.ts';
import { cpuMicroseconds, residentKb } from './processes.ts';
import { median, writeReport, type LoadResult, type MemoryResult, type Sample } from './report.ts';
import { startPortkey, startProxy, startSluice, startUpstream, type SluiceTarget } from './targets.ts';

const usage = `Usage: npm run bench -- [options]

Measures a do-nothing proxy, Sluice on server PostgreSQL, and Portkey's gateway, in turns, over a local upstream.
Needs Debian's postgresql package, and npm for Portkey's. Writes test/bench/RESULTS.md when nothing is left out.

  --rounds N        turns of each (default 7)
  --only LIST       of small, stream, large, memory (default all)
  --without portkey leaves Portkey out
`;

const names: readonly LoadName[] = ['small', 'stream', 'large'];
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    only: { type: 'string' },
    without: { type: 'string' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(usage);
  process.exit(0);
}
const rounds = Number(values.rounds);
const only = values.only?.split(',') ?? [...names, 'memory'];
const say = (text: string): void => void process.stderr.write(`${text}\n`);

say('Starting the upstream, the proxy, PostgreSQL and Sluice …');
const upstream = await startUpstream();
const sluice = await startSluice(upstream.origin);
await sluice.settle();
await new Promise((resolve) => setTimeout(resolve, 3_000));
const sluiceAtRest = residentKb(sluice.pid);
const proxy = await startProxy(upstream.origin);
const portkey = values.without === 'portkey' ? null : await startPortkey(upstream.origin);
const targets: Target[] = [proxy, sluice, ...(portkey ? [portkey] : [])];

// First, while the processes are fresh: memory that a load has taken is not given back.
const memory: MemoryResult[] = [];
if (only.includes('memory')) for (const target of targets) memory.push(await measureMemory(target));
const results: LoadResult[] = [];
for (const name of names.filter((each) => only.includes(each))) results.push(await measure(name));

writeReport({
  results,
  memory,
  sluiceAtRestKb: sluiceAtRest,
  rounds,
  whole: values.only === undefined && portkey !== null,
});
await Promise.all([proxy.stop(), portkey?.stop()]);
await sluice.stop();
await upstream.stop();

async function measure(name: LoadName): Promise<LoadResult> {
  const { title, body, warmUp, requests } = loads[name];
  say(`${title}: warming up`);
  for (const target of targets) {
    await send(target, body, share(target, warmUp));
    await target.settle();
  }
  const samples = new Map<string, Sample[]>(targets.map((target) => [target.name, []]));
  for (let round = 1; round <= rounds; round++)
    for (const target of targets) {
      const sample = await measureOnce(target, body, share(target, requests));
      samples.get(target.name)?.push(sample);
      say(`${title}, round ${round} of ${rounds}: ${target.name} ${sample.cpuMicros.toFixed(0)} µs a request`);
    }
  return { title, requests, samples };
}

/** Portkey's takes so much longer that a quarter says as much. */
function share(target: Target, requests: number): number {
  return target.name === 'Portkey' ? requests / 4 : requests;
}

async function measureOnce(target: Target, body: string, requests: number): Promise<Sample> {
  const database = 'databaseCpu' in target ? (target as SluiceTarget) : null;
  const databaseBefore = database?.databaseCpu() ?? 0;
  const before = cpuMicroseconds(target.pid);
  const times = (await send(target, body, requests)).toSorted((a, b) => a - b);
  await target.settle();
  return {
    cpuMicros: (cpuMicroseconds(target.pid) - before) / requests,
    databaseMicros: database ? (database.databaseCpu() - databaseBefore) / requests : 0,
    p50: median(times),
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

async function measureMemory(target: Target): Promise<MemoryResult> {
  const count = 1_000;
  const before = residentKb(target.pid);
  const streams = await openStreams(target, count);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const open = residentKb(target.pid);
  await streams.close();
  say(`${count} open streams: ${target.name} ${((open - before) / count).toFixed(0)} kB each`);
  return { name: target.name, beforeKb: before, perStreamKb: (open - before) / count };
}
