import { hash } from 'node:crypto';

/** As OpenAI's `pcm`: 16 bits, mono. */
export const SAMPLE_RATE = 24_000;
const CHARACTERS_PER_SECOND = 15;
/** The minimum duration, however short the text. */
const MIN_SECONDS = 0.2;
/** The attack and release of a tone, to avoid clicks. */
const EDGE_SAMPLES = 120;
const LOUDNESS = 9_000;
/** The multiple of the voice's pitch for each character. */
const PITCHES = 4;

/** The audio of a text. The same text, voice and speed give the same audio. */
export interface Utterance {
  readonly seconds: number;
  readonly samples: number;
  /** For each character, the multiple of the voice's pitch; 0 for silence. */
  readonly pitches: readonly number[];
  /** Samples per period: the pitch of the voice. */
  readonly period: number;
}

export function utterance(text: string, voice: string, speed: number): Utterance {
  const characters = [...text.normalize('NFD').replaceAll(/\p{M}/gu, '')];
  const length = Math.max(1, characters.length);
  const samples = Math.round(Math.max(MIN_SECONDS, length / CHARACTERS_PER_SECOND / speed) * SAMPLE_RATE);
  // From 96 to 200 Hz.
  const period = 120 + (Number.parseInt(hash('sha256', voice).slice(0, 6), 16) % 131);
  const pitches = characters.map(pitchOf);
  return { seconds: samples / SAMPLE_RATE, samples, pitches, period };
}

/**
 * A tone for each letter and digit, and silence for other characters. In parts of `partSamples`, the last one shorter.
 */
export function* speak({ samples, pitches, period }: Utterance, partSamples: number): Generator<Int16Array> {
  const tone = Float64Array.from({ length: period }, (_, at) => Math.sin((2 * Math.PI * at) / period));
  const length = Math.max(1, pitches.length);
  for (let start = 0; start < samples; start += partSamples) {
    const part = new Int16Array(Math.min(partSamples, samples - start));
    for (let place = 0; place < part.length; place++) {
      const at = start + place;
      const index = Math.min(length - 1, Math.floor((at * length) / samples));
      const pitch = pitches[index] ?? 0;
      if (pitch === 0) continue;
      const from = (index * samples) / length;
      const until = ((index + 1) * samples) / length;
      const edge = Math.min(1, (at - from) / EDGE_SAMPLES, (until - at) / EDGE_SAMPLES);
      part[place] = Math.round((tone[(at * pitch) % period] ?? 0) * edge * LOUDNESS);
    }
    yield part;
  }
}

function pitchOf(character: string): number {
  return /[\p{L}\p{N}]/u.test(character) ? 1 + ((character.codePointAt(0) ?? 0) % PITCHES) : 0;
}
