import type { CompletionUpdate } from '../../../live/events.ts';
import type { ResultChoice } from '../../../protocols/canonical/generation-result.ts';
import { isRecord } from './chat-usage.ts';

/** Converts one chat chunk to updates for live subscribers. Unknown members are ignored. */
export function chunkUpdates(chunk: unknown): CompletionUpdate[] {
  // A legacy completion has a text in place of a delta.
  return eachChoice(chunk, ({ delta, text: content }) => delta ?? { content });
}

/** Converts an unstreamed response: each message becomes one update. */
export function answerUpdates(answer: unknown): CompletionUpdate[] {
  return eachChoice(answer, (choice) => choice.message);
}

/** Converts the choices of a result in the same way. */
export function resultUpdates(choices: readonly ResultChoice[]): CompletionUpdate[] {
  const updates: CompletionUpdate[] = [];
  choices.forEach(({ reasoning, text: content, refusal, calls }, choice) => {
    if (reasoning !== '') updates.push({ type: 'reasoning', choice, text: reasoning });
    for (const output of [content, refusal]) if (output) updates.push({ type: 'delta', choice, text: output });
    for (const [index, { id, name, input }] of calls.entries())
      updates.push({ type: 'toolCall', choice, index, id: id || null, name: name || null, arguments: input });
  });
  return updates;
}

function eachChoice(value: unknown, part: (choice: Record<string, unknown>) => unknown): CompletionUpdate[] {
  const updates: CompletionUpdate[] = [];
  if (!isRecord(value) || !Array.isArray(value.choices)) return updates;
  for (const choice of value.choices) {
    if (!isRecord(choice)) continue;
    const message = part(choice);
    if (!isRecord(message)) continue;
    const index = typeof choice.index === 'number' ? choice.index : 0;
    // `reasoning_content` is used by DeepSeek and vLLM, `reasoning` by OpenRouter and Ollama.
    const reasoning = text(message.reasoning_content) || text(message.reasoning);
    if (reasoning) updates.push({ type: 'reasoning', choice: index, text: reasoning });
    // Audio is represented by its transcript.
    const spoken = isRecord(message.audio) ? text(message.audio.transcript) : '';
    for (const output of [text(message.content), text(message.refusal), spoken])
      if (output) updates.push({ type: 'delta', choice: index, text: output });
    if (Array.isArray(message.tool_calls))
      for (const [position, call] of message.tool_calls.entries()) updates.push(...toolCall(index, position, call));
    // The deprecated form of a tool call.
    if (isRecord(message.function_call)) updates.push(...toolCall(index, 0, { function: message.function_call }));
  }
  return updates;
}

function toolCall(choice: number, position: number, call: unknown): CompletionUpdate[] {
  if (!isRecord(call)) return [];
  const named = isRecord(call.function) ? call.function : isRecord(call.custom) ? call.custom : {};
  return [
    {
      type: 'toolCall',
      choice,
      index: typeof call.index === 'number' ? call.index : position,
      id: text(call.id) || null,
      name: text(named.name) || null,
      arguments: text(named.arguments) || text(named.input),
    },
  ];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
