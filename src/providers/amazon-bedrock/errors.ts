import type { SluiceError } from '../../errors/index.ts';
import { membersOf } from '../../protocols/canonical/json-members.ts';
import type { ProviderErrorDetails } from '../../protocols/canonical/reported-error.ts';
import { readAnthropicError, readErrorDetails } from '../../protocols/messages/errors.ts';
import { refusalError } from '../shared/http/upstream-error.ts';

const MAX_MESSAGE_LENGTH = 2_000;
/** Before what the model's own server says. */
const PREFIX = /^The model returned the following errors: /;

/**
 * Reads `{"message"}`, the body of Bedrock's errors, or Anthropic's own. Source:
 * docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html.
 */
export function readBedrockError(body: string): ProviderErrorDetails | null {
  const own = readAnthropicError(body);
  if (own !== null) return own;
  const { message, Message: capitalised } = membersOf(parsed(body));
  const text = typeof message === 'string' ? message : capitalised;
  if (typeof text !== 'string' || text === '') return null;
  const reported = text.slice(0, MAX_MESSAGE_LENGTH).replace(PREFIX, '');
  return readAnthropicError(reported) ?? readErrorDetails({ error: { message: reported } });
}

/**
 * Statuses of the exceptions within a stream; 500 for others. Source:
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ResponseStream.html.
 */
const statuses: Readonly<Record<string, number>> = {
  modelTimeoutException: 504,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
};

/** An exception within a stream. @param payload its JSON */
export function exceptionError(provider: string, name: string, payload: Buffer): SluiceError {
  const details = readBedrockError(payload.toString('utf8', 0, 4 * MAX_MESSAGE_LENGTH)) ?? {
    message: name,
    type: null,
    code: null,
    param: null,
  };
  const key = name.charAt(0).toLowerCase() + name.slice(1);
  const status = Object.hasOwn(statuses, key) ? (statuses[key] ?? 500) : 500;
  return refusalError(provider, status, {}, details, null);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
