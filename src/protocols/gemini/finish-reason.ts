import type { FinishReason } from '../canonical/stream-part.ts';

const reasons: Readonly<Record<string, FinishReason>> = {
  MAX_TOKENS: 'length',
  // The maximum of one request, for a response that may be continued.
  CONTINUATION: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  // A malformed call is not relayed, and its response ends like one without calls.
  MALFORMED_FUNCTION_CALL: 'stop',
  UNEXPECTED_TOOL_CALL: 'stop',
};

/** Source: ai.google.dev/api/generate-content, Candidate.FinishReason. Unknown reasons become `stop`. */
export function finishReason(reason: string, hasCalls: boolean): FinishReason {
  const known = Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
  return known ?? (hasCalls ? 'tool_calls' : 'stop');
}
