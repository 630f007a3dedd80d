import type { RE2JS } from 're2js';
import { systemClock, type Clock } from '../../../calendar/clock.ts';
import { isCleanJson } from '../clean-bytes/clean-bytes.ts';
import { compilePattern, findPattern, takesTooLong } from './custom-pattern.ts';
import type { Detector, Report } from './detectors/detector.ts';
import { detectorsNamed } from './detectors/index.ts';
import { memberNames } from './member-names.ts';
import { DocumentRedaction, type Redaction } from './redact-document.ts';
import { requiredLiteral } from './required-literal.ts';
import { replaceMatches, type Match } from './replace.ts';
import type { RedactionCounts, RedactionRules } from './rules.ts';
import { searchWindows } from './search-windows.ts';
import { traitsOf } from './text-traits.ts';

export interface Redactor {
  /** False where `isClean` is for all: an expression may match anything. */
  readonly canBeClean: boolean;
  /** Whether redaction changes nothing in these bytes, which are valid JSON; false where that is not certain. */
  isClean(json: Buffer): boolean;
  /**
   * Redacts every string, name of a member and long number of a parsed JSON document; JSON in strings stays JSON. Media is
   * replaced by its type, size and SHA-256. The given value does not change; what needs no redaction is shared with it.
   */
  redactJson(value: unknown): { value: unknown; counts: RedactionCounts };
  /** The same in turns of bounded length. @param endOfTurn is awaited between them */
  redactInTurns(value: unknown, endOfTurn: () => Promise<void>): Promise<{ value: unknown; counts: RedactionCounts }>;
  /** Redacts one text as a whole. A text that was streamed is joined before. */
  redactText(text: string): { text: string; counts: RedactionCounts };
}

/** A search costs about this many times more by an expression of RE2 than by a detector. */
const PATTERN_COST = 4;

/**
 * Compiles rules. Time is linear in the length of what is redacted; with custom patterns, it is limited.
 * @throws RE2JSException for a custom pattern that `patternFault` refuses
 */
export function compileRedaction(rules: RedactionRules, clock: Clock = systemClock): Redactor {
  const detectors = detectorsNamed(rules.detectors);
  const patterns = rules.customPatterns.map(({ name, pattern }): Pattern => ({
    name,
    compiled: compilePattern(pattern),
    literal: requiredLiteral(pattern),
  }));
  const redact: Redaction['redact'] = (text, counts) => {
    const matches: Match[] = [];
    const traits = traitsOf(text);
    for (const [rank, { name, traits: needed, find }] of detectors.entries())
      if (needed === 0 || (traits & needed) !== 0) find(text, (start, end) => matches.push({ start, end, name, rank }));
    for (const turnEnd of searchPatterns(patterns, text, matches, { rank: detectors.length, clock })) void turnEnd;
    return replaceMatches(text, matches, counts);
  };
  const redaction: Redaction = {
    redact,
    *redactLong(text, counts) {
      const matches: Match[] = [];
      for (const [rank, detector] of detectors.entries()) yield* searchDetector(detector, rank, text, matches);
      yield* searchPatterns(patterns, text, matches, { rank: detectors.length, clock });
      return replaceMatches(text, matches, counts);
    },
    searches: detectors.length + patterns.length * PATTERN_COST,
    memberNamed: memberNames(rules, (name) => redact(name, {}) === name),
  };
  const redactValue = (value: unknown): { value: unknown; counts: RedactionCounts } => {
    const counts: RedactionCounts = {};
    const steps = new DocumentRedaction(redaction, counts).redact(value);
    for (;;) {
      const { done, value: redacted } = steps.next();
      if (done === true) return { value: redacted, counts };
    }
  };
  return {
    canBeClean: patterns.every(({ literal }) => literal !== ''),
    isClean: (json) => patterns.every((pattern) => findsNothing(pattern, json)) && isCleanJson(json),
    redactJson: redactValue,
    redactInTurns: async (value, endOfTurn) => {
      const counts: RedactionCounts = {};
      const steps = new DocumentRedaction(redaction, counts).redact(value);
      for (;;) {
        const { done, value: redacted } = steps.next();
        if (done === true) return { value: redacted, counts };
        await endOfTurn();
      }
    },
    redactText: (text) => {
      const { value, counts } = redactValue(text);
      return { text: String(value), counts };
    },
  };
}

/** An expression of the account. */
interface Pattern {
  readonly name: string;
  readonly compiled: RE2JS;
  /** What each match contains; empty where that is not known. */
  readonly literal: string;
}

/** False where that is not certain. @param json clean, so that it holds all characters of its texts as they are */
function findsNothing({ compiled, literal }: Pattern, json: Buffer): boolean {
  return literal !== '' && !takesTooLong(compiled, json.length) && !json.includes(literal);
}

/** Yields how many code units it searched. */
function* searchDetector(
  { name, traits, find }: Detector,
  rank: number,
  text: string,
  matches: Match[],
): Generator<number, void> {
  const findIn = (part: string, report: Report): void => {
    if (traits === 0 || (traitsOf(part) & traits) !== 0) find(part, report);
  };
  yield* searchWindows(text, findIn, (start, end) => matches.push({ start, end, name, rank }));
}

/** Yields how many code units it searched, in those of a detector; Infinity where a turn has taken its time. */
function* searchPatterns(
  patterns: readonly Pattern[],
  text: string,
  matches: Match[],
  { rank, clock }: { readonly rank: number; readonly clock: Clock },
): Generator<number, void> {
  for (const { name, compiled } of patterns) {
    const steps = findPattern(compiled, text, (start, end) => matches.push({ start, end, name, rank }), clock);
    while (steps.next().done !== true) yield Infinity;
    yield text.length * PATTERN_COST;
  }
}
