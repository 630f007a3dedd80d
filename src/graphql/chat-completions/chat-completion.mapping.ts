import type { ChatCompletionRow } from '../../services/chat-completions/chat-completion-rows.ts';
import { toGlobalId } from '../relay/global-id.ts';
import { usd } from '../scalars/money.type.ts';
import type { ChatCompletion } from './chat-completion.types.ts';

export function toChatCompletion(row: ChatCompletionRow): ChatCompletion {
  const { id, completionId, model, metadata, completion, costNano, createdAt, expiresAt } = row;
  return {
    id: toGlobalId('ChatCompletion', id),
    completionId,
    model,
    metadata,
    outputText: outputText(completion.choices),
    body: { ...completion, metadata },
    cost: costNano === null ? null : usd(costNano),
    createdAt,
    expiresAt,
  };
}

/** A line for each choice with text. */
function outputText(choices: unknown): string {
  const texts = Array.isArray(choices)
    ? choices.map((choice: unknown) => member(member(choice, 'message'), 'content'))
    : [];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
