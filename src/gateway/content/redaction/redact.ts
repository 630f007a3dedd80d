import { compilePattern } from './custom-pattern.ts';
import { detectorsNamed } from './detectors/index.ts';
import { memberNames } from './member-names.ts';
import { DocumentRedaction, type Redaction } from './redact-document.ts';
import type { Report } from './detectors/detector.ts';
import { replaceMatches, type Match } from './replace.ts';
import type { RedactionCounts, RedactionRules } from './rules.ts';
import { searchWindows } from './search-windows.ts';
import { traitsOf } from './text-traits.ts';

export interface Redactor {
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
 * Compiles rules. Time is linear in the length of what is redacted, also with custom patterns.
 * @throws RE2JSException for a custom pattern that `patternFault` refuses
 */
export function compileRedaction(rules: RedactionRules): Redactor {
  const searches = searchesOf(rules);
  const redact: Redaction['redact'] = (text, counts) => {
    const matches: Match[] = [];
    const traits = traitsOf(text);
    for (const { rank, name, traits: needed, find } of searches)
      if (needed === 0 || (traits & needed) !== 0) find(text, (start, end) => matches.push({ start, end, name, rank }));
    return replaceMatches(text, matches, counts);
  };
  const redaction: Redaction = {
    redact,
    redactLong: (text, counts) => redactWindows(searches, text, counts),
    searches: searches.reduce((sum, { cost }) => sum + cost, 0),
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

/** One detector, or one expression of the account. */
interface Search {
  readonly name: string;
  readonly rank: number;
  /** Per code unit, in those of a detector. */
  readonly cost: number;
  /** As of a detector. */
  readonly traits: number;
  readonly find: (text: string, report: Report) => void;
}

function searchesOf({ detectors: names, customPatterns }: RedactionRules): readonly Search[] {
  const detectors = detectorsNamed(names);
  return [
    ...detectors.map(({ name, traits, find }, rank): Search => ({ name, rank, cost: 1, traits, find })),
    ...customPatterns.map(({ name, pattern }): Search => {
      const compiled = compilePattern(pattern);
      return {
        name,
        rank: detectors.length,
        cost: PATTERN_COST,
        traits: 0,
        find: (text, report) => {
          const matcher = compiled.matcher(text);
          while (matcher.find()) if (matcher.end() > matcher.start()) report(matcher.start(), matcher.end());
        },
      };
    }),
  ];
}

function* redactWindows(searches: readonly Search[], text: string, counts: RedactionCounts): Generator<number, string> {
  const matches: Match[] = [];
  for (const { name, rank, cost, traits, find } of searches) {
    const findIn = (part: string, report: Report): void => {
      if (traits === 0 || (traitsOf(part) & traits) !== 0) find(part, report);
    };
    for (const searched of searchWindows(text, findIn, (start, end) => matches.push({ start, end, name, rank })))
      yield searched * cost;
  }
  return replaceMatches(text, matches, counts);
}
