import { RE2JS } from 're2js';
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
