import { SluiceError } from '../../../errors/index.ts';
import { objectsOf } from '../../../protocols/canonical/json-members.ts';
import type { TranscriptWord } from './transcript.ts';

/** Texts with start and end times. @param perSecond time units per second */
export function timedTexts(
  list: unknown,
  textName: string,
  perSecond = 1,
): readonly { readonly text: string; readonly start: number; readonly end: number; readonly speaker?: string }[] {
  return objectsOf(list).flatMap(({ [textName]: text, start, end, speaker }) => {
    if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
    const label = typeof speaker === 'string' || typeof speaker === 'number' ? { speaker: speakerName(speaker) } : {};
    return [{ text, start: start / perSecond, end: end / perSecond, ...label }];
  });
}

export function wordsOf(list: unknown, textName = 'word', perSecond = 1): readonly TranscriptWord[] {
  return timedTexts(list, textName, perSecond).map(({ text, ...times }) => ({ word: text.trim(), ...times }));
}

/** As OpenAI names them: `A`, `B`. */
function speakerName(speaker: string | number): string {
  const number = Number(typeof speaker === 'number' ? speaker : (/^speaker_(\d+)$/.exec(speaker)?.[1] ?? Number.NaN));
  return Number.isInteger(number) && number >= 0 && number < 26 ? String.fromCodePoint(65 + number) : String(speaker);
}

/** @throws SluiceError provider_invalid_response */
export function requiredText(provider: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no transcript' });
}
