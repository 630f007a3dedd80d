import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import type { Evidence } from '../harness/cluster/evidence.ts';
import type { Fault } from '../harness/cluster/faults.ts';
import type { Outcome } from '../harness/cluster/load.ts';
import type { RedisKind } from '../harness/cluster/shared-redis.ts';
import type { FollowedCompletion } from '../harness/cluster/watch-everywhere.ts';
import { withSection } from './faults-sections.ts';

const BASELINE = 'baseline';
/** A shorter run does not replace what a whole one has reported. */
const WHOLE_MINUTES = 10;
/** What a budget is for. */
const EXPECTED_REFUSAL = 'insufficient_quota';
const MAX_ADDED_MS = 100;

const INTRO = `# Faults in a cluster

Four processes, PostgreSQL, Redis, the object store (SeaweedFS), the provider and the clients share one machine. Clients send small and streamed requests, requests with an idempotency key, requests of a key with a budget, and uploads of files through a balancer that follows \`/readyz\` and retries only refused connections. A fault lasts 5 s; of a restart this is the time without the server, to which its start is added. The requests of a fault are those sent from its begin until some seconds after its end. Refusals of a key whose budget is used up count as answers.`;

const withoutRedis: Readonly<Record<RedisKind, string>> = {
  standalone:
    'Without Redis, requests of keys with a budget and with an idempotency key are refused (`limits_unavailable`, `idempotency_unavailable`): nobody knows what is left, or whether they ran.',
  cluster:
    'A fault of Redis is one of a primary, of another one each time. Without the primary of their account, requests of keys with a budget are refused (`limits_unavailable`), and without that of their idempotency key, requests with one (`idempotency_unavailable`): nobody knows what is left, or whether they ran. The primaries have no replicas.',
};

export interface LiveFigures {
  /** From the provider's write to the subscriber's read, in ms. */
  readonly here: readonly [p50: number, p99: number];
  readonly elsewhere: readonly [p50: number, p99: number];
  /** Every subscriber saw the text of the client, in order, and one end. */
  readonly isWhole: boolean;
}

/** Of completions that stream times. */
export function liveFigures(completions: readonly FollowedCompletion[]): LiveFigures {
  const lateOf = (isHere: boolean): readonly [number, number] => {
    const late = completions.flatMap(({ at, watched }) =>
      watched.filter((_each, place) => (place === at) === isHere).flatMap(({ lateMs }) => lateMs),
    );
    return [percentile(late, 0.5), percentile(late, 0.99)];
  };
  const isWhole = completions.every(({ clientText, watched }) =>
    watched.every(({ text, ends }) => text === clientText && ends === 1),
  );
  return { here: lateOf(true), elsewhere: lateOf(false), isWhole };
}

export interface FaultsReport {
  readonly minutes: number;
  readonly redis: RedisKind;
  readonly rounds: number;
  readonly evidence: Evidence;
  readonly faults: readonly Fault[];
  readonly broken: readonly string[];
  readonly live: LiveFigures;
}

export function writeFaultsReport(report: FaultsReport): void {
  const text = render(report);
  process.stdout.write(`\n${text}`);
  if (report.minutes < WHOLE_MINUTES) return;
  const file = new URL('FAULTS.md', import.meta.url);
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), INTRO, report.redis, text));
}

function render({ minutes, redis, rounds, evidence, faults, broken, live }: FaultsReport): string {
  const { outcomes, budgets, rows, received, lostFiles } = evidence;
  const [cpu] = cpus();
  const baseline = outcomes.filter(({ phase }) => phase === BASELINE);
  const added = live.elsewhere[1] - live.here[1];
  const interrupted = rows.filter(({ status }) => status === 'interrupted').length;
  const answered = outcomes.filter(({ isWhole }) => isWhole).length;
  const used = budgets.map(({ amountNano, spentNano }) => Number(spentNano) / Number(amountNano));
  const command = `npm run bench -- --only faults${redis === 'cluster' ? ' --redis cluster' : ''} --minutes ${minutes}`;
  const lines = [
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}.`,
    '',
    '| fault | requests | not answered | by code | not answered, small and streamed | first byte p50 ms | added | first byte p99 ms | added |',
    '|---|---:|---:|---|---:|---:|---:|---:|---:|',
    rowOf('none', baseline, baseline),
    ...faults.map(({ name }) =>
      rowOf(
        name,
        outcomes.filter(({ phase }) => phase === name),
        baseline,
      ),
    ),
    '',
    `Each fault happened ${rounds === 1 ? 'once' : `${rounds} times`}. A process that is killed cuts the requests that it has received; one that is paused answers them when it goes on. ${withoutRedis[redis]} Uploads need PostgreSQL and the object store.`,
    '',
    '| promise | |',
    '|---|---|',
    `| answered requests are in the usage log once, with the cost of their usage | ${answered} answered |`,
    `| requests that the provider received are in the usage log once | ${received.size} received, ${interrupted} interrupted |`,
    `| no budget is overdrawn | ${budgets.length} budgets, ${percent(Math.min(...used))} to ${percent(Math.max(...used))} used |`,
    `| stored files can be read | ${lostFiles.length} lost |`,
    '',
    broken.length === 0
      ? 'All promises were kept.'
      : ['Broken promises:', ...broken.map((each) => `- ${each}`)].join('\n'),
    '',
    `Live events, without a fault: a subscriber at the process that runs a completion of 50 events a second reads them after ${ms(live.here[0])} ms (p50) and ${ms(live.here[1])} ms (p99) of the provider’s write, one at another process after ${ms(live.elsewhere[0])} ms and ${ms(live.elsewhere[1])} ms: ${ms(added)} ms added at p99, of ${MAX_ADDED_MS} ms intended. ${live.isWhole ? 'Each saw every event, in order, once.' : 'Some did not see every event in order, once.'}`,
    '',
  ];
  return `${lines.join('\n')}`;
}

function rowOf(name: string, outcomes: readonly Outcome[], baseline: readonly Outcome[]): string {
  const failed = notAnswered(outcomes);
  const counts = [...Map.groupBy(failed, ({ failure }) => failure)].map(([code, some]) => `${code} ${some.length}`);
  const isSmall = ({ kind }: Outcome): boolean => kind === 'plain' || kind === 'stream';
  const small = outcomes.filter(isSmall);
  const figures = [0.5, 0.99].map((share) => {
    const [at, before] = [firstBytes(outcomes), firstBytes(baseline)].map((times) => percentile(times, share));
    return `${ms(at ?? NaN)} | ${ms((at ?? NaN) - (before ?? NaN))}`;
  });
  return `| ${name} | ${outcomes.length} | ${percent(failed.length / outcomes.length)} | ${counts.join(', ')} | ${percent(failed.filter(isSmall).length / small.length)} | ${figures.join(' | ')} |`;
}

/** Without those of keys whose budget is used up. */
export function notAnswered(outcomes: readonly Outcome[]): Outcome[] {
  return outcomes.filter(({ failure }) => failure !== null && failure !== EXPECTED_REFUSAL);
}

/** Of requests that were answered. */
function firstBytes(outcomes: readonly Outcome[]): number[] {
  return outcomes.filter(({ kind, isWhole }) => kind !== 'file' && isWhole).map(({ firstByteMs }) => firstByteMs);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
