import type { SluiceError } from '../../errors/index.ts';
import { contextOverflow, isContextOverflow, overflowMessage } from '../canonical/context-overflow.ts';
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
  // Anthropic has no code for it.
  if (isContextOverflow(message, type))
    return { message: overflowMessage(message), type, code: 'context_length_exceeded', param: 'messages' };
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

/** Anthropic reports it as an invalid request. */
function isQuotaExhausted(message: string): boolean {
  return message.toLowerCase().includes('credit balance is too low');
}

function unknownModel(type: string | null, message: string): string | null {
  return type === 'not_found_error' && message.startsWith('model:') ? 'model_not_found' : null;
}

/** Anthropic's types by status. Source: platform.claude.com/docs/en/api/errors. */
const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error in Anthropic's envelope. @param message the error's own if absent */
export function renderMessagesError(
  error: SluiceError,
  message = error.message,
  requestId: string | null = null,
): string {
  const type = types[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error');
  return JSON.stringify({
    type: 'error',
    error: { type, message: textOfError(error, message) },
    request_id: requestId,
  });
}

/** The last event of a stream that fails. @param requestId the one that the client received in its headers */
export function messagesErrorEvent(error: SluiceError, requestId: string | null): string {
  return `event: error\ndata: ${renderMessagesError(error, error.message, requestId)}\n\n`;
}

/** Claude's clients compact a conversation when they read this text. */
function textOfError({ wireCode, param }: SluiceError, message: string): string {
  if (wireCode === 'context_length_exceeded') {
    const { tokens, maximum } = contextOverflow(message);
    if (tokens !== null && maximum !== null) return `prompt is too long: ${tokens} tokens > ${maximum} maximum`;
    return message.startsWith('prompt is too long') ? message : `prompt is too long: ${message}`;
  }
  return param === null || message.includes(param) ? message : `${param}: ${message}`;
}
