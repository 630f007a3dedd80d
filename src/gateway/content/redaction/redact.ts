import { compilePattern } from './custom-pattern.ts';
import { detectorsNamed } from './detectors/index.ts';
import { DocumentRedaction, type Member, type Redaction } from './redact-document.ts';
import { replaceMatches, type Match } from './replace.ts';
import type { RedactionCounts, RedactionRules } from './rules.ts';
import { traitsOf } from './text-traits.ts';

export interface Redactor {
  /**
   * Redacts every string, name of a member and long number of a parsed JSON document; JSON in strings stays JSON. Media is
   * replaced by its type, size and SHA-256. The given value does not change; what needs no redaction is shared with it.
   */
  redactJson(value: unknown): { value: unknown; counts: RedactionCounts };
  /** Redacts one text as a whole. A text that was streamed is joined before. */
  redactText(text: string): { text: string; counts: RedactionCounts };
}

/**
 * Compiles rules. Time is linear in the length of what is redacted, also with custom patterns.
 * @throws RE2JSException for a custom pattern that `patternFault` refuses
 */
export function compileRedaction(rules: RedactionRules): Redactor {
  const redaction = {
    redact: textRedaction(rules),
    findsSecrets: rules.detectors.includes('secret'),
    findsPhones: rules.detectors.includes('phone'),
    members: new Map<string, Member>(),
  };
  const redactValue = (value: unknown): { value: unknown; counts: RedactionCounts } => {
    const counts: RedactionCounts = {};
    return { value: new DocumentRedaction(redaction, counts).redact(value), counts };
  };
  return {
    redactJson: redactValue,
    redactText: (text) => {
      const { value, counts } = redactValue(text);
      return { text: String(value), counts };
    },
  };
}

/** Redacts a text without regard for media and JSON in it, and adds to the counts. */
function textRedaction({ detectors: names, customPatterns }: RedactionRules): Redaction['redact'] {
  const detectors = detectorsNamed(names);
  const custom = customPatterns.map(({ name, pattern }) => ({ name, compiled: compilePattern(pattern) }));
  if (detectors.length + custom.length === 0) return (text) => text;
  return (text, counts) => {
    const traits = traitsOf(text);
    const matches: Match[] = [];
    for (const [rank, { name, traits: needed, find }] of detectors.entries())
      if (needed === 0 || (traits & needed) !== 0) find(text, (start, end) => matches.push({ start, end, name, rank }));
    for (const { name, compiled } of custom) {
      const matcher = compiled.matcher(text);
      while (matcher.find())
        if (matcher.end() > matcher.start())
          matches.push({ start: matcher.start(), end: matcher.end(), name, rank: detectors.length });
    }
    return replaceMatches(text, matches, counts);
  };
}
