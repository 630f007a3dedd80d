import { isObject } from '../../data/json.ts';

/** The text of the assistant's message; null if it has none. */
export function messageText(output: unknown): string | null {
  if (!isObject(output)) return null;
  const { content, refusal } = output;
  if (typeof content === 'string' && content !== '') return content;
  if (Array.isArray(content)) {
    const text = content.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : ''));
    if (text.join('') !== '') return text.join('');
  }
  return typeof refusal === 'string' ? refusal : null;
}

/** The text of the assistant's message, or the names of the tools that it calls. */
export function outputText(output: unknown): string {
  const text = messageText(output);
  if (text !== null) return text;
  const calls = isObject(output) ? output.tool_calls : null;
  const names = (Array.isArray(calls) ? calls : []).flatMap((call: unknown) =>
    isObject(call) && isObject(call.function) && typeof call.function.name === 'string' ? [call.function.name] : [],
  );
  return names.length > 0 ? `Calls ${names.join(', ')}` : 'No output';
}
