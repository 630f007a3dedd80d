import type { SluiceError } from '../../errors/index.ts';

/**
 * Whose a failed try is, and so what may follow it.
 * `caller`: the request itself is bad, and would be anywhere. `context`: it is too long for this model. `missing`: the provider
 * has no such model. `limited`: the key's rate at the provider is used up. `quota`: its money is. `credentials`: the provider
 * refuses the key. `unavailable`: the provider, or the way to it, does not work.
 */
export type FailureClass = 'caller' | 'context' | 'missing' | 'limited' | 'quota' | 'credentials' | 'unavailable';

const tooLong =
  /context[ _-]?(length|window|size)|maximum (context|number of tokens)|too many (input )?tokens|prompt is too long/i;
/** More of a message is not looked through: a tenant's own server may send as much as it likes. */
const MAX_MESSAGE_LENGTH = 2_000;
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
  if (!ofTheProvider.has(error.code)) return 'caller';
  const { upstream } = error;
  if (upstream === undefined) return error.wireCode === 'context_length_exceeded' ? 'context' : 'unavailable';
  if (upstream.status === 402 || upstream.code === 'insufficient_quota') return 'quota';
  if (upstream.status === 429) return 'limited';
  if (upstream.status >= 500) return 'unavailable';
  if (
    upstream.code === 'context_length_exceeded' ||
    (upstream.status !== 404 && tooLong.test(upstream.message.slice(0, MAX_MESSAGE_LENGTH)))
  )
    return 'context';
  return upstream.status === 404 ? 'missing' : 'caller';
}
