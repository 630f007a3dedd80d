import { existsSync, readFileSync } from 'node:fs';

export const kinds = [
  'negated-condition',
  'shifted-bound',
  'dropped-await',
  'dropped-statement',
  'swapped-arguments',
] as const;
export type FaultKind = (typeof kinds)[number];

/** Where a fault stands, in words that survive edits elsewhere in the file. */
export interface FaultContext {
  /** The line before; empty at the start of the file. */
  readonly before: string;
  /** The whole lines that hold the span. */
  readonly text: string;
  readonly after: string;
  /** Counted from 1, among the places where these lines follow each other. */
  readonly occurrence: number;
  /** Offsets of the span within `text`. */
  readonly from: number;
  readonly to: number;
}

export interface Fault {
  readonly id: string;
  readonly area: string;
  readonly kind: FaultKind;
  /** Relative to the repository root. */
  readonly file: string;
  /** Counted from 1, in the commit that the list was generated from. */
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
  readonly context: FaultContext;
}

export interface FaultList {
  readonly seed: number;
  readonly perArea: number;
  /** What the faults were generated from. */
  readonly commit: string;
  readonly faults: readonly Fault[];
}

export const listPath = new URL('faults.json', import.meta.url).pathname;
const rewrittenPath = new URL('rewritten.json', import.meta.url).pathname;
const struckPath = new URL('struck.json', import.meta.url).pathname;

export function readFaults(path: string): FaultList {
  return JSON.parse(readFileSync(path, 'utf8')) as FaultList;
}

/** Faults that cannot change behaviour: the reason by id. */
export function readStruck(path = struckPath): ReadonlyMap<string, string> {
  if (!existsSync(path)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>));
}

/** Where the lines of a fault were rewritten: the same fault in today's, by id. */
export function readRewritten(path = rewrittenPath): ReadonlyMap<string, Fault> {
  return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, Fault>));
}
