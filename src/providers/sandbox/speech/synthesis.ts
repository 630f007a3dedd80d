import { hash } from 'node:crypto';

/** As OpenAI's `pcm` is: 16 bits, mono. */
export const SAMPLE_RATE = 24_000;
const CHARACTERS_PER_SECOND = 15;
/** However short the text: so that there is something to hear. */
const MIN_SECONDS = 0.2;
/** How soon a sound rises and falls, so that nothing clicks. */
const EDGE_SAMPLES = 120;
const LOUDNESS = 9_000;
const HARMONICS = 30;

/** The first two resonances of a mouth, in Hz. Source: Peterson and Barney, 1952, for men. */
const vowels: Readonly<Record<string, readonly [first: number, second: number]>> = {
  a: [730, 1_090],
  e: [530, 1_840],
  i: [270, 2_290],
  o: [570, 840],
  u: [300, 870],
  y: [390, 1_990],
};
const hum: readonly [number, number] = [250, 1_100];

/** A text as it will be spoken. The same text, voice and speed are the same sound. */
export interface Utterance {
  readonly seconds: number;
  readonly samples: number;
  readonly text: readonly string[];
  /** Samples of one swing of the voice. */
  readonly period: number;
}

export function utterance(text: string, voice: string, speed: number): Utterance {
  const characters = [...text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '')];
  const length = Math.max(1, characters.length);
  const samples = Math.round(Math.max(MIN_SECONDS, length / CHARACTERS_PER_SECOND / speed) * SAMPLE_RATE);
  // From 96 to 200 Hz.
  const period = 120 + (Number.parseInt(hash('sha256', voice).slice(0, 6), 16) % 131);
  return { seconds: samples / SAMPLE_RATE, samples, text: characters, period };
}

/**
 * What a very simple machine would say: a vowel is one swing of the voice, coloured by its resonances and repeated; a consonant
 * is a hum or a hiss; all else is silence. In parts of `partSamples`, the last one shorter.
 */
export function* speak({ samples, text, period }: Utterance, partSamples: number): Generator<Int16Array> {
  const swings = new Map<string, Float64Array>();
  const length = Math.max(1, text.length);
  let noise = 1;
  for (let start = 0; start < samples; start += partSamples) {
    const part = new Int16Array(Math.min(partSamples, samples - start));
    for (let place = 0; place < part.length; place++) {
      const at = start + place;
      const index = Math.min(length - 1, Math.floor((at * length) / samples));
      const sound = soundOf(text[index] ?? '');
      if (sound === 'silence') continue;
      noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0;
      const from = (index * samples) / length;
      const until = ((index + 1) * samples) / length;
      const edge = Math.min(1, (at - from) / EDGE_SAMPLES, (until - at) / EDGE_SAMPLES);
      const level = sound === 'hiss' ? (noise / 2 ** 31 - 1) * 0.2 : (swingOf(swings, sound, period)[at % period] ?? 0);
      part[place] = Math.round(level * edge * LOUDNESS);
    }
    yield part;
  }
}

function soundOf(character: string): string {
  if (Object.hasOwn(vowels, character)) return character;
  if (/[bdgjlmnrvwz]/.test(character)) return 'hum';
  if (/[cfhkpqstx]/.test(character)) return 'hiss';
  // Of a script without letters, each sign has some vowel.
  if (/[\p{L}\p{N}]/u.test(character)) return Object.keys(vowels)[(character.codePointAt(0) ?? 0) % 6] ?? 'a';
  return 'silence';
}

function swingOf(known: Map<string, Float64Array>, sound: string, period: number): Float64Array {
  const made = known.get(sound) ?? swing(vowels[sound] ?? hum, period);
  known.set(sound, made);
  return made;
}

/** One swing of the voice: its harmonics, those near a resonance the loudest. */
function swing([first, second]: readonly [number, number], period: number): Float64Array {
  const wave = new Float64Array(period);
  const pitch = SAMPLE_RATE / period;
  let loudest = 0;
  for (let harmonic = 1; harmonic <= HARMONICS; harmonic++) {
    const frequency = harmonic * pitch;
    const strength =
      0.1 / harmonic +
      Math.exp(-(((frequency - first) / 130) ** 2)) +
      0.5 * Math.exp(-(((frequency - second) / 180) ** 2));
    for (let at = 0; at < period; at++)
      wave[at] = (wave[at] ?? 0) + strength * Math.sin((2 * Math.PI * harmonic * at) / period);
  }
  for (const level of wave) loudest = Math.max(loudest, Math.abs(level));
  return wave.map((level) => level / loudest);
}
