import { parseAnswer } from '../../providers/shared/json/json-complexity.ts';

/** Unbounded repetition could exhaust the stack. */
const MAX_USAGE_CHARACTERS = 64 * 1024;
const usageMember = '"usage":';
/** An object of counts and of objects without further nesting. Python writes a space before it. */
const usageObject = /"usage": ?(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/y;

/**
 * The last `usage` of a JSON text, as text; null where it is not an object of counts and of objects of counts. The last
 * of duplicate members counts. It contains no text in which a brace could occur, and JSON escapes quotes inside
 * strings, so that a model's text cannot look like a member.
 */
export function lastUsageText(json: string): string | null {
  const named = json.lastIndexOf(usageMember);
  if (named < 0) return null;
  usageObject.lastIndex = 0;
  return usageObject.exec(json.slice(named, named + MAX_USAGE_CHARACTERS))?.[1] ?? null;
}

/** Parses a provider's response; undefined where it is not JSON or too large. */
export function tryParse(json: string): unknown {
  try {
    return parseAnswer(json);
  } catch {
    return undefined;
  }
}
