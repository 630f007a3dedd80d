import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { counterOf, whenStored } from './content-logging.ts';
import { closeConnections, send, type Load, type Target } from './load.ts';
import { residentKb } from './processes.ts';
import { startSluice, startUpstream, type SluiceTarget } from './targets.ts';

const STALL_MS = 30_000;
const WARM_UP = 10_000;
const WARM_UP_TURNS = 20;
/** Requests to each server in a turn. */
const TURN_REQUESTS = 500;
/** What is intended: the 99th percentile of all times, against logging off. That of one round varies by more than this. */
const MAX_RATIO = 1.1;
const MAX_GROWTH_MB = 64;
/** 10 kB, so that the content of all does not fit into memory. */
const load: Load = {
  title: '10 kB prompt',
  warmUp: WARM_UP,
  requests: TURN_REQUESTS,
  body: JSON.stringify({
    model: 'openai/gpt-4.1-mini',
    messages: [{ role: 'user', content: 'word '.repeat(2_000) }],
  }),
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/**
 * Sends requests to a server that logs nothing and to one that logs all content, whose table of content is locked meanwhile, in
 * turns. A request that fails ends the run.
 * @returns whether times, memory and the count of dropped content are as intended
 */
export async function reportContentStall(rounds: number): Promise<boolean> {
  const upstream = await startUpstream();
  const off = await startSluice(upstream.origin, undefined, 'content logging off', { SLUICE_STORE_CONTENT: 'off' });
  const full = await startSluice(upstream.origin, undefined, 'content logging full', { SLUICE_STORE_CONTENT: 'full' });
  const client = new Client({ connectionString: full.databaseUrl });
  await client.connect();
  try {
    for (let turn = 0; turn < WARM_UP_TURNS; turn++)
      for (const target of [off, full]) await send(target, load, load.warmUp / WARM_UP_TURNS);
    await whenStored(full);
    const results: Stall[] = [];
    for (let round = 1; round <= rounds; round++) {
      const result = await stall(off, full, client);
      results.push(result);
      say(`round ${round} of ${rounds}: ${shown(result)}`);
    }
    const [without, within] = [0, 1].map((at) => p99Of(results.flatMap(({ times }) => times[at] ?? [])));
    const ratio = (within ?? Infinity) / (without ?? Infinity);
    const growth = Math.max(...results.map((each) => each.growthMb));
    const isExact = results.every((each) => each.isExact);
    process.stdout.write(
      `Content stalled for ${STALL_MS / 1_000} s, ${rounds} times: p99 of all requests ${ratio.toFixed(2)} times that with logging off; memory grew by at most ${growth} MB; ` +
        `what was dropped is ${isExact ? '' : 'not '}counted exactly.\n`,
    );
    return ratio <= MAX_RATIO && growth <= MAX_GROWTH_MB && isExact;
  } finally {
    await client.end();
    await closeConnections();
    await Promise.all([off.stop(), full.stop()]);
    await upstream.stop();
  }
}

interface Stall {
  /** Of requests in milliseconds, without and with content logging. */
  readonly times: readonly (readonly number[])[];
  /** Of the resident memory, beyond that of the server that logs nothing. */
  readonly growthMb: number;
  readonly stored: number;
  readonly dropped: number;
  readonly isExact: boolean;
}

async function stall(off: Target, full: SluiceTarget, client: Client): Promise<Stall> {
  const targets = [off, full];
  const times: number[][] = targets.map(() => []);
  const sizes = targets.map(({ pid }) => residentKb(pid));
  const peaks = [...sizes];
  const before = await statesOf(client);
  const countersBefore = await countersOf(full);
  const startedAt = performance.now();
  await client.query('begin');
  await client.query('lock table logged_contents in access exclusive mode');
  let sent = 0;
  for (let turn = 0; performance.now() - startedAt < STALL_MS; turn++) {
    // Each is first in every other turn.
    for (const at of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const target = targets[at] ?? full;
      times[at]?.push(...(await send(target, load, TURN_REQUESTS)));
      peaks[at] = Math.max(peaks[at] ?? 0, residentKb(target.pid));
    }
    sent += TURN_REQUESTS;
  }
  await client.query('rollback');
  await whenStored(full);
  let after = await statesOf(client);
  while (after.stored + after.dropped < before.stored + before.dropped + sent) {
    await sleep(200);
    after = await statesOf(client);
  }
  const counters = await countersOf(full);
  const [stored, dropped] = [after.stored - before.stored, after.dropped - before.dropped];
  const growths = peaks.map((peak, at) => peak - (sizes[at] ?? 0));
  return {
    times,
    growthMb: Math.round(((growths[1] ?? 0) - Math.max(0, growths[0] ?? 0)) / 1_024),
    stored,
    dropped,
    isExact:
      stored + dropped === sent &&
      counters.stored - countersBefore.stored === stored &&
      counters.dropped - countersBefore.dropped === dropped,
  };
}

function p99Of(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Infinity;
}

function shown({ times, growthMb, stored, dropped }: Stall): string {
  const [without, within] = times.map((each) => p99Of(each).toFixed(1));
  return `p99 ${without} ms, ${within} ms with content; ${growthMb} MB more; ${stored} stored, ${dropped} dropped`;
}

interface Counts {
  readonly stored: number;
  readonly dropped: number;
}

async function countersOf(target: Target): Promise<Counts> {
  return {
    stored: await counterOf(target, 'sluice_content_stored_total'),
    dropped: await counterOf(target, 'sluice_content_dropped_total'),
  };
}

/** What the rows say. */
async function statesOf(client: Client): Promise<Counts> {
  const { rows } = await client.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from logged_contents group by state',
  );
  return { stored: 0, dropped: 0, ...Object.fromEntries(rows.map(({ state, count }) => [state, count])) };
}
