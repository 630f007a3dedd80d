import { setBounded } from '../routing/set-bounded.ts';
import type { Segment } from './segment.ts';

const MAX_KNOWN = 1_000;
/** Of no two multiples of it one becomes the other by one spoilt digit: no request is billed to somebody else by that. */
const NUMBER_STEP = 11;
const saidNumber = /^\{"common":(\d+)/;
const known = new Map<string, CommonMembers>();

/** Members that the lines of many requests have in common, as JSON that follows others. A segment says them once. */
export class CommonMembers {
  readonly json: string;
  /** Where they were said last. */
  segment: Segment | null = null;
  /** By which the lines there refer to them. */
  number = 0;

  constructor(json: string) {
    this.json = json;
  }
}

/** The number of the so many-th members that a segment says. */
export function commonNumber(index: number): number {
  return index * NUMBER_STEP;
}

/**
 * Adds what a segment says to be common, a JSON object, under its number.
 * @throws where that is not what was said: a batch with it would be stored wrongly or not at all
 */
export function addCommon(commons: Map<number, string>, record: string): void {
  JSON.parse(record);
  const number = Number(saidNumber.exec(record)?.[1] ?? Number.NaN);
  // It is read again where a batch with it could not be stored.
  const isKnown = commons.has(number) && commons.get(number) !== record;
  if (number % NUMBER_STEP !== 0 || isKnown) throw new Error('the number of what it says is spoilt');
  commons.set(number, record);
}

/** The same object for the same text. */
export function commonMembers(json: string): CommonMembers {
  const same = known.get(json);
  if (same !== undefined) return same;
  const made = new CommonMembers(json);
  setBounded(known, MAX_KNOWN, json, made);
  return made;
}
