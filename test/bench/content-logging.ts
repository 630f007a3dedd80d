import { closeConnections, loads, send, type Target } from './load.ts';
import { cpuMicroseconds, keepApart } from './processes.ts';
import { median } from './report.ts';
import { startSluice, startUpstream } from './targets.ts';

const WARM_UP = 60_000;
const WARM_UP_TURNS = 20;
const REQUESTS = 6_000;
const TURNS = 6;
/** What is intended: CPU of a small request with content logging, against one without. */
const MAX_RATIO = 1.3;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Sends small requests to a server that logs nothing and to one that logs all content, in turns. The CPU of a request includes
 * its redaction, compression, encryption and storage, for which no response waits.
 * @returns whether the ratio is within what is intended, and nothing was dropped
 */
export async function reportContentLogging(rounds: number): Promise<boolean> {
  const upstream = await startUpstream();
  const off = await startSluice(upstream.origin, undefined, 'content logging off', { SLUICE_STORE_CONTENT: 'off' });
  const full = await startSluice(upstream.origin, undefined, 'content logging full', { SLUICE_STORE_CONTENT: 'full' });
  try {
    const targets = [off, full];
    for (const target of targets) await target.settle();
    keepApart(targets.map(({ pid }) => pid));
    for (let turn = 0; turn < WARM_UP_TURNS; turn++)
      for (const target of targets) await send(target, loads.small, WARM_UP / WARM_UP_TURNS);
    const ratios: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const [without = 0, within = 0] = await measureRound(targets);
      ratios.push(within / without);
      say(
        `round ${round} of ${rounds}: ${without.toFixed(0)} µs a request, ${within.toFixed(0)} µs with content logging`,
      );
    }
    const dropped = await counterOf(full, 'sluice_content_dropped_total');
    const ratio = median(ratios);
    process.stdout.write(
      `Content logging: ${ratio.toFixed(2)} times the CPU of a small request; ${dropped} dropped.\n`,
    );
    return ratio <= MAX_RATIO && dropped === 0;
  } finally {
    await closeConnections();
    await Promise.all([off.stop(), full.stop()]);
    await upstream.stop();
  }
}

/** @returns the CPU of a request in microseconds, of each target */
async function measureRound(targets: readonly Target[]): Promise<number[]> {
  for (const target of targets) await whenStored(target);
  const before = targets.map(({ pid }) => cpuMicroseconds(pid));
  for (let turn = 0; turn < TURNS; turn++)
    for (const target of targets) await send(target, loads.small, REQUESTS / TURNS);
  for (const target of targets) await whenStored(target);
  return targets.map(({ pid }, at) => (cpuMicroseconds(pid) - (before[at] ?? 0)) / REQUESTS);
}

export async function whenStored(target: Target): Promise<void> {
  await target.settle();
  while ((await counterOf(target, 'sluice_content_queue_bytes')) > 0)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

export async function counterOf({ url }: Pick<Target, 'url'>, name: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1];
  if (value === undefined) throw new Error(`There is no metric ${name}.`);
  return Number(value);
}
