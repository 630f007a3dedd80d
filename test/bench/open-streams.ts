import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openStreams, type Target } from './load.ts';
import { residentKb } from './processes.ts';
import { startProxy, startSluice, startUpstream } from './targets.ts';

const STREAMS = 10_000;
/** Opened at a time. */
const STEP = 500;
/** File descriptors of a process that are no streams. */
const OTHER_FILES = 1_000;
/** Between chunks of a stream. */
const PACE_MS = 5_000;
/** So that each stream had some chunks before memory is read. */
const REST_MS = 3 * PACE_MS;
/** What is intended of each stream, in kB. */
const MAX_STREAM_KB = 30;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Opens 10,000 paced streams on one process, and reads its resident memory before and with them. Each needs two file descriptors of
 * that process: with a low limit there are fewer streams.
 * @returns whether a stream of Sluice takes no more than intended
 */
export async function reportOpenStreams(): Promise<boolean> {
  const upstream = await startUpstream();
  try {
    await measure(await startProxy(upstream.origin));
    return (await measure(await startSluice(upstream.origin, undefined, undefined, { WORKERS: '1' }))) <= MAX_STREAM_KB;
  } finally {
    await upstream.stop();
  }
}

/** @returns kB per stream */
async function measure(target: Target): Promise<number> {
  const opened: { close(): Promise<void> }[] = [];
  try {
    await target.settle();
    const restKb = residentKb(target.pid);
    const total = Math.min(STREAMS, Math.floor((maxOpenFiles(target.pid) - OTHER_FILES) / 2 / STEP) * STEP);
    for (let count = STEP; count <= total; count += STEP) {
      opened.push(await openStreams(target, STEP, PACE_MS));
      if (count % 1_000 === 0) say(`${target.name}: ${count} streams, ${megabytes(residentKb(target.pid))} MB`);
    }
    await sleep(REST_MS);
    const openKb = residentKb(target.pid);
    const each = (openKb - restKb) / total;
    process.stdout.write(
      `${target.name}, ${total} open streams: ${megabytes(openKb)} MB resident, ${megabytes(restKb)} MB without, ${each.toFixed(0)} kB per stream.\n`,
    );
    return each;
  } finally {
    for (const streams of opened) await streams.close();
    await target.stop();
  }
}

/** Node raises the limit of its process to the greatest that is allowed. */
function maxOpenFiles(pid: number): number {
  return Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1] ?? NaN);
}

function megabytes(kb: number): string {
  return (kb / 1_024).toFixed(0);
}
