import { pathOf, phasesOf } from './phases.ts';
import type { Profile } from './take-profile.ts';

export interface Cost {
  readonly name: string;
  readonly phase: string;
  readonly micros: number;
}

export interface Summary {
  /** Without what the thread waited. */
  readonly busyMicros: number;
  /** Self time, the greatest first. */
  readonly phases: readonly Cost[];
  readonly functions: readonly Cost[];
}

/** @param profiles of processes that did the work together */
export function summarize(profiles: readonly Profile[]): Summary {
  const byPhase = new Map<string, number>();
  const byFunction = new Map<string, Cost>();
  let busyMicros = 0;
  for (const profile of profiles) {
    const phases = phasesOf(profile);
    const self = selfTimes(profile);
    for (const { id, callFrame } of profile.nodes) {
      const micros = self.get(id) ?? 0;
      if (micros === 0 || callFrame.functionName === '(idle)') continue;
      const phase = phases.get(id) ?? '';
      busyMicros += micros;
      byPhase.set(phase, (byPhase.get(phase) ?? 0) + micros);
      const name = nameOf(callFrame);
      const key = `${name} ${phase}`;
      byFunction.set(key, { name, phase, micros: (byFunction.get(key)?.micros ?? 0) + micros });
    }
  }
  const costs = [...byPhase].map(([phase, micros]) => ({ name: phase, phase, micros }));
  return {
    busyMicros,
    phases: costs.toSorted(greatestFirst),
    functions: [...byFunction.values()].toSorted(greatestFirst),
  };
}

/** A sample lasts until the next one. */
function selfTimes({ samples, timeDeltas, startTime, endTime }: Profile): ReadonlyMap<number, number> {
  const self = new Map<number, number>();
  let at = startTime;
  for (const [place, id] of samples.entries()) {
    at += timeDeltas[place] ?? 0;
    const next = place + 1 < samples.length ? (timeDeltas[place + 1] ?? 0) : Math.max(0, endTime - at);
    self.set(id, (self.get(id) ?? 0) + next);
  }
  return self;
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const name = functionName || '(anonymous)';
  const place = pathOf(url) ?? url;
  // Lines are counted from 0.
  return place === '' ? name : `${name} ${place.replace(/^node_modules\//, '')}:${lineNumber + 1}`;
}

function greatestFirst(a: Cost, b: Cost): number {
  return b.micros - a.micros;
}

const MAX_FUNCTIONS = 15;

/** Two tables: costs by phase, and the functions that cost most. */
export function renderSummary(title: string, requests: number, summary: Summary): string {
  const { busyMicros, phases, functions } = summary;
  const figures = (micros: number): string =>
    `${((micros / busyMicros) * 100).toFixed(1).padStart(5)} %  ${(micros / requests).toFixed(1).padStart(9)}`;
  const width = Math.max(...phases.map(({ name }) => name.length));
  return [
    `${title}: ${(busyMicros / requests).toFixed(1)} µs per request of the main thread, ${requests} requests`,
    '',
    `${'phase, self time'.padEnd(width)}    share  µs/request`,
    ...phases.map(({ name, micros }) => `${name.padEnd(width)}  ${figures(micros)}`),
    '',
    `  share  µs/request  function`,
    ...functions.slice(0, MAX_FUNCTIONS).map(({ name, phase, micros }) => `${figures(micros)}   ${name} (${phase})`),
    '',
  ].join('\n');
}
