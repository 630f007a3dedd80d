import type { ProviderErrorDetails } from '../canonical/reported-error.ts';
import { isObject, textIn, textOf } from '../canonical/json-members.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** OpenAI's codes for errors that its clients handle; other types have none. */
const codes: Readonly<Record<string, string>> = {
  rate_limit_error: 'rate_limit_exceeded',
  overloaded_error: 'overloaded_error',
};

/**
 * Reads `{"type":"error","error":{"type","message"}}`, the body of an error response. Source:
 * platform.claude.com/docs/en/api/errors.
 */
export function readAnthropicError(body: string): ProviderErrorDetails | null {
  try {
    return readErrorDetails(JSON.parse(body));
  } catch {
    return null;
  }
}

/** The same, for an event of a stream; null for anything else. */
export function readErrorDetails(answer: unknown): ProviderErrorDetails | null {
  const error = isObject(answer) ? answer.error : null;
  // Truncated before it is searched: the server may be anyone's, and the message of any length.
  const message = isObject(error) ? textIn(error, 'message').slice(0, MAX_MESSAGE_LENGTH) : '';
  if (!isObject(error) || message === '') return null;
  const type = textOf(error.type);
  if (isTooLong(message)) return { message, type, code: 'context_length_exceeded', param: 'messages' };
  if (isQuotaExhausted(message))
    return { message, type: 'insufficient_quota', code: 'insufficient_quota', param: null };
  const code = type !== null && Object.hasOwn(codes, type) ? codes[type] : undefined;
  return {
    message,
    type,
    code: code ?? unknownModel(type, message),
    param: null,
    isCredentials: type === 'authentication_error',
  };
}

/** Anthropic has no code for it. The second wording is for a prompt that leaves no room for `max_tokens`. */
function isTooLong(message: string): boolean {
  return message.startsWith('prompt is too long') || message.includes('exceed context limit');
}

/** Anthropic reports it as an invalid request. */
function isQuotaExhausted(message: string): boolean {
  return message.toLowerCase().includes('credit balance is too low');
}

function unknownModel(type: string | null, message: string): string | null {
  return type === 'not_found_error' && message.startsWith('model:') ? 'model_not_found' : null;
}
