import { SluiceError } from '../../../errors/index.ts';
import { readOpenAiError, refusalError, type ReadError } from '../../shared/http/upstream-error.ts';

/** Causes further down than this are not looked for. */
const DEEPEST_CAUSE = 8;

/** Errors of the packages, by name, that say that a request holds what the provider has no place for. */
const unsupported: ReadonlySet<string> = new Set([
  'AI_UnsupportedFunctionalityError',
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_TypeValidationError',
  'RangeError',
]);

/** Errors of the packages, by name, that say that the connection is not configured as it should be. */
const misconfigured: ReadonlySet<string> = new Set(['AI_LoadAPIKeyError', 'AI_LoadSettingError']);

/**
 * What a package threw, in our terms. The packages are known by the names of their errors, which they promise, and not by
 * class: they are not loaded here. Their messages may quote what they met, so none is shown.
 * @param sent whether the request had been given to the network
 * @param param which parameter a refusal to send it is about
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
  for (let next = error; next !== undefined && chain.length < DEEPEST_CAUSE;) {
    chain.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return chain;
}

/** Reads an `APICallError` of `@ai-sdk/provider`: an answer of another status than success. */
function refused(provider: string, error: unknown): SluiceError | null {
  if (!(error instanceof Error) || error.name !== 'AI_APICallError' || !('statusCode' in error)) return null;
  const { statusCode } = error;
  if (typeof statusCode !== 'number' || statusCode < 300) return null;
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  const headers = 'responseHeaders' in error ? textMembers(error.responseHeaders) : {};
  return refusalError(provider, statusCode, headers, readPackageError(body));
}

/** Google sends the error of a stream as the one element of an array. */
const readPackageError: ReadError = (body) => readOpenAiError(body.replace(/^\s*\[([^]*)\]\s*$/, '$1'));

function textMembers(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
