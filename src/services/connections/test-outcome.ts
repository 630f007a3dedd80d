import { redactSecrets, SluiceError } from '../../errors/index.ts';
import { storableText } from '../../database/storable-text.ts';

export interface TestOutcome {
  readonly succeeded: boolean;
  /** For people: in the provider's own words if it gave any, without secrets. */
  readonly message: string;
}

export function testSucceeded(models: readonly string[]): TestOutcome {
  if (models.length === 0)
    return { succeeded: true, message: 'The provider lists no models, so the credentials were not tested.' };
  return {
    succeeded: true,
    message: `The provider lists ${models.length} ${models.length === 1 ? 'model' : 'models'}.`,
  };
}

/**
 * The reason of a failed test. Errors unrelated to the connection are rethrown.
 * @param secrets removed from the provider's message
 */
export function testFailed(error: unknown, secrets: readonly string[] = []): TestOutcome {
  const reason = reasonOf(error);
  const providerMessage = error instanceof SluiceError ? (error.reported?.message ?? '') : '';
  if (providerMessage === '') return { succeeded: false, message: reason };
  // Truncated first, with room for what is removed, because a provider may send any amount.
  const words = storableText(redactSecrets(providerMessage.slice(0, MAX_MESSAGE_LENGTH * 4), secrets));
  return { succeeded: false, message: `${reason} Provider message: ${words.slice(0, MAX_MESSAGE_LENGTH)}` };
}

/** In characters. */
const MAX_MESSAGE_LENGTH = 500;

/** By Node's and undici's codes, at any depth of causes. */
const connectionFailures: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host of its base URL is not known.',
  ENODATA: 'The host of its base URL has no address.',
  ESERVFAIL: 'The name servers of its host failed.',
  ETIMEOUT: 'The name servers of its host did not respond in time.',
  ECONNREFUSED: 'The connection to its base URL was refused.',
  ECONNRESET: 'The connection was closed unexpectedly.',
  UND_ERR_SOCKET: 'The connection was closed unexpectedly.',
  UND_ERR_CONNECT_TIMEOUT: 'It did not respond in time.',
  UND_ERR_ABORTED: 'It did not respond in time.',
  ETIMEDOUT: 'It did not respond in time.',
  CERT_HAS_EXPIRED: 'Its TLS certificate has expired.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its TLS certificate is for another host.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its TLS certificate is not signed by a trusted authority.',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its TLS certificate is not signed by a trusted authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its TLS certificate is not signed by a trusted authority.',
};

function reasonOf(error: unknown): string {
  const causes = causesOf(error);
  const refused = causes.find((cause) => cause instanceof SluiceError && cause.code === 'outbound_refused');
  if (refused) return refused.message;
  if (!(error instanceof SluiceError)) throw error;
  switch (error.code) {
    case 'provider_credentials':
      return `The provider rejected the credentials${error.upstreamStatus === null ? '' : ` with status ${error.upstreamStatus}`}.`;
    case 'provider_invalid_response':
      return 'The response is not a list of models. Check the base URL.';
    case 'provider_unreachable': {
      const explanation = causes.map((cause) => connectionFailures[codeOf(cause)]).find((text) => text !== undefined);
      return `The provider could not be reached.${explanation === undefined ? '' : ` ${explanation}`}`;
    }
    case 'provider_timeout':
      return 'The provider did not respond in time.';
    case 'provider_error':
    case 'provider_overloaded':
      return error.upstreamStatus === null
        ? 'The provider did not respond.'
        : `The provider returned status ${error.upstreamStatus}.`;
    default:
      throw error;
  }
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 5; at = at.cause) {
    causes.push(at);
    // One per attempted address.
    if (at instanceof AggregateError) causes.push(...at.errors.slice(0, 5).filter((each) => each instanceof Error));
  }
  return causes;
}

function codeOf(error: Error): string {
  if (error.name === 'TimeoutError') return 'ETIMEDOUT';
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}
