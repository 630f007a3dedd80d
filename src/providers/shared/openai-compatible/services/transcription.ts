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

/** How a server's transcription differs from OpenAI's. What is absent is as OpenAI has it, but for what only OpenAI takes. */
export interface TranscriptionShape {
  /** What it takes beside the file and the model. */
  readonly supportedParams?: readonly string[];
  /** The formats that it writes; others are made of what it tells. */
  readonly formats?: readonly TranscriptionFormat[];
  /** False where it has no `/audio/translations`. */
  readonly translates?: boolean;
  /** Whether it has a `response_format`; where it has none, it always answers with all that it knows. */
  readonly namesFormat?: boolean;
  readonly times?: 'segments' | 'words';
  /** Whether it can tell who speaks. */
  readonly speakers?: boolean;
  /** Which times it is asked for, and what else, in its own words. */
  readonly fields?: (request: TranscriptionRequest) => readonly FormField[];
}

const defaultSupportedParams = ['language', 'prompt', 'temperature'] as const;
const defaultFormats: readonly TranscriptionFormat[] = ['json', 'text', 'verbose_json'];
/** What the gateway serves by itself, or writes in its own place. */
const GRANULARITIES = 'timestamp_granularities';
const notSent = new Set(['task', 'file', 'durationSeconds', 'model', 'stream', 'response_format']);

/**
 * `POST /audio/transcriptions` and `/audio/translations`. The file is read from its place as it is sent, by each try anew.
 * @param shape of a server that is not OpenAI's own
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
    // Its own events are not OpenAI's: of what is asked for in parts, the whole is made into events.
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
  // What stands before a file is known before the file has come.
  fields.push(...(shape?.fields?.(request) ?? []), ['file', request.file]);
  return fields;
}

/** As the official clients write members into a form. */
function written(name: string, value: unknown): FormField[] {
  if (Array.isArray(value)) return value.map((item) => [`${name}[]`, String(item)]);
  if (isObject(value)) return Object.entries(value).map(([member, item]) => [`${name}[${member}]`, String(item)]);
  return value === undefined || value === null ? [] : [[name, String(value)]];
}

/** Reads OpenAI's JSON, verbose or not, and what is near to it. @throws SluiceError provider_invalid_response */
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

/** As OpenAI names what was counted; some servers name it as for a chat. */
function usageOf(usage: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(usage)) return undefined;
  if (usage.type === 'tokens' || usage.type === 'duration') return usage;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  return { type: 'tokens', input_tokens: input, output_tokens: output, total_tokens: input + output };
}
