import type { ProviderErrorDetails } from '../canonical/reported-error.ts';
import { isObject, textIn, textOf } from '../canonical/json-members.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/** OpenAI's codes for what its clients act on; other types have none. */
const codes: Readonly<Record<string, string>> = {
  rate_limit_error: 'rate_limit_exceeded',
  overloaded_error: 'overloaded_error',
};

/**
 * Reads `{"type":"error","error":{"type","message"}}`, the body of a refusal.
 * Source: platform.claude.com/docs/en/api/errors.
 */
export function readAnthropicError(body: string): ProviderErrorDetails | null {
  try {
    return readErrorDetails(JSON.parse(body));
  } catch {
    return null;
  }
}

/** The same, of an event of a stream; null for what is none. */
export function readErrorDetails(answer: unknown): ProviderErrorDetails | null {
  const error = isObject(answer) ? answer.error : null;
  // Cut before it is looked through: it may be anybody's server, and as long as it likes.
  const message = isObject(error) ? textIn(error, 'message').slice(0, MAX_MESSAGE_LENGTH) : '';
  if (!isObject(error) || message === '') return null;
  const type = textOf(error.type);
  if (isTooLong(message)) return { message, type, code: 'context_length_exceeded', param: 'messages' };
  if (isOutOfMoney(message)) return { message, type: 'insufficient_quota', code: 'insufficient_quota', param: null };
  const code = type !== null && Object.hasOwn(codes, type) ? codes[type] : undefined;
  return {
    message,
    type,
    code: code ?? unknownModel(type, message),
    param: null,
    isCredentials: type === 'authentication_error',
  };
}

/** Anthropic has no code for it. The second wording is that of a prompt which leaves no room for `max_tokens`. */
function isTooLong(message: string): boolean {
  return message.startsWith('prompt is too long') || message.includes('exceed context limit');
}

/** Anthropic calls it a fault of the request. */
function isOutOfMoney(message: string): boolean {
  return message.toLowerCase().includes('credit balance is too low');
}

function unknownModel(type: string | null, message: string): string | null {
  return type === 'not_found_error' && message.startsWith('model:') ? 'model_not_found' : null;
}
