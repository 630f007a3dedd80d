import { isDeepStrictEqual } from 'node:util';
import type { ChatMessage } from '../datasets/dataset-document.ts';
import { textOfMessage } from '../datasets/message-text.ts';

export const scorerNames = [
  'EXACT_MATCH',
  'CONTAINS',
  'JSON_VALID',
  'JSON_MATCH',
  'TOOL_CALLS_MATCH',
  'JUDGE',
] as const;
export type ScorerName = (typeof scorerNames)[number];

/** Null where the item has nothing to compare with. */
type Scorer = (output: ChatMessage, expected: ChatMessage | null) => boolean | null;

const scorers: Readonly<Record<ScorerName, Scorer>> = {
  EXACT_MATCH: comparedText((output, expected) => output === expected),
  CONTAINS: comparedText((output, expected) => output.includes(expected)),
  JSON_VALID: (output) => jsonOf(textOfMessage(output)) !== undefined,
  JSON_MATCH(output, expected) {
    const value = expected === null ? undefined : jsonOf(textOfMessage(expected));
    if (value === undefined) return null;
    return isDeepStrictEqual(jsonOf(textOfMessage(output)), value);
  },
  TOOL_CALLS_MATCH: (output, expected) =>
    expected === null ? null : isDeepStrictEqual(callsOf(output), callsOf(expected)),
  // A model scores the outputs later.
  JUDGE: () => null,
};

/** From 0 to 1 for each scorer, in their order; null where one does not apply. */
export function scoresOf(
  names: readonly ScorerName[],
  output: ChatMessage,
  expected: ChatMessage | null,
): (number | null)[] {
  return names.map((name) => {
    const passes = passesOf(scorers[name], output, expected);
    return passes === null ? null : Number(passes);
  });
}

/** JSON that is nested thousands of levels deep exceeds the stack. The batch would run its request again. */
function passesOf(scorer: Scorer, output: ChatMessage, expected: ChatMessage | null): boolean | null {
  try {
    return scorer(output, expected);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return false;
  }
}

function comparedText(compare: (output: string, expected: string) => boolean): Scorer {
  return (output, expected) => {
    const text = expected === null ? '' : normalized(textOfMessage(expected));
    return text === '' ? null : compare(normalized(textOfMessage(output)), text);
  };
}

/** Each run of whitespace as one space, none at the ends. */
function normalized(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Undefined for text that is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The functions and their arguments, in an order that does not depend on that of the calls. Their ids differ in each response. */
function callsOf({ tool_calls: calls }: ChatMessage): readonly string[] {
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown) => canonical(callOf(call))).toSorted();
}

function callOf(call: unknown): unknown {
  const { function: given } = Object(call) as { readonly function?: unknown };
  const { name, arguments: text } = Object(given) as { readonly name?: unknown; readonly arguments?: unknown };
  return given === undefined ? call : [name, typeof text === 'string' ? (jsonOf(text) ?? text) : text];
}

/** JSON whose members are sorted. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
