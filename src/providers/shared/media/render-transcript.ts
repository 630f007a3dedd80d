import type { CompleteAnswer } from '../http/answer-promise.ts';
import { captions, cuesOf } from './captions.ts';
import type { TranscriptionFormat, TranscriptionRequest } from './transcription-request.ts';
import type { Transcript, TranscriptSegment } from './transcript.ts';

/**
 * Writes a transcript as OpenAI would. Source: OpenAI's API document, CreateTranscriptionResponseJson and its siblings.
 * @param streamed whether the plain JSON is converted to events
 */
export function renderTranscript(
  transcript: Transcript,
  request: Pick<TranscriptionRequest, 'task' | 'durationSeconds' | 'response_format' | 'timestamp_granularities'>,
  streamed = false,
): CompleteAnswer {
  const format: TranscriptionFormat = streamed ? 'json' : (request.response_format ?? 'json');
  const text = transcript.text.trim();
  if (format === 'text') return plain(`${text}\n`);
  if (format === 'srt' || format === 'vtt') return plain(captions(format, cuesOf(transcript, request.durationSeconds)));
  const usage = transcript.usage ?? { type: 'duration', seconds: Math.ceil(request.durationSeconds) };
  if (format === 'json') return json({ text, usage });
  const duration = request.durationSeconds;
  if (format === 'diarized_json') {
    const segments = cuesOf(transcript, duration).map((cue, index) => ({
      id: `seg_${index}`,
      type: 'transcript.text.segment',
      ...cue,
      speaker: cue.speaker ?? 'A',
    }));
    return json({ task: request.task, duration, text, segments, usage });
  }
  const { timestamp_granularities: asked } = request;
  const granularities = asked == null || asked.length === 0 ? ['segment'] : asked;
  return json({
    task: request.task,
    language: languageName(transcript.language),
    duration,
    text,
    ...(granularities.includes('segment') && { segments: cuesOf(transcript, duration).map(verboseSegment) }),
    ...(granularities.includes('word') && {
      words: (transcript.words ?? []).map(({ word, start, end }) => ({ word, start, end })),
    }),
    usage,
  });
}

/** Clients require every member: what only OpenAI's own decoder knows is 0. */
function verboseSegment({ text, start, end }: TranscriptSegment, id: number): object {
  const unknown = { tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 };
  return { id, seek: 0, start, end, text, ...unknown };
}

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** As OpenAI writes it: `english`. */
function languageName(language: string | null | undefined): string {
  if (language == null || language === '') return 'unknown';
  try {
    return (names.of(language.replaceAll('_', '-')) ?? language).toLowerCase();
  } catch {
    return language;
  }
}

function json(value: object): CompleteAnswer {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}

function plain(body: string): CompleteAnswer {
  return { contentType: 'text/plain; charset=utf-8', body };
}
