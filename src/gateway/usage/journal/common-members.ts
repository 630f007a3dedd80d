import { setBounded } from '../../routing/set-bounded.ts';
import type { Segment } from './segment.ts';

const MAX_KNOWN = 1_000;
/**
 * No multiple of 11 becomes another one by a change of one digit, so that a corrupt digit never bills a request to
 * another account.
 */
const NUMBER_STEP = 11;
const statedNumber = /^\{"common":(\d+)/;
const known = new Map<string, CommonMembers>();

/** Members shared by the lines of many requests, as JSON that follows other members. A segment contains them once. */
export class CommonMembers {
  readonly json: string;
  /** The segment that they were written to last. */
  segment: Segment | null = null;
  /** Lines of that segment refer to them by this number. */
  number = 0;

  constructor(json: string) {
    this.json = json;
  }
}

/** The number of the members at this index of a segment. */
export function commonNumber(index: number): number {
  return index * NUMBER_STEP;
}

/**
 * Adds the shared members in a record, a JSON object, under their number.
 * @throws where the record is corrupt: a batch with it would be stored wrongly or not at all
 */
export function addCommon(commons: Map<number, string>, record: string): void {
  JSON.parse(record);
  const number = Number(statedNumber.exec(record)?.[1] ?? Number.NaN);
  // A record is read again after a batch with it could not be stored.
  const isKnown = commons.has(number) && commons.get(number) !== record;
  if (number % NUMBER_STEP !== 0 || isKnown) throw new Error('the number of shared members is corrupt');
  commons.set(number, record);
}

/** Returns the same object for equal text. */
export function commonMembers(json: string): CommonMembers {
  const same = known.get(json);
  if (same !== undefined) return same;
  const created = new CommonMembers(json);
  setBounded(known, MAX_KNOWN, json, created);
  return created;
}
