import { renderMessagesError } from '../../gateway/capabilities/messages/messages-protocol.ts';
import type { RateLimitView } from '../../gateway/limits/limit-store.ts';
import type { ClientFormat } from '../http/client-format.ts';

/** Errors and headers as Anthropic's clients read them. Source: platform.claude.com/docs/en/api/errors and /api/rate-limits. */
export const anthropicFormat: ClientFormat = {
  errorBody: (error, message, requestId) => renderMessagesError(error, message, requestId),
  headers: (requestId, view, now) => `request-id: ${requestId}\r\n${view === null ? '' : limitHeaders(view, now)}`,
};

function limitHeaders(view: RateLimitView, now: number): string {
  const { limitRequests, remainingRequests, resetRequestsMs, limitTokens, remainingTokens, resetTokensMs } = view;
  return (
    lines('requests', limitRequests, remainingRequests, now + resetRequestsMs) +
    lines('tokens', limitTokens, remainingTokens, now + resetTokensMs)
  );
}

function lines(what: string, limit: number, remaining: number, resetAt: number): string {
  const reset = new Date(resetAt).toISOString();
  const name = `anthropic-ratelimit-${what}`;
  return `${name}-limit: ${limit}\r\n${name}-remaining: ${remaining}\r\n${name}-reset: ${reset}\r\n`;
}
