import type { Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import type { FormField } from '../shared/http/form-body.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { parsedAnswer } from '../shared/http/posted-json.ts';
import { objectsOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { requiredText, wordsOf } from '../shared/media/transcript-members.ts';
import { renderTranscript } from '../shared/media/render-transcript.ts';
import type { Transcript } from '../shared/media/transcript.ts';
import { unsupportedTranscriptionParameters } from '../shared/media/transcription-parameters.ts';
import type { TranscriptionRequest } from '../shared/media/transcription-request.ts';

const PROVIDER = 'elevenlabs';

/** ElevenLabs' transcripts. Source: elevenlabs.io/docs/api-reference/speech-to-text/convert. */
export function elevenLabsTranscription(upstream: HttpUpstream): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { request, model, stream } = context;
    const parameters = ['language', 'temperature', 'keywords'];
    const dropped = unsupportedTranscriptionParameters(PROVIDER, context, { parameters, speakers: true });
    const { language, temperature, keywords, response_format: format } = request;
    const fields: FormField[] = [['model_id', model]];
    if (language != null && language !== '') fields.push(['language_code', language]);
    if (temperature != null) fields.push(['temperature', String(temperature)]);
    if (Array.isArray(keywords)) for (const keyword of keywords) fields.push(['keyterms', String(keyword)]);
    if (format === 'diarized_json') fields.push(['diarize', 'true']);
    fields.push(['file', request.file]);
    answerPromise(receiver, async (signal) => {
      const answer = await collected(PROVIDER, signal, (own) =>
        upstream.postForm(upstream.path('/v1/speech-to-text'), fields, own),
      );
      return renderTranscript(readTranscript(parsedAnswer(PROVIDER, answer.body)), request, stream);
    });
    return dropped;
  };
}

/**
 * Its words include spaces and audio events.
 * @throws SluiceError provider_invalid_response
 */
function readTranscript({ text, language_code: language, words }: JsonObject): Transcript {
  const spoken = objectsOf(words).flatMap((word) =>
    word.type === undefined || word.type === 'word' ? [{ ...word, speaker: word.speaker_id }] : [],
  );
  return { text: requiredText(PROVIDER, text), language: textOf(language), words: wordsOf(spoken, 'text') };
}
