import type { ReactNode } from 'react';
import { isObject } from '../../data/json.ts';

interface ComparisonContent {
  readonly prompt?: string | null;
  readonly texts?: readonly string[] | null;
  readonly messages?: unknown;
}

/** The prompt that all models received. */
export function Prompt({ content }: { readonly content: ComparisonContent }): ReactNode {
  return (
    <div className="max-h-20 overflow-y-auto rounded-large bg-accent-wash px-2 py-1.5 whitespace-pre-wrap">
      {promptText(content)}
    </div>
  );
}

/** The prompt; for a conversation, its last user message. */
export function promptText({ prompt, texts, messages }: ComparisonContent): string {
  if (prompt != null && prompt !== '') return prompt;
  if (texts != null && texts.length > 0) return texts.join('\n');
  if (!Array.isArray(messages)) return '';
  const last: unknown = messages.findLast((each: unknown) => isObject(each) && each.role === 'user');
  if (!isObject(last)) return '';
  if (typeof last.content === 'string') return last.content;
  return Array.isArray(last.content)
    ? last.content.map((part: unknown) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join(' ')
    : '';
}
