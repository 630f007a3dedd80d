import { isObject } from '../../data/json.ts';

/** The text of the assistant's message, or the names of the tools that it calls. */
export function outputText(output: unknown): string {
  if (!isObject(output)) return 'No output';
  const { content, refusal, tool_calls: calls } = output;
  if (typeof content === 'string' && content !== '') return content;
  if (Array.isArray(content)) {
    const text = content.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : ''));
    if (text.join('') !== '') return text.join('');
  }
  if (typeof refusal === 'string') return refusal;
  const names = (Array.isArray(calls) ? calls : []).flatMap((call: unknown) =>
    isObject(call) && isObject(call.function) && typeof call.function.name === 'string' ? [call.function.name] : [],
  );
  return names.length > 0 ? `Calls ${names.join(', ')}` : 'No output';
}
