import { unixSeconds } from '../../calendar/clock.ts';
import { isObject, membersOf, objectsOf, textOf, type JsonObject } from '../canonical/json-members.ts';

/**
 * A response with the members that OpenAI's document requires, and without null where it has none: not all providers keep to it.
 * Source: OpenAI's API document, CreateChatCompletionResponse.
 * @returns null for what is no response
 */
export function completeDocument(document: unknown, model: string): JsonObject | null {
  if (!isObject(document) || !Array.isArray(document.choices)) return null;
  return {
    ...withoutNulls(document),
    object: 'chat.completion',
    created: typeof document.created === 'number' ? document.created : unixSeconds(),
    model: textOf(document.model) ?? model,
    choices: objectsOf(document.choices).map(completeChoice),
  };
}

function completeChoice(choice: JsonObject, position: number): JsonObject {
  const { logprobs } = choice;
  return {
    ...choice,
    index: choice.index ?? position,
    message: { content: null, refusal: null, ...withoutNulls(membersOf(choice.message)), role: 'assistant' },
    logprobs: isObject(logprobs) ? { content: null, refusal: null, ...logprobs } : null,
    finish_reason: choice.finish_reason ?? 'stop',
  };
}

function withoutNulls(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
