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
  /** Nothing was left out: the committed results may be replaced. */
  readonly whole: boolean;
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
  if (report.whole) writeFileSync(new URL('RESULTS.md', import.meta.url), text);
}

function pairedRatio(samples: ReadonlyMap<string, readonly Sample[]>, name: string, to: string): number {
  const others = samples.get(to) ?? [];
  return median((samples.get(name) ?? []).map(({ cpuMicros }, round) => cpuMicros / (others[round]?.cpuMicros ?? NaN)));
}

function render({ results, memory, rounds }: Report): string {
  const [cpu] = cpus();
  const isCompared = results.some(({ samples }) => samples.has(OTHER_CHECKOUT));
  const lines = [
    '# Benchmark',
    '',
    `\`npm run bench\` on ${new Date().toISOString().slice(0, 10)}: ${cpus().length} cores (${cpu?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, Linux.`,
    '',
    `CPU is that of the whole process tree, user and system, until the usage journal is drained; medians of ${rounds} rounds, with 16 requests at a time. In a round the targets take turns of a tenth of a second or so, all on one core, with everything else on the others.`,
    'A ratio is the median of the ratios of each round: what slows the machine for a while slows all.',
    'Sluice runs with authentication, limits and durable metering on, against server PostgreSQL, whose CPU stands apart.',
    '',
    `| load | | CPU µs a request | p50 ms | p99 ms | to the proxy | to Portkey |${isCompared ? ' to the other checkout |' : ''}`,
    `|---|---|---:|---:|---:|---:|---:|${isCompared ? '---:|' : ''}`,
  ];
  for (const { title, samples } of results) {
    const figure = (name: string, of: (sample: Sample) => number): number => median((samples.get(name) ?? []).map(of));
    const cpuOf = (name: string): number => figure(name, (sample) => sample.cpuMicros);
    const ratio = (name: string, to: string): string => `${pairedRatio(samples, name, to).toFixed(2)}x`;
    for (const name of samples.keys()) {
      const toPortkey = samples.has('Portkey') ? ratio(name, 'Portkey') : '';
      const toOther = isCompared ? ` ${ratio(name, OTHER_CHECKOUT)} |` : '';
      lines.push(
        `| ${title} | ${name} | ${cpuOf(name).toFixed(0)} | ${figure(name, (sample) => sample.p50).toFixed(1)} | ${figure(name, (sample) => sample.p99).toFixed(1)} | ${ratio(name, PROXY)} | ${toPortkey} |${toOther}`,
      );
    }
    lines.push(
      `| ${title} | PostgreSQL, for Sluice | ${figure('Sluice', (sample) => sample.databaseMicros).toFixed(0)} | | | | |`,
    );
  }
  lines.push('');
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
