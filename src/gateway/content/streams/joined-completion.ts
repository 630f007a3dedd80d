import { isObject, objectsOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';

type Members = Record<string, unknown>;

/**
 * The response that a stream of OpenAI's legacy Completions delivers; null for a stream without one. Source: OpenAI's API document,
 * CreateCompletionResponse.
 */
export function joinedCompletion(events: readonly unknown[]): JsonObject | null {
  const response: Members = {};
  const choices = new Map<number, Members>();
  for (const event of events) {
    if (!isObject(event)) continue;
    const { choices: ofEvent, ...rest } = event;
    for (const [name, value] of Object.entries(rest)) if (value !== null) response[name] = value;
    for (const choice of objectsOf(ofEvent)) {
      const index = typeof choice.index === 'number' ? choice.index : 0;
      const known = choices.get(index) ?? {};
      choices.set(index, { ...known, ...choice, text: `${textOf(known)}${textOf(choice)}` });
    }
  }
  return choices.size === 0 ? null : { ...response, choices: [...choices.values()] };
}

function textOf({ text }: Members): string {
  return typeof text === 'string' ? text : '';
}
