import type { Cost, Summary } from './summarize.ts';

export interface Comparison {
  readonly before: Summary;
  readonly after: Summary;
  /** Of each. */
  readonly requests: number;
}

const MAX_FUNCTIONS = 30;

/** Two tables: costs by phase, and the functions whose cost differs most. */
export function renderComparison({ before, after, requests }: Comparison): string {
  const figure = (micros: number): string => (micros / requests).toFixed(2).padStart(10);
  const line = ({ name, from, to }: Difference): string => `${figure(from)}${figure(to)}${figure(to - from)}   ${name}`;
  return [
    'µs per request of the main threads:    one, workers and their supervisor, difference',
    line({ name: 'all', from: before.busyMicros, to: after.busyMicros }),
    '',
    ...differences(before.phases, after.phases, ({ name }) => name).map(line),
    '',
    ...differences(before.functions, after.functions, ({ name, phase }) => `${name} (${phase})`)
      .slice(0, MAX_FUNCTIONS)
      .map(line),
    '',
  ].join('\n');
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
