import { fileURLToPath } from 'node:url';
import { residentKb, start } from './processes.ts';
import { startSluice, startUpstream } from './targets.ts';

const SUBSCRIBERS = 1_000;
const TOKENS_PER_SECOND = 50;
const WARM_UP_S = 10;
const MEASURE_S = 20;
const ROUNDS = 3;
/** From the provider's write to the subscriber's read, in milliseconds. */
const MAX_TIME_MS = 100;
/** Of the gateway's resident memory, while it goes on as before, in MB. */
const MAX_GROWTH_MB = 30;

interface Figures {
  readonly tokens: number;
  readonly frames: number;
  readonly gaps: number;
  readonly closed: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

interface Round extends Figures {
  readonly restMb: number;
  readonly openMb: number;
  readonly endMb: number;
}

/** 1,000 sockets that watch one completion of 50 tokens a second, on the built server. */
async function measureRound(): Promise<Round> {
  const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const upstream = await startUpstream();
  const server = await startSluice(upstream.origin);
  try {
    await server.settle();
    const megabytes = (): number => residentKb(server.pid) / 1024;
    // What is loaded with the first of all subscribers is nobody's.
    const watch = [here('subscribers-client.ts'), server.url, (server.headers.authorization ?? '').slice(7)];
    await ended(await start([...watch, '1', '1', '1'], /figures/));
    const restMb = megabytes();
    const client = await start([...watch, String(SUBSCRIBERS), String(WARM_UP_S), String(MEASURE_S)], /ready/);
    await pause(WARM_UP_S);
    const openMb = megabytes();
    const output = await ended(client);
    const endMb = megabytes();
    const figures: Figures = JSON.parse(/figures (.*)/.exec(output)?.[1] ?? 'null');
    return { ...figures, restMb, openMb, endMb };
  } finally {
    await server.stop();
    await upstream.stop();
  }
}

async function ended(client: Awaited<ReturnType<typeof start>>): Promise<string> {
  const { process: child } = client;
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== 0) throw new Error(`the subscribers failed:\n${client.output()}`);
  return client.output();
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}

/** @returns whether the best of a few rounds stays within the bounds: other work on the machine only adds to them */
export async function reportSubscribers(): Promise<boolean> {
  const rounds: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const each = await measureRound();
    rounds.push(each);
    process.stderr.write(`round ${round} of ${ROUNDS}: ${sentence(each)}\n`);
  }
  const [best] = rounds.toSorted((a, b) => a.p99 - b.p99);
  if (best === undefined) return false;
  process.stdout.write(
    `${SUBSCRIBERS} subscribers of one completion at ${TOKENS_PER_SECOND} tokens a second: ${sentence(best)}\n` +
      `Bounds: p99 ${MAX_TIME_MS} ms, ${MAX_GROWTH_MB} MB more while it goes on.\n`,
  );
  const all = SUBSCRIBERS * TOKENS_PER_SECOND * MEASURE_S;
  const isWhole = best.gaps === 0 && best.closed === 0 && best.tokens > all * 0.9;
  return isWhole && best.p99 < MAX_TIME_MS && best.endMb - best.openMb < MAX_GROWTH_MB;
}

function sentence(round: Round): string {
  const { p50, p99, most, tokens, frames, gaps, restMb, openMb, endMb } = round;
  const each = ((openMb - restMb) * 1024) / SUBSCRIBERS;
  return (
    `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, at most ${most.toFixed(0)} ms from the provider’s write to the subscriber; ` +
    `${tokens} tokens in ${frames} messages, ${gaps} gaps; ${restMb.toFixed(0)} MB at rest, ${openMb.toFixed(0)} MB with all ` +
    `of them (${each.toFixed(0)} kB each), ${endMb.toFixed(0)} MB at the end`
  );
}

if (import.meta.main) process.exit((await reportSubscribers()) ? 0 : 1);
