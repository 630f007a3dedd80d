import { SluiceError } from '../../errors/index.ts';
import { objectsOf } from './json-members.ts';
import type { TranscriptWord } from './transcript.ts';

/** What was said, from when to when. @param perSecond the units that times are told in */
export function spokenOf(
  list: unknown,
  textName: string,
  perSecond = 1,
): readonly { readonly text: string; readonly start: number; readonly end: number; readonly speaker?: string }[] {
  return objectsOf(list).flatMap(({ [textName]: text, start, end, speaker }) => {
    if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') return [];
    const told = typeof speaker === 'string' || typeof speaker === 'number' ? { speaker: speakerName(speaker) } : {};
    return [{ text, start: start / perSecond, end: end / perSecond, ...told }];
  });
}

export function wordsOf(list: unknown, textName = 'word', perSecond = 1): readonly TranscriptWord[] {
  return spokenOf(list, textName, perSecond).map(({ text, ...times }) => ({ word: text.trim(), ...times }));
}

/** As OpenAI names them: `A`, `B`. */
function speakerName(told: string | number): string {
  const number = Number(typeof told === 'number' ? told : (/^speaker_(\d+)$/.exec(told)?.[1] ?? Number.NaN));
  return Number.isInteger(number) && number >= 0 && number < 26 ? String.fromCodePoint(65 + number) : String(told);
}

/** @throws SluiceError provider_invalid_response */
export function requiredText(provider: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no transcript' });
}
