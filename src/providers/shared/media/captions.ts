import type { Transcript, TranscriptSegment, TranscriptWord } from './transcript.ts';

/** Formats with timestamps. */
export const TIMED: ReadonlySet<string> = new Set(['srt', 'vtt', 'verbose_json', 'diarized_json']);

/** The size of a cue by the conventions for subtitles: two lines of 42 characters for at most 7 seconds. */
const MAX_CUE_CHARACTERS = 84;
const MAX_CUE_SECONDS = 7;
/** A pause that ends a cue. */
const PAUSE_SECONDS = 1;

/** A transcript's segments; if it has none, cues built from its words; otherwise its complete text. */
export function cuesOf(transcript: Transcript, seconds: number): readonly TranscriptSegment[] {
  const { segments = [], words = [] } = transcript;
  if (segments.length > 0) return segments.map((segment) => ({ ...segment, text: segment.text.trim() }));
  if (words.length > 0) return grouped(words);
  const text = transcript.text.trim();
  return text === '' ? [] : [{ text, start: 0, end: seconds }];
}

/** SubRip, or WebVTT. Source: W3C, WebVTT: The Web Video Text Tracks Format. */
export function captions(format: 'srt' | 'vtt', cues: readonly TranscriptSegment[]): string {
  const point = format === 'srt' ? ',' : '.';
  const blocks = cues.map(({ text, start, end }, index) => {
    const number = format === 'srt' ? `${index + 1}\n` : '';
    return `${number}${clock(start, point)} --> ${clock(end, point)}\n${oneLine(text)}\n\n`;
  });
  return (format === 'vtt' ? 'WEBVTT\n\n' : '') + blocks.join('');
}

function grouped(words: readonly TranscriptWord[]): TranscriptSegment[] {
  const cues: TranscriptSegment[] = [];
  for (const { word, start, end, speaker } of words) {
    const last = cues.at(-1);
    const text = last === undefined ? word.trim() : `${last.text} ${word.trim()}`;
    const continuesCue =
      last !== undefined &&
      last.speaker === speaker &&
      !/[.?!…。？！]$/.test(last.text) &&
      start - last.end < PAUSE_SECONDS &&
      end - last.start <= MAX_CUE_SECONDS &&
      text.length <= MAX_CUE_CHARACTERS;
    if (continuesCue) cues[cues.length - 1] = { ...last, text, end };
    else cues.push({ text: word.trim(), start, end, speaker });
  }
  return cues;
}

/** Hours have two digits or more. */
function clock(seconds: number, point: string): string {
  const ms = Math.max(0, Math.round(seconds * 1_000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1_000).padStart(3, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${point}${rest}`;
}

/** An arrow separates a cue's times, and an empty line ends it. */
function oneLine(text: string): string {
  return text
    .trim()
    .replaceAll(/\s+/g, (space) => (/[\r\n]/.test(space) ? ' ' : space))
    .replaceAll('-->', '->');
}
