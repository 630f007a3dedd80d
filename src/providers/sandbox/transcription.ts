import type { Clock } from '../../calendar/clock.ts';
import type { Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { renderTranscript } from '../shared/media/render-transcript.ts';
import type { Transcript, TranscriptSegment, TranscriptWord } from '../shared/media/transcript.ts';
import { nextTurn } from '../shared/jobs/yield-periodically.ts';
import type { TranscriptionRequest } from '../shared/media/transcription-request.ts';
import { AnswerPump } from './chat/answer-pump.ts';
import { requireModel } from './models.ts';
import type { Piece } from './wire.ts';

export const SANDBOX_TRANSCRIPTION_MODEL = 'transcription';

const WORDS_PER_SECOND = 2.5;
/** The rest of a recording longer than two hours is ignored: a file of zeros may last a hundred days. */
const MAX_WORDS = 20_000;
/** The share of a word's time in which it is spoken. */
const SPEECH_RATIO = 0.8;

const SENTENCES = [
  'This is the sandbox, not an AI model, and it has not listened.',
  'It knows how long your recording lasts, and writes so many words.',
  'Two and a half of them make a second, as when people talk.',
  'The same length gives the same text, so that tests can rely on it.',
  'Change the model, and a real provider takes over from here.',
] as const;

/**
 * Transcripts that do not depend on the audio: their length is that of the recording, and every word has its time in
 * it. The same duration gives the same text.
 */
export function sandboxTranscription(tokensPerSecond: number, clock: Clock): Send<TranscriptionRequest> {
  return ({ model, request, stream }, receiver) => {
    requireModel(model, SANDBOX_TRANSCRIPTION_MODEL);
    if (stream) {
      const pump = new AnswerPump(receiver, tokensPerSecond, clock);
      receiver.onConnecting(pump);
      pump.start(() => {
        receiver.onHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
        return events(transcriptOf(request), request);
      });
    } else
      answerPromise(receiver, async () => {
        await nextTurn();
        return renderTranscript(transcriptOf(request), request);
      });
    return [];
  };
}

function transcriptOf({ durationSeconds: seconds, response_format: format }: TranscriptionRequest): Transcript {
  const spoken = SENTENCES.map((sentence) => sentence.split(' '));
  const spokenSeconds = Math.min(seconds, MAX_WORDS / WORDS_PER_SECOND);
  const count = Math.max(1, Math.floor(spokenSeconds * WORDS_PER_SECOND));
  const step = spokenSeconds / count;
  const words: TranscriptWord[] = [];
  const segments: TranscriptSegment[] = [];
  for (let sentence = 0; words.length < count; sentence++) {
    const sentenceWords = (spoken[sentence % spoken.length] ?? []).slice(0, count - words.length);
    const from = words.length;
    for (const word of sentenceWords) {
      const start = thousandths(words.length * step);
      words.push({ word, start, end: thousandths((words.length + SPEECH_RATIO) * step) });
    }
    const start = words[from]?.start ?? 0;
    const end = words.at(-1)?.end ?? seconds;
    // Two speakers that alternate.
    const speaker = format === 'diarized_json' ? (sentence % 2 === 0 ? 'A' : 'B') : undefined;
    segments.push({ text: sentenceWords.join(' '), start, end, speaker });
  }
  return { text: words.map(({ word }) => word).join(' '), language: 'en', words, segments };
}

function* events({ text, words = [] }: Transcript, { durationSeconds }: TranscriptionRequest): Generator<Piece> {
  for (const [index, { word }] of words.entries())
    yield { text: event({ type: 'transcript.text.delta', delta: index === 0 ? word : ` ${word}` }), tokens: 1 };
  const usage = { type: 'duration', seconds: Math.ceil(durationSeconds) };
  yield { text: `${event({ type: 'transcript.text.done', text, usage })}data: [DONE]\n\n`, tokens: 0 };
}

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function thousandths(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
