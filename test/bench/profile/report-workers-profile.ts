import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeConnections, CONCURRENCY, loads, send } from '../load.ts';
import { cpuMicroseconds, keepApart } from '../processes.ts';
import { startSluice, startUpstream, type SluiceTarget } from '../targets.ts';
import { renderComparison, type Profiled } from './compare.ts';
import { summarize } from './summarize.ts';
import { INSPECTED, inspectorsOf, takeProfiles } from './take-profile.ts';

const WORKERS = 2;
/** Of each process. */
const WARM_UP = 150_000;
const WARM_UP_TURNS = 20;
const REQUESTS = 30_000;

/**
 * Profiles one process, and the supervisor with its workers, at the same small requests and with as many connections in all, and
 * prints what costs more in the latter.
 */
export async function reportWorkersProfile(): Promise<void> {
  const upstream = await startUpstream();
  const one = await startSluice(upstream.origin, undefined, 'one process', { ...INSPECTED, WORKERS: '1' });
  const several = await startSluice(upstream.origin, undefined, 'workers', { ...INSPECTED, WORKERS: String(WORKERS) });
  try {
    const targets = [one, several];
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    for (let turn = 0; turn < WARM_UP_TURNS; turn++) {
      await send(one, loads.small, WARM_UP / WARM_UP_TURNS);
      await send(several, loads.small, (WORKERS * WARM_UP) / WARM_UP_TURNS, CONCURRENCY);
    }
    const alone = await profile(one, 'one');
    const together = await profile(several, 'workers');
    process.stdout.write(renderComparison({ before: alone, after: together, requests: REQUESTS }));
  } finally {
    await closeConnections();
    await Promise.all([one.stop(), several.stop()]);
    await upstream.stop();
  }
}

async function profile(target: SluiceTarget, name: string): Promise<Profiled> {
  process.stderr.write(`${target.name}: profiling ${REQUESTS} requests\n`);
  const before = cpuMicroseconds(target.pid);
  const profiles = await takeProfiles(inspectorsOf(target.output()), async () => {
    await send(target, loads.small, REQUESTS, CONCURRENCY);
    await target.settle();
  });
  const cpuMicros = cpuMicroseconds(target.pid) - before;
  for (const [at, each] of profiles.entries())
    writeFileSync(join(tmpdir(), `sluice-${name}-${at}.cpuprofile`), JSON.stringify(each));
  return { summary: summarize(profiles), cpuMicros };
}
