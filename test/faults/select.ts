import type { Candidate } from './candidates.ts';
import { kinds, type FaultKind } from './fault.ts';
import { seededRandom, shuffle } from './random.ts';

const MIN_PER_KIND = 2;
const MAX_PER_FILE = 2;
/** How many candidates are type-checked ahead of their use. */
const CHECKED_AHEAD = 8;

/** Either the choice, or the candidates that are to be type-checked before it can be made. */
export type Selection = { readonly chosen: readonly Candidate[] } | { readonly unchecked: readonly Candidate[] };

export interface SelectionRequest {
  readonly seed: number;
  readonly area: string;
  readonly candidates: readonly Candidate[];
  readonly count: number;
  /** Whether the fault of this number, counted from 0, is struck: another of its kind is added at the end. */
  isStruck(index: number): boolean;
  /** Undefined where it is not type-checked yet. */
  isAccepted(candidate: Candidate): boolean | undefined;
}

/** Chooses an area's faults. The same seed and sources make the same choice. */
export function select({ seed, area, candidates, count, isStruck, isAccepted }: SelectionRequest): Selection {
  const lists = new Map(
    kinds.map((kind) => [kind, spread(candidates, kind, seededRandom(`${seed} ${area} ${kind}`))] as const),
  );
  const wanted = kindsOf(count, seededRandom(`${seed} ${area}`));
  const chosen: Candidate[] = [];
  const unchecked: Candidate[] = [];

  /** Null where there is none, or where it is not known yet. */
  function next(kind: FaultKind, maxPerFile: number): Candidate | null {
    for (const candidate of lists.get(kind) ?? []) {
      const sameFile = chosen.filter(({ file }) => file === candidate.file);
      if (sameFile.length >= maxPerFile || sameFile.some((each) => overlap(each, candidate))) continue;
      const accepted = isAccepted(candidate);
      if (accepted === undefined) unchecked.push(candidate);
      if (accepted && unchecked.length === 0) return candidate;
      if (unchecked.length >= CHECKED_AHEAD) return null;
    }
    return null;
  }

  for (let index = 0; index < wanted.length; index++) {
    const kind = wanted[index];
    if (kind === undefined) break;
    for (const [instead, maxPerFile] of attempts(kind)) {
      const candidate = next(instead, maxPerFile);
      if (unchecked.length > 0) return { unchecked };
      if (candidate === null) continue;
      chosen.push(candidate);
      if (isStruck(index)) wanted.push(kind);
      break;
    }
  }
  return { chosen };
}

/** The kind itself comes first, then more of it in a file, then the other kinds. */
function attempts(kind: FaultKind): (readonly [FaultKind, number])[] {
  const others = kinds.filter((each) => each !== kind).map((each) => [each, MAX_PER_FILE] as const);
  return [[kind, MAX_PER_FILE], [kind, Infinity], ...others];
}

function kindsOf(count: number, random: () => number): FaultKind[] {
  const least = Array.from({ length: MIN_PER_KIND }, () => kinds).flat();
  while (least.length < count) least.push(...shuffle(kinds, random));
  return least.slice(0, count);
}

/** In random order, with each file's first candidate before any file's second. */
function spread(candidates: readonly Candidate[], kind: FaultKind, random: () => number): Candidate[] {
  const byFile = Map.groupBy(
    candidates.filter((each) => each.kind === kind),
    ({ file }) => file,
  );
  const files = shuffle([...byFile.values()], random).map((each) => shuffle(each, random));
  const rounds = Math.max(0, ...files.map(({ length }) => length));
  return Array.from({ length: rounds }, (_, round) => files.flatMap((each) => each[round] ?? [])).flat();
}

function overlap(one: Candidate, other: Candidate): boolean {
  return one.start < other.end && other.start < one.end;
}
