import { SluiceError } from '../../errors/index.ts';
import type { CallContext, Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { pollUntilAnswered } from '../shared/jobs/poll-until-answered.ts';
import { parsedAnswer } from '../shared/http/posted-json.ts';
import { textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { requiredText, timedTexts, wordsOf } from '../shared/media/transcript-members.ts';
import { renderTranscript } from '../shared/media/render-transcript.ts';
import type { Transcript } from '../shared/media/transcript.ts';
import { unsupportedTranscriptionParameters } from '../shared/media/transcription-parameters.ts';
import type { TranscriptionRequest } from '../shared/media/transcription-request.ts';

const PROVIDER = 'assemblyai';
/** AssemblyAI reports times in milliseconds. */
const PER_SECOND = 1_000;
/** Models that are selected by the older member. */
const older = /^(best|nano)$/;

/**
 * AssemblyAI's transcripts: the file is uploaded, a transcript is requested, and polled until it is complete. Source:
 * assemblyai.com/docs/api-reference/transcripts/submit.
 */
export function assemblyAiTranscription(upstream: HttpUpstream): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { request, stream } = context;
    const parameters = ['language', 'keywords', 'prompt', 'temperature'];
    const dropped = unsupportedTranscriptionParameters(PROVIDER, context, { parameters, speakers: true });
    answerPromise(receiver, async (signal) => {
      const call = async (send: Parameters<typeof collected>[2]): Promise<JsonObject> =>
        parsedAnswer(PROVIDER, (await collected(PROVIDER, signal, send)).body);
      const { size: length } = request.file;
      const contentType = 'application/octet-stream';
      const uploaded = await call((own) =>
        upstream.postBytes(upstream.path('/v2/upload'), { contentType, length, stream: request.file.open() }, own),
      );
      const url = requiredText(PROVIDER, uploaded.upload_url);
      const body = JSON.stringify({ audio_url: url, ...settings(context) });
      const created = await call((own) => upstream.post(upstream.path('/v2/transcript'), body, own));
      const path = upstream.path(`/v2/transcript/${encodeURIComponent(requiredText(PROVIDER, created.id))}`);
      const made = await pollUntilAnswered(signal, async () => finished(await call((own) => upstream.get(path, own))));
      return renderTranscript(readTranscript(made), request, stream);
    });
    return dropped;
  };
}

function settings({ model, request }: CallContext<TranscriptionRequest>): JsonObject {
  const { language, keywords, prompt, temperature, response_format: format } = request;
  return {
    ...(older.test(model) ? { speech_model: model } : { speech_models: [model] }),
    ...(language != null && language !== '' ? { language_code: language } : { language_detection: true }),
    ...(Array.isArray(keywords) && keywords.length > 0 && { keyterms_prompt: keywords }),
    ...(prompt != null && prompt !== '' && { prompt }),
    ...(temperature != null && { temperature }),
    ...(format === 'diarized_json' && { speaker_labels: true }),
  };
}

/**
 * Null while it is running.
 * @throws SluiceError provider_error
 */
function finished(result: JsonObject): JsonObject | null {
  if (result.status === 'completed') return result;
  if (result.status !== 'error') return null;
  const reason = textOf(result.error)?.slice(0, 500) ?? 'it could not transcribe the file';
  throw new SluiceError('provider_error', { values: { provider: PROVIDER, reason } });
}

/** @throws SluiceError provider_invalid_response */
function readTranscript({ text, language_code: language, words, utterances }: JsonObject): Transcript {
  return {
    // A recording without speech has no words.
    text: text === null ? '' : requiredText(PROVIDER, text),
    language: textOf(language),
    segments: timedTexts(utterances, 'text', PER_SECOND),
    words: wordsOf(words, 'text', PER_SECOND),
  };
}
