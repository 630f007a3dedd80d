import type { FinishReason } from '../canonical/stream-part.ts';

const reasons: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
};

/**
 * `end_turn`, `stop_sequence`, `pause_turn` and unknown reasons become `stop`. Source:
 * platform.claude.com/docs/en/api/handling-stop-reasons.
 */
export function finishReason(stopReason: string): FinishReason {
  return (Object.hasOwn(reasons, stopReason) ? reasons[stopReason] : undefined) ?? 'stop';
}

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

/** Anthropic's reason for one of a chat; `end_turn` where there is none. */
export function stopReason(reason: FinishReason | null): string {
  return reason === null ? 'end_turn' : stopReasons[reason];
}
