import { SluiceError } from '../../errors/index.ts';
import type { CallContext } from '../contract.ts';
import { TIMED } from './captions.ts';
import { refuseOrDrop } from './parameters.ts';
import type { TranscriptionFormat, TranscriptionRequest } from './transcription-request.ts';

/** What is no parameter of the recognition, or is served here. */
const served = new Set(['task', 'file', 'durationSeconds', 'model', 'stream', 'response_format']);

/** What a provider of its own kind can be asked for. */
export interface TranscriptionSupport {
  readonly parameters: readonly string[];
  /** Whether it can tell when something was said, and when each word was. */
  readonly times?: 'none' | 'segments' | 'words';
  readonly speakers?: boolean;
  readonly translates?: boolean;
}

/**
 * What a provider cannot take of a request.
 * @returns the names of the parameters that are left out
 * @throws SluiceError of status 400
 */
export function unsupportedTranscriptionParameters(
  provider: string,
  { request, parameters }: Pick<CallContext<TranscriptionRequest>, 'request' | 'parameters'>,
  { parameters: supported, times = 'words', speakers = false, translates = false }: TranscriptionSupport,
): readonly string[] {
  if (request.task === 'translate' && !translates)
    throw new SluiceError('capability_not_supported', { values: { provider, capability: 'translation' } });
  const names = Object.keys(request).filter(
    (name) =>
      !served.has(name) &&
      !supported.includes(name) &&
      name !== 'timestamp_granularities' &&
      isSpecified(request[name]),
  );
  const format: TranscriptionFormat = request.response_format ?? 'json';
  // What is made without times would not be what was asked for: it cannot be dropped.
  if ((times === 'none' && TIMED.has(format)) || (format === 'diarized_json' && !speakers))
    throw new SluiceError('unsupported_value', {
      param: 'response_format',
      values: { reason: `is not '${format}' for the provider ${provider}: it does not tell ${missing(format)}.` },
    });
  if (times !== 'words' && request.timestamp_granularities?.includes('word') === true)
    names.push('timestamp_granularities');
  return refuseOrDrop(provider, names, parameters);
}

function missing(format: TranscriptionFormat): string {
  return format === 'diarized_json' ? 'who speaks' : 'when something was said';
}

/** What says nothing is the same as leaving it out. */
function isSpecified(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 'auto') return false;
  return !Array.isArray(value) || value.length > 0;
}
