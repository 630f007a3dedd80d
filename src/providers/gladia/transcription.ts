import { SluiceError } from '../../errors/index.ts';
import type { CallContext, Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { pollUntilAnswered } from '../shared/jobs/poll-until-answered.ts';
import { parsedAnswer } from '../shared/http/posted-json.ts';
import { membersOf, objectsOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { requiredText, timedTexts, wordsOf } from '../shared/media/transcript-members.ts';
import { renderTranscript } from '../shared/media/render-transcript.ts';
import type { Transcript } from '../shared/media/transcript.ts';
import { unsupportedTranscriptionParameters } from '../shared/media/transcription-parameters.ts';
import type { TranscriptionRequest } from '../shared/media/transcription-request.ts';

const PROVIDER = 'gladia';

/**
 * Gladia's transcripts and translations: the file is uploaded, a job is started, and polled until it is done. The URL
 * of the result is built from the job's id, so that credentials are never sent to a URL in a response. Source:
 * docs.gladia.io/api-reference/v2/pre-recorded/init.
 */
export function gladiaTranscription(upstream: HttpUpstream): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { request, stream } = context;
    const parameters = ['language', 'languages', 'keywords'];
    const dropped = unsupportedTranscriptionParameters(PROVIDER, context, {
      parameters,
      speakers: true,
      translates: true,
    });
    answerPromise(receiver, async (signal) => {
      const call = async (send: Parameters<typeof collected>[2]): Promise<JsonObject> =>
        parsedAnswer(PROVIDER, (await collected(PROVIDER, signal, send)).body);
      const uploaded = await call((own) =>
        upstream.postForm(upstream.path('/v2/upload'), [['audio', request.file]], own),
      );
      const body = JSON.stringify({ audio_url: requiredText(PROVIDER, uploaded.audio_url), ...settings(context) });
      const created = await call((own) => upstream.post(upstream.path('/v2/pre-recorded'), body, own));
      const path = upstream.path(`/v2/pre-recorded/${encodeURIComponent(requiredText(PROVIDER, created.id))}`);
      const done = await pollUntilAnswered(signal, async () => finished(await call((own) => upstream.get(path, own))));
      return renderTranscript(readTranscript(done, request.task), request, stream);
    });
    return dropped;
  };
}

function settings({ model, request }: CallContext<TranscriptionRequest>): JsonObject {
  const { language, languages, keywords, task, response_format: format } = request;
  const hints = language != null && language !== '' ? [language] : Array.isArray(languages) ? languages : [];
  return {
    model,
    ...(hints.length > 0 && { language_config: { languages: hints } }),
    ...(Array.isArray(keywords) &&
      keywords.length > 0 && { custom_vocabulary: true, custom_vocabulary_config: { vocabulary: keywords } }),
    ...(format === 'diarized_json' && { diarization: true }),
    ...(task === 'translate' && { translation: true, translation_config: { target_languages: ['en'] } }),
  };
}

/**
 * Null while it is running.
 * @throws SluiceError provider_error
 */
function finished(result: JsonObject): JsonObject | null {
  if (result.status === 'done') return membersOf(result.result);
  if (result.status !== 'error') return null;
  const reason = `it could not transcribe the file (${String(result.error_code ?? 'no code').slice(0, 100)})`;
  throw new SluiceError('provider_error', { values: { provider: PROVIDER, reason } });
}

/** @throws SluiceError provider_invalid_response */
function readTranscript({ transcription, translation }: JsonObject, task: TranscriptionRequest['task']): Transcript {
  const transcript = membersOf(transcription);
  const result = task === 'translate' ? (objectsOf(membersOf(translation).results)[0] ?? {}) : transcript;
  const utterances = objectsOf(result.utterances);
  const [language] = Array.isArray(transcript.languages) ? transcript.languages : [];
  return {
    text: requiredText(PROVIDER, result.full_transcript),
    language: textOf(language),
    segments: timedTexts(utterances, 'text'),
    words: utterances.flatMap(({ words }) => wordsOf(words)),
  };
}
