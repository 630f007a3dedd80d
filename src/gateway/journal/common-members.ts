import type { Segment } from './segment.ts';

/** Members that the records of many requests have in common, as JSON that follows others. A segment says them once. */
export class CommonMembers {
  readonly json: string;
  /** Where they were said last. */
  segment: Segment | null = null;
  /** By which the records there refer to them. */
  number = 0;

  constructor(json: string) {
    this.json = json;
  }
}
