import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { PROXY } from './load.ts';

/** The name of a second Sluice, from `--against`. */
export const OTHER_CHECKOUT = 'Sluice of the other checkout';

export interface Sample {
  readonly cpuMicros: number;
  readonly databaseMicros: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadResult {
  readonly title: string;
  readonly requests: number;
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
}

export interface MemoryResult {
  readonly name: string;
  readonly beforeKb: number;
  readonly perStreamKb: number;
}

export interface Report {
  readonly results: readonly LoadResult[];
  readonly memory: readonly MemoryResult[];
  readonly rounds: number;
  /** What was run. */
  readonly command: string;
  /** The committed report that it replaces; null where parts of one were left out. */
  readonly file: string | null;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The samples of several starts as those of one. */
export function together(starts: readonly (readonly LoadResult[])[]): readonly LoadResult[] {
  const [first = []] = starts;
  return first.map((result, place) => {
    const names = [...result.samples.keys()];
    const samplesOf = (name: string): Sample[] => starts.flatMap((start) => start[place]?.samples.get(name) ?? []);
    return { ...result, samples: new Map(names.map((name) => [name, samplesOf(name)])) };
  });
}

export function writeReport(report: Report): void {
  const text = render(report);
  process.stdout.write(`\n${text}`);
  if (report.file !== null) writeFileSync(new URL(report.file, import.meta.url), text);
}

function pairedRatio(samples: ReadonlyMap<string, readonly Sample[]>, name: string, to: string): number {
  const others = samples.get(to) ?? [];
  return median((samples.get(name) ?? []).map(({ cpuMicros }, round) => cpuMicros / (others[round]?.cpuMicros ?? NaN)));
}

function render({ results, memory, rounds, command }: Report): string {
  const [cpu] = cpus();
  const lines = [
    '# Benchmark',
    '',
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, Linux.`,
    '',
    `CPU is that of the whole process tree, user and system, until the usage journal is drained; medians of ${rounds} rounds, with 16 requests at a time unless a load states another number. In a round the targets take turns of a tenth of a second or so, all on one core, with everything else on the others.`,
    'A ratio is the median of the ratios of each round: what slows the machine for a while slows all.',
    'Sluice runs with authentication, limits and durable metering on, against server PostgreSQL, whose CPU stands apart.',
    '',
    ...renderLoads(results),
  ];
  if (memory.length > 0)
    lines.push(
      '| 1,000 open paced streams | resident at rest, MB | added by each, kB |',
      '|---|---:|---:|',
      ...memory.map(
        ({ name, beforeKb, perStreamKb }) =>
          `| ${name} | ${(beforeKb / 1024).toFixed(0)} | ${perStreamKb.toFixed(0)} |`,
      ),
      '',
    );
  return `${lines.join('\n')}\n`;
}

function renderLoads(results: readonly LoadResult[]): string[] {
  if (results.length === 0) return [];
  const isMeasured = (name: string): boolean => results.some(({ samples }) => samples.has(name));
  const others = [
    { name: PROXY, title: 'to the proxy' },
    ...(isMeasured(OTHER_CHECKOUT) ? [{ name: OTHER_CHECKOUT, title: 'to the other checkout' }] : []),
  ];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const titles = ['load', '', 'CPU µs a request', 'p50 ms', 'p99 ms', ...others.map(({ title }) => title)];
  const lines = [row(titles), `|---|---|${'---:|'.repeat(titles.length - 2)}`];
  for (const { title, samples } of results) {
    const figure = (name: string, of: (sample: Sample) => number): number => median((samples.get(name) ?? []).map(of));
    for (const name of samples.keys()) {
      const ratios = others.map((other) =>
        samples.has(other.name) ? `${pairedRatio(samples, name, other.name).toFixed(2)}x` : '',
      );
      const times = [figure(name, ({ p50 }) => p50), figure(name, ({ p99 }) => p99)].map((ms) => ms.toFixed(1));
      lines.push(row([title, name, figure(name, ({ cpuMicros }) => cpuMicros).toFixed(0), ...times, ...ratios]));
    }
    const database = figure('Sluice', (sample) => sample.databaseMicros).toFixed(0);
    lines.push(
      row([title, 'PostgreSQL, for Sluice', database, ...Array.from({ length: others.length + 2 }, () => '')]),
    );
  }
  return [...lines, ''];
}
