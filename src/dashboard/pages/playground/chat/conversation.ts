import { othersIn, toolsIn, parametersIn, type Draft } from '../draft.ts';
import type { Completion } from './completion.ts';

export interface Turn {
  readonly id: string;
  readonly text: string;
  /** Data URLs. */
  readonly images: readonly string[];
  readonly completion: Completion;
  /** The results of its tool calls, by call id. */
  readonly results: Readonly<Record<string, string>>;
  /** Texts of the fields of results that are not sent yet; empty if absent. */
  readonly enteredResults?: Readonly<Record<string, string>>;
}

/** The conversation so far, as OpenAI messages. */
export function messagesOf(system: string, turns: readonly Omit<Turn, 'id'>[]): unknown[] {
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
    ...turns.flatMap(({ text, images, completion, results }) => [
      ...(text === '' && images.length === 0 ? [] : [userMessage(text, images)]),
      ...assistantMessage(completion),
      ...completion.toolCalls.flatMap(({ id }) =>
        results[id] === undefined ? [] : [{ role: 'tool', tool_call_id: id, content: results[id] }],
      ),
    ]),
  ];
}

function userMessage(text: string, images: readonly string[]): unknown {
  if (images.length === 0) return { role: 'user', content: text };
  return {
    role: 'user',
    content: [{ type: 'text', text }, ...images.map((url) => ({ type: 'image_url', image_url: { url } }))],
  };
}

function assistantMessage({ text, toolCalls }: Completion): unknown[] {
  if (toolCalls.length > 0)
    return [
      {
        role: 'assistant',
        content: text === '' ? null : text,
        tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
          id,
          type: 'function',
          function: { name, arguments: given },
        })),
      },
    ];
  return text === '' ? [] : [{ role: 'assistant', content: text }];
}

/** @throws SyntaxError | TypeError when the tools are not a JSON array, or the other parameters no JSON object */
export function chatParameters(draft: Draft): Record<string, unknown> {
  const tools = toolsIn(draft);
  return { ...othersIn(draft), ...parametersIn('chat', draft), ...(tools && { tools }) };
}
