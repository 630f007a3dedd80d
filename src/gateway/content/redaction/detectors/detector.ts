import type { DetectorName } from '../rules.ts';

/** Reports a range of the text, in UTF-16 code units. */
export type Report = (start: number, end: number) => void;

/** Finds one kind of personal data or secret, in time linear in the length of the text. */
export interface Detector {
  readonly name: DetectorName;
  /** The bits of `traitsOf` of which a text needs at least one; 0 if the detector decides itself. */
  readonly traits: number;
  find(text: string, report: Report): void;
}
