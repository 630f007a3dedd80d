import type { CallContext, Send } from '../../../contract.ts';
import { answerPromise } from '../../http/answer-promise.ts';
import { TIMED } from '../../media/captions.ts';
import { collected } from '../../chat/collected-answer.ts';
import type { FormField } from '../../http/form-body.ts';
import { parsedAnswer } from '../../http/posted-json.ts';
import { isObject, objectsOf, textOf } from '../../../../protocols/canonical/json-members.ts';
import { requiredText, timedTexts, wordsOf } from '../../media/transcript-members.ts';
import { renderTranscript } from '../../media/render-transcript.ts';
import type { Transcript } from '../../media/transcript.ts';
import { unsupportedTranscriptionParameters } from '../../media/transcription-parameters.ts';
import type { TranscriptionFormat, TranscriptionRequest } from '../../media/transcription-request.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * How a server's transcription differs from OpenAI's. Absent members are as at OpenAI, except for parameters that only
 * OpenAI supports.
 */
export interface TranscriptionShape {
  /** Supported parameters in addition to the file and the model. */
  readonly supportedParams?: readonly string[];
  /** The formats that it supports; others are rendered from its verbose response. */
  readonly formats?: readonly TranscriptionFormat[];
  /** False if it has no `/audio/translations`. */
  readonly translates?: boolean;
  /** Whether it has a `response_format`; otherwise its response is always complete. */
  readonly namesFormat?: boolean;
  readonly times?: 'segments' | 'words';
  /** Whether it identifies speakers. */
  readonly speakers?: boolean;
  /** Converts the requested timestamps and other parameters to its own names. */
  readonly fields?: (request: TranscriptionRequest) => readonly FormField[];
}

const defaultSupportedParams = ['language', 'prompt', 'temperature'] as const;
const defaultFormats: readonly TranscriptionFormat[] = ['json', 'text', 'verbose_json'];
/** Parameters that the gateway handles, or that have a fixed position. */
const GRANULARITIES = 'timestamp_granularities';
const notSent = new Set(['task', 'file', 'durationSeconds', 'model', 'stream', 'response_format']);

/**
 * `POST /audio/transcriptions` and `/audio/translations`. The file is streamed, and read again by each attempt.
 * @param shape of a server other than OpenAI
 */
export function sendTranscription(client: ServiceClient, shape?: TranscriptionShape): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { request, model, stream } = context;
    const path = client.path(request.task === 'translate' ? '/audio/translations' : '/audio/transcriptions', model);
    if (shape === undefined) {
      client.upstream.postForm(path, formFields(context, request.response_format ?? null, []), receiver);
      return [];
    }
    const dropped = unsupportedTranscriptionParameters(client.provider, context, {
      parameters: shape.supportedParams ?? defaultSupportedParams,
      times: shape.times ?? 'words',
      speakers: shape.speakers === true,
      translates: shape.translates !== false,
    });
    const format: TranscriptionFormat = stream ? 'json' : (request.response_format ?? 'json');
    const { formats = defaultFormats, namesFormat = true } = shape;
    // Its events differ from OpenAI's: for a streamed request the complete response is converted to events.
    const fields = (format: TranscriptionFormat | null): FormField[] =>
      formFields({ ...context, stream: false }, format, dropped, shape);
    if (namesFormat && formats.includes(format)) {
      client.upstream.postForm(path, fields(format), receiver);
      return dropped;
    }
    const requestedFormat = namesFormat ? (TIMED.has(format) ? 'verbose_json' : 'json') : null;
    answerPromise(receiver, async (signal) => {
      const answer = await collected(client.provider, signal, (own) =>
        client.upstream.postForm(path, fields(requestedFormat), own),
      );
      return renderTranscript(readTranscript(client.provider, answer.body), request, stream);
    });
    return dropped;
  };
}

function formFields(
  { request, model, stream }: Pick<CallContext<TranscriptionRequest>, 'request' | 'model' | 'stream'>,
  format: TranscriptionFormat | null,
  dropped: readonly string[],
  shape?: TranscriptionShape,
): FormField[] {
  const fields: FormField[] = [['model', model]];
  for (const [name, value] of Object.entries(request))
    if (!notSent.has(name) && !dropped.includes(name) && !(shape?.fields && name === GRANULARITIES))
      fields.push(...written(name, value));
  if (format !== null) fields.push(['response_format', format]);
  if (stream) fields.push(['stream', 'true']);
  // Fields precede the file, so that they are known before the file has arrived.
  fields.push(...(shape?.fields?.(request) ?? []), ['file', request.file]);
  return fields;
}

/** As the official clients encode members in a form. */
function written(name: string, value: unknown): FormField[] {
  if (Array.isArray(value)) return value.map((item) => [`${name}[]`, String(item)]);
  if (isObject(value)) return Object.entries(value).map(([member, item]) => [`${name}[${member}]`, String(item)]);
  return value === undefined || value === null ? [] : [[name, String(value)]];
}

/**
 * Reads OpenAI's JSON, verbose or not, and similar formats.
 * @throws SluiceError provider_invalid_response
 */
function readTranscript(provider: string, body: Buffer): Transcript {
  const { text, language, segments, words, usage } = parsedAnswer(provider, body);
  return {
    text: requiredText(provider, text),
    language: textOf(language),
    segments: timedTexts(
      objectsOf(segments).map((segment) => ({ ...segment, speaker: segment.speaker_id ?? segment.speaker })),
      'text',
    ),
    words: wordsOf(words),
    usage: usageOf(usage),
  };
}

/** OpenAI's name of the usage; some servers use that of chat. */
function usageOf(usage: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(usage)) return undefined;
  if (usage.type === 'tokens' || usage.type === 'duration') return usage;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  return { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output };
}
