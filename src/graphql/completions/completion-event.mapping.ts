import type { CompletionUpdate } from '../../live/events.ts';
import { usd } from '../scalars/money.type.ts';
import {
  CompletionDelta,
  CompletionFailed,
  CompletionFinished,
  CompletionReasoning,
  CompletionStarted,
  CompletionToolCall,
  EventGap,
  type CompletionEvent,
} from './completion-event.types.ts';

export function toCompletionEvent(cursor: string | null, update: CompletionUpdate): typeof CompletionEvent {
  switch (update.type) {
    case 'started':
      return Object.assign(new CompletionStarted(), { cursor, model: update.model, provider: update.provider });
    case 'delta':
      return Object.assign(new CompletionDelta(), { cursor, choice: update.choice, text: update.text });
    case 'reasoning':
      return Object.assign(new CompletionReasoning(), { cursor, choice: update.choice, text: update.text });
    case 'toolCall':
      return Object.assign(new CompletionToolCall(), {
        cursor,
        choice: update.choice,
        index: update.index,
        id: update.id,
        name: update.name,
        arguments: update.arguments,
      });
    case 'finished': {
      const { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated } = update;
      return Object.assign(new CompletionFinished(), {
        cursor,
        finishReason: update.finishReason,
        usage: { inputTokens, outputTokens, cachedTokens, reasoningTokens, estimated },
        cost: usd(update.costNano),
        durationMs: Math.round(update.durationMs),
        firstTokenMs: update.firstTokenMs === null ? null : Math.round(update.firstTokenMs),
      });
    }
    case 'failed':
      return Object.assign(new CompletionFailed(), { cursor, code: update.code, message: update.message });
  }
}

export function gap(): EventGap {
  return Object.assign(new EventGap(), { cursor: null });
}
