import { SluiceError } from '../../../errors/index.ts';
import type { CallContext } from '../../contract.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import type { SpeechFormat, SpeechRequest } from './speech-request.ts';

/** Parameters that every provider supports, and the stream format, which the gateway renders. */
const common = new Set(['model', 'input', 'voice', 'stream_format']);

/**
 * Rejects or drops the parameters that a provider does not support.
 * @param supports whether it supports a parameter with that value
 * @returns the names of the dropped parameters
 * @throws SluiceError unsupported_parameter under `strict`
 */
export function unsupportedSpeechParameters(
  provider: string,
  { request, parameters }: CallContext<SpeechRequest>,
  supports: (name: string, value: unknown) => boolean,
): readonly string[] {
  const names = Object.keys(request).filter((name) => {
    const value = request[name];
    if (value === undefined || value === null || (name === 'speed' && value === 1)) return false;
    return !common.has(name) && !supports(name, value);
  });
  return refuseOrDrop(provider, names, parameters);
}

/** The provider's name of the requested format, or of the default. */
export function formatFor<Own>(
  formats: Readonly<Partial<Record<SpeechFormat, Own>>>,
  { response_format }: SpeechRequest,
  otherwise: SpeechFormat,
): Own {
  const own = formats[response_format ?? otherwise] ?? formats[otherwise];
  if (own === undefined) throw new SluiceError('internal_error', { detail: `no format ${otherwise}` });
  return own;
}

/** A voice by its name, or by its id. */
export function voiceName({ voice }: SpeechRequest): string {
  return typeof voice === 'string' ? voice : voice.id;
}

/** Whether a speed is within the provider's range. */
export function isWithin(min: number, max: number): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && value >= min && value <= max;
}
