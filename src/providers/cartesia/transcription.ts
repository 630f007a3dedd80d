import type { Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { TIMED } from '../shared/media/captions.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import type { FormField } from '../shared/http/form-body.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { parsedAnswer } from '../shared/http/posted-json.ts';
import { textOf } from '../../protocols/canonical/json-members.ts';
import { requiredText, wordsOf } from '../shared/media/transcript-members.ts';
import { renderTranscript } from '../shared/media/render-transcript.ts';
import { unsupportedTranscriptionParameters } from '../shared/media/transcription-parameters.ts';
import type { TranscriptionRequest } from '../shared/media/transcription-request.ts';

const PROVIDER = 'cartesia';

/** Cartesia's transcripts. Source: docs.cartesia.ai/api-reference/stt/transcribe. */
export function cartesiaTranscription(upstream: HttpUpstream): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { request, model, stream } = context;
    const dropped = unsupportedTranscriptionParameters(PROVIDER, context, { parameters: ['language'] });
    const { language, response_format: format } = request;
    const fields: FormField[] = [['model', model]];
    if (language != null && language !== '') fields.push(['language', language]);
    if (TIMED.has(format ?? 'json')) fields.push(['timestamp_granularities[]', 'word']);
    fields.push(['file', request.file]);
    answerPromise(receiver, async (signal) => {
      const answer = await collected(PROVIDER, signal, (own) => upstream.postForm(upstream.path('/stt'), fields, own));
      const { text, language: detectedLanguage, words } = parsedAnswer(PROVIDER, answer.body);
      const transcript = {
        text: requiredText(PROVIDER, text),
        language: textOf(detectedLanguage),
        words: wordsOf(words),
      };
      return renderTranscript(transcript, request, stream);
    });
    return dropped;
  };
}
