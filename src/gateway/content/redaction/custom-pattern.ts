import { RE2JS } from 're2js';
import type { Clock } from '../../../calendar/clock.ts';
import type { Report } from './detectors/detector.ts';
import { detectorNames, type CustomPattern } from './rules.ts';

const MAX_CUSTOM_PATTERNS = 20;
/** UTF-16 code units. */
const MAX_PATTERN_LENGTH = 256;
/** Instructions of the compiled pattern: its time per character. */
const MAX_INSTRUCTIONS = 400;

const patternName = /^[a-z0-9][a-z0-9-]{0,39}$/;
const reservedNames: ReadonlySet<string> = new Set([...detectorNames, 'media', 'nesting']);

/** @throws RE2JSException, which says what is wrong */
export function compilePattern(pattern: string): RE2JS {
  return RE2JS.compile(pattern);
}

/** Requests run between searches of this time. */
const SLICE_MS = 2;
/** Of all searches of one text. Each is linear in what is left of it, but there may be as many as it has characters. */
const MAX_SEARCH_MS = 5_000;
/** Of one search, in which nothing else runs: instructions times UTF-16 code units. At worst each takes about 20 ns. */
const MAX_STEPS = 100_000_000;

/**
 * Finds all matches in a whole text, because a part of it may match only with what follows. Where that takes or could take too long, the whole
 * text is reported. Yields between matches, where a turn should end.
 */
export function* findPattern(compiled: RE2JS, text: string, report: Report, clock: Clock): Generator<void, void> {
  if (takesTooLong(compiled, text.length)) return report(0, text.length);
  const matcher = compiled.matcher(text);
  let spent = 0;
  let from = clock.monotonic();
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) report(matcher.start(), matcher.end());
    const slice = clock.monotonic() - from;
    if (spent + slice > MAX_SEARCH_MS) return report(0, text.length);
    if (slice < SLICE_MS) continue;
    spent += slice;
    yield;
    from = clock.monotonic();
  }
}

/** Whether a text of this length is reported without a search. */
export function takesTooLong(compiled: RE2JS, length: number): boolean {
  return compiled.programSize() * length > MAX_STEPS;
}

/** Why a pattern cannot be used, as a clause; null if it can. */
function patternFault({ name, pattern }: CustomPattern): string | null {
  if (!patternName.test(name)) return 'its name must be 1 to 40 lower-case letters, digits and hyphens';
  if (reservedNames.has(name)) return `its name must differ from those of detectors (${[...reservedNames].join(', ')})`;
  if (pattern.length === 0 || pattern.length > MAX_PATTERN_LENGTH)
    return `its expression must have 1 to ${MAX_PATTERN_LENGTH} characters`;
  try {
    const compiled = compilePattern(pattern);
    if (compiled.programSize() > MAX_INSTRUCTIONS)
      return 'its expression is too large; use fewer or smaller repetitions';
    if (compiled.matcher('').find()) return 'its expression must not match empty text';
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'syntax error';
    return `its expression is not valid in the syntax of RE2: ${reason.replace(/^error parsing regexp: /, '')}`;
  }
}

/** The first fault of these patterns, with its place; null if there is none. */
export function patternsFault(patterns: readonly CustomPattern[]): { index: number; reason: string } | null {
  if (patterns.length > MAX_CUSTOM_PATTERNS)
    return { index: MAX_CUSTOM_PATTERNS, reason: `there can be ${MAX_CUSTOM_PATTERNS} patterns at most` };
  const names = new Set<string>();
  for (const [index, pattern] of patterns.entries()) {
    const reason = names.has(pattern.name) ? 'its name is used by another pattern' : patternFault(pattern);
    if (reason !== null) return { index, reason };
    names.add(pattern.name);
  }
  return null;
}
