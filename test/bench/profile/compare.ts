import type { Cost, Summary } from './summarize.ts';

export interface Profiled {
  readonly summary: Summary;
  /** Of all threads, while the profile was taken. */
  readonly cpuMicros: number;
}

export interface Comparison {
  readonly before: Profiled;
  readonly after: Profiled;
  /** Of each. */
  readonly requests: number;
}

const MAX_FUNCTIONS = 30;

/**
 * Two tables: costs by phase, and the functions whose cost differs most. A profile also contains what a thread waits for its core,
 * so that what counts are shares: they are shown as parts of the CPU that was used.
 */
export function renderComparison({ before, after, requests }: Comparison): string {
  const figure = (micros: number): string => (micros / requests).toFixed(2).padStart(10);
  const line = ({ name, from, to }: Difference): string => `${figure(from)}${figure(to)}${figure(to - from)}   ${name}`;
  return [
    'CPU in µs per request: one process, workers and their supervisor, difference',
    line({ name: 'all', from: before.cpuMicros, to: after.cpuMicros }),
    '',
    ...differences(scaled(before, 'phases'), scaled(after, 'phases'), ({ name }) => name).map(line),
    '',
    ...differences(scaled(before, 'functions'), scaled(after, 'functions'), ({ name, phase }) => `${name} (${phase})`)
      .slice(0, MAX_FUNCTIONS)
      .map(line),
    '',
  ].join('\n');
}

function scaled({ summary, cpuMicros }: Profiled, costs: 'phases' | 'functions'): readonly Cost[] {
  const factor = cpuMicros / summary.busyMicros;
  return summary[costs].map((cost) => ({ ...cost, micros: cost.micros * factor }));
}

interface Difference {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The greatest first. */
function differences(
  before: readonly Cost[],
  after: readonly Cost[],
  nameOf: (cost: Cost) => string,
): readonly Difference[] {
  const from = new Map(before.map((cost) => [nameOf(cost), cost.micros]));
  const to = new Map(after.map((cost) => [nameOf(cost), cost.micros]));
  return [...new Set([...from.keys(), ...to.keys()])]
    .map((name) => ({ name, from: from.get(name) ?? 0, to: to.get(name) ?? 0 }))
    .toSorted((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from));
}
