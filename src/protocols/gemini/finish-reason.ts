import type { FinishReason } from '../canonical/stream-part.ts';

const reasons: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  // The most that one request generates, of an answer that may be continued.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  // A call that could not be read was none, and an answer of it ends as one without calls.
  MALFORMED_FUNCTION_CALL: 'stop',
  UNEXPECTED_TOOL_CALL: 'stop',
};

/** Source: ai.google.dev/api/generate-content, Candidate.FinishReason. What is not known there has stopped, too. */
export function finishReason(reason: string, hasCalls: boolean): FinishReason {
  const known = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return known ?? (hasCalls ? 'tool_calls' : 'stop');
}
