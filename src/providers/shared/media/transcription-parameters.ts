import { SluiceError } from '../../../errors/index.ts';
import type { CallContext } from '../../contract.ts';
import { TIMED } from './captions.ts';
import { refuseOrDrop } from '../../../protocols/canonical/parameter-policy.ts';
import type { TranscriptionFormat, TranscriptionRequest } from './transcription-request.ts';

/** Members that are not recognition parameters, or that the gateway handles. */
const served = new Set(['task', 'file', 'durationSeconds', 'model', 'stream', 'response_format']);

/** What a provider with its own API supports. */
export interface TranscriptionSupport {
  readonly parameters: readonly string[];
  /** Whether it reports the times of segments and words. */
  readonly times?: 'none' | 'segments' | 'words';
  readonly speakers?: boolean;
  readonly translates?: boolean;
}

/**
 * Rejects or drops the parameters that a provider does not support.
 * @returns the names of the dropped parameters
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
  // A format with times cannot be rendered without them, and cannot be dropped.
  if ((times === 'none' && TIMED.has(format)) || (format === 'diarized_json' && !speakers))
    throw new SluiceError('unsupported_value', {
      param: 'response_format',
      values: { reason: `must not be '${format}' for provider ${provider}, which does not return ${missing(format)}.` },
    });
  if (times !== 'words' && request.timestamp_granularities?.includes('word') === true)
    names.push('timestamp_granularities');
  return refuseOrDrop(provider, names, parameters);
}

function missing(format: TranscriptionFormat): string {
  return format === 'diarized_json' ? 'speakers' : 'timestamps';
}

/** An empty value is equivalent to omitting the parameter. */
function isSpecified(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 'auto') return false;
  return !Array.isArray(value) || value.length > 0;
}
