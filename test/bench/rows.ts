import { loads, type Load } from './load.ts';
import { realisticLoads } from './realistic/loads.ts';

/** A row of the report: a kind of request, and who is sent it. */
export interface Row {
  readonly name: string;
  readonly load: Load;
  readonly isOfPeers: boolean;
}

/** Other gateways are measured by chats of the first report alone: they take ten times as long, and more. */
const ofPeers = new Set(['small', 'stream', 'large']);
/** 1,000 open streams: a part of the report that is no row. */
export const MEMORY = 'memory';

export interface Selection {
  readonly rows: readonly Row[];
  readonly memory: boolean;
  /** Which committed report has just these parts. */
  readonly report: 'RESULTS.md' | 'REALISTIC.md' | null;
}

/**
 * @param only names and groups, separated by commas; the rows of the first report if absent
 * @throws Error that lists the names, where one is unknown
 */
export function selectRows(only?: string): Selection {
  const realistic = realisticLoads();
  const named = new Map<string, Load>([...Object.entries(loads), ...realistic]);
  const groups = groupsOf([...realistic.keys()]);
  const selected = new Set<string>();
  const given = only?.split(',') ?? [...Object.keys(loads), MEMORY];
  for (const name of given) {
    if (!named.has(name) && !groups.has(name) && name !== MEMORY) throw unknown(name, [...named.keys()], groups);
    for (const each of groups.get(name) ?? [name]) selected.add(each);
  }
  const rows = [...named]
    .filter(([name]) => selected.has(name))
    .map(([name, load]) => ({ name, load, isOfPeers: ofPeers.has(name) }));
  const isRealistic = only === 'realistic';
  return {
    rows,
    memory: selected.has(MEMORY),
    report: only === undefined ? 'RESULTS.md' : isRealistic ? 'REALISTIC.md' : null,
  };
}

const QUICK_SHARE = 1 / 20;

/** With so few requests that much of what is measured is compilation: shows whether the rows work. Replaces no report. */
export function shortened({ rows, memory }: Selection): Selection {
  const few = (requests: number): number => Math.ceil(requests * QUICK_SHARE);
  return {
    rows: rows.map(({ load, ...row }) => ({
      ...row,
      load: { ...load, warmUp: few(load.warmUp), requests: few(load.requests) },
    })),
    memory,
    report: null,
  };
}

function groupsOf(realistic: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ['realistic', realistic],
    ['prompts', realistic.filter((name) => name.startsWith('prompt-'))],
    ['agents', realistic.filter((name) => /^agent\b/.test(name))],
    ['translations', realistic.filter((name) => name.includes('-to-'))],
  ]);
}

function unknown(name: string, rows: readonly string[], groups: ReadonlyMap<string, unknown>): Error {
  const known = [...groups.keys(), ...rows, MEMORY].join(', ');
  return new Error(`"${name}" is no row of the benchmark. Rows and groups of rows: ${known}.`);
}
