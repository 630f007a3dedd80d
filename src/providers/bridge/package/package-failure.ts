import { SluiceError } from '../../../errors/index.ts';
import { readOpenAiError, refusalError, type ReadError } from '../../shared/http/upstream-error.ts';

/** The maximum depth of causes that is searched. */
const MAX_CAUSE_DEPTH = 8;

/** Names of the packages' errors for requests with content that the provider does not support. */
const unsupported: ReadonlySet<string> = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_TypeValidationError',
  'RangeError',
]);

/** Names of the packages' errors for a misconfigured connection. */
const misconfigured: ReadonlySet<string> = new Set(['AI_LoadAPIKeyError', 'AI_LoadSettingError']);

/**
 * Converts what a package threw. Errors are recognized by name, which the packages guarantee, and not by class: the
 * packages are not loaded here. Messages may quote content, so none is relayed.
 * @param sent whether the request was handed to the network
 * @param param the parameter that a refusal to send the request refers to
 */
export function packageFailure(provider: string, error: unknown, sent: boolean, param = 'messages'): SluiceError {
  const chain = causes(error);
  const known = chain.find((cause) => cause instanceof SluiceError);
  if (known) return known;
  const refusal = chain.map((cause) => refused(provider, cause)).find((found) => found !== null);
  if (refusal) return refusal;
  const names = chain.map((cause) => (cause instanceof Error ? cause.name : typeof cause));
  const detail = names.join(' < ');
  if (names.some((name) => misconfigured.has(name)))
    return new SluiceError('provider_credentials', { values: { provider }, detail });
  if (!sent && names.some((name) => unsupported.has(name)))
    return new SluiceError('unsupported_value', {
      param,
      values: { reason: `contains a value that provider ${provider} does not support.` },
      detail,
    });
  return new SluiceError('provider_invalid_response', { values: { provider }, detail });
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let next = error; next !== undefined && chain.length < MAX_CAUSE_DEPTH;) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

/** Reads an `APICallError` of `@ai-sdk/provider`: a response with an error status. */
function refused(provider: string, error: unknown): SluiceError | null {
  if (!(error instanceof Error) || error.name !== 'AI_APICallError' || !('statusCode' in error)) return null;
  const { statusCode } = error;
  if (typeof statusCode !== 'number' || statusCode < 300) return null;
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const headers = 'responseHeaders' in error ? textMembers(error.responseHeaders) : {};
  return refusalError(provider, statusCode, headers, readPackageError(body));
}

/** Google sends the error of a stream as an array with one element. */
const readPackageError: ReadError = (body) => readOpenAiError(body.replace(/^\s*\[([^]*)\]\s*$/, '$1'));

function textMembers(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
