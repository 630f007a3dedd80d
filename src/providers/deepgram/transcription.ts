import type { CallContext, Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { TIMED } from '../shared/media/captions.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { parsedAnswer } from '../shared/http/posted-json.ts';
import { membersOf, objectsOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { requiredText, timedTexts, wordsOf } from '../shared/media/transcript-members.ts';
import { renderTranscript } from '../shared/media/render-transcript.ts';
import type { Transcript } from '../shared/media/transcript.ts';
import { unsupportedTranscriptionParameters } from '../shared/media/transcription-parameters.ts';
import type { TranscriptionRequest } from '../shared/media/transcription-request.ts';

const PROVIDER = 'deepgram';
/** Models that detect the language themselves. */
const detects = /^nova/;
/** Models that accept `keyterm`; the others have `keywords`. */
const supportsKeyterms = /^(nova-3|flux)/;

/**
 * Deepgram's transcripts of files; the file is the request body. Source:
 * developers.deepgram.com/reference/speech-to-text/listen-pre-recorded.
 */
export function deepgramTranscription(upstream: HttpUpstream): Send<TranscriptionRequest> {
  return (context, receiver) => {
    const { request, stream } = context;
    const parameters = ['language', 'languages', 'keywords'];
    const dropped = unsupportedTranscriptionParameters(PROVIDER, context, { parameters, speakers: true });
    const path = `${upstream.path('/v1/listen')}?${queryOf(context).toString()}`;
    const { contentType, size: length } = request.file;
    answerPromise(receiver, async (signal) => {
      const answer = await collected(PROVIDER, signal, (own) =>
        upstream.postBytes(path, { contentType, length, stream: request.file.open() }, own),
      );
      return renderTranscript(readTranscript(parsedAnswer(PROVIDER, answer.body)), request, stream);
    });
    return dropped;
  };
}

function queryOf({ model, request }: CallContext<TranscriptionRequest>): URLSearchParams {
  // OpenAI's transcripts have punctuation; Deepgram's only on request.
  const query = new URLSearchParams({ model, punctuate: 'true' });
  const { language, languages, keywords, response_format: format } = request;
  if (typeof language === 'string' && language !== '') query.set('language', language);
  else if (detects.test(model)) {
    if (Array.isArray(languages)) for (const one of languages) query.append('detect_language', String(one));
    else query.set('detect_language', 'true');
  }
  const named = supportsKeyterms.test(model) ? 'keyterm' : 'keywords';
  if (Array.isArray(keywords)) for (const keyword of keywords) query.append(named, String(keyword));
  if (TIMED.has(format ?? 'json')) query.set('utterances', 'true');
  if (format === 'diarized_json') query.set('diarize', 'true');
  return query;
}

/** @throws SluiceError provider_invalid_response */
function readTranscript({ results }: JsonObject): Transcript {
  const { channels, utterances } = membersOf(results);
  const [channel = {}] = objectsOf(channels);
  const [best = {}] = objectsOf(channel.alternatives);
  const named = objectsOf(best.words).map((word) => ({ ...word, word: word.punctuated_word ?? word.word }));
  return {
    text: requiredText(PROVIDER, best.transcript),
    language: textOf(channel.detected_language),
    segments: timedTexts(utterances, 'transcript'),
    words: wordsOf(named),
  };
}
