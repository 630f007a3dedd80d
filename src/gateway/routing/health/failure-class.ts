import type { SluiceError } from '../../../errors/index.ts';
import { isContextOverflow } from '../../../protocols/canonical/context-overflow.ts';

/**
 * The class of a failed attempt, which determines what may follow it. `client`: the request is invalid everywhere.
 * `context`: it is too long for this model. `missing`: the provider does not have the model. `limited`: the key's rate
 * limit at the provider is exceeded. `quota`: its money is spent. `credentials`: the provider rejects the key.
 * `unavailable`: the provider, or the network to it, fails.
 * `local`: this server lacks the resources for an attempt at any target.
 */
export type FailureClass =
  | 'client'
  | 'context'
  | 'missing'
  | 'limited'
  | 'quota'
  | 'credentials'
  | 'unavailable'
  | 'local';

const ofTheProvider = new Set([
  'provider_error',
  'provider_unreachable',
  'provider_overloaded',
  'provider_timeout',
  'provider_invalid_response',
  'provider_stream_cut',
]);

export function classify(error: SluiceError): FailureClass {
  if (error.code === 'provider_credentials') return 'credentials';
  if (error.code === 'context_length_exceeded') return 'context';
  if (error.code === 'capability_not_supported') return 'missing';
  if (error.code === 'resources_exhausted') return 'local';
  if (!ofTheProvider.has(error.code)) return 'client';
  const { upstream } = error;
  if (upstream === undefined) return error.wireCode === 'context_length_exceeded' ? 'context' : 'unavailable';
  if (upstream.status === 402 || upstream.code === 'insufficient_quota') return 'quota';
  if (upstream.status === 429) return 'limited';
  if (upstream.status >= 500) return 'unavailable';
  if (upstream.status !== 404 && isContextOverflow(upstream.message, upstream.type, upstream.code)) return 'context';
  return upstream.status === 404 ? 'missing' : 'client';
}
