import type { ChatMessage } from './dataset-document.ts';

/** Of the text parts of a message, or of its refusal. */
export function textOfMessage({ content, refusal }: ChatMessage): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content
      .map((part: unknown) => (typeof part === 'object' && part !== null ? (Reflect.get(part, 'text') as unknown) : ''))
      .filter((text) => typeof text === 'string')
      .join('');
  return typeof refusal === 'string' ? refusal : '';
}
