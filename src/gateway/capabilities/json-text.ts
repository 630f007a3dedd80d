import { parseAnswer } from '../../providers/shared/json-complexity.ts';

/** To repeat without end takes more stack than there is. */
const MAX_USAGE_CHARACTERS = 64 * 1024;
const usageMember = '"usage":';
/** With objects in it, as far as those hold none. A space may stand before it, as Python writes it. */
const usageObject = /"usage": ?(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/y;

/**
 * The last `usage` of a JSON text, as text; null where it is no object of counts and of objects of counts. Of members that are
 * named twice, the last one counts. It holds no text in which a brace could stand; and a quote inside a JSON string is
 * escaped, so that no text of a model's can pass for a member.
 */
export function lastUsageText(json: string): string | null {
  const named = json.lastIndexOf(usageMember);
  if (named < 0) return null;
  usageObject.lastIndex = 0;
  return usageObject.exec(json.slice(named, named + MAX_USAGE_CHARACTERS))?.[1] ?? null;
}

/** What a provider answered; undefined for what is no JSON, or too much of it. */
export function tryParse(json: string): unknown {
  try {
    return parseAnswer(json);
  } catch {
    return undefined;
  }
}
