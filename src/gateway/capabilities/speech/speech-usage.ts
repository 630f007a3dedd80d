import type { MediaUse } from '../../../catalogue/prices/unit-price.ts';
import { mediaUsage, type Pricing, type TokenUsage } from '../capability.ts';
import type { SpeechSummary } from './speech-summary.ts';

/**
 * An audio token is 50 ms: OpenAI's own figure for speech output (platform.openai.com/docs/guides/realtime-costs),
 * consistent with its price per minute of gpt-4o-mini-tts.
 */
const AUDIO_TOKENS_PER_SECOND = 20;
/** Average speaking rate in alphabetic languages. */
const CHARACTERS_PER_SECOND = 15;
const BYTES_PER_TOKEN = 4;
/** More than any response has, so that any price per unit shows. */
const MANY = 1_000_000_000;

export function audioTokens(seconds: number): number {
  return Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND);
}

export function estimatedTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

export function estimatedSeconds(characters: number, speed: number): number {
  return characters / CHARACTERS_PER_SECOND / speed;
}

/** Tokens that a provider reported. */
export interface ReportedTokens {
  readonly input: number;
  readonly output: number;
}

/** The units that a model's price depends on. */
export interface CountedUnits {
  readonly tokens: boolean;
  readonly seconds: boolean;
}

export function countedUnits(pricing: Pricing): CountedUnits {
  const nothing: MediaUse = { unit: 'character', quantity: 0 };
  const least = pricing.costOf(mediaUsage([nothing]));
  const manyTokens = { ...mediaUsage([nothing], MANY, MANY), audioOutputTokens: MANY };
  return {
    tokens: pricing.costOf(manyTokens) > least,
    seconds: pricing.costOf(mediaUsage([{ unit: 'audio_second', quantity: MANY }])) > least,
  };
}

/**
 * Usage of a response: characters, seconds of audio, and the reported tokens. Tokens are estimated where none are
 * reported and the price depends on them.
 * @param seconds null where the audio cannot be measured
 */
export function speechUsage(
  { characters, textTokens, estimatedSeconds: estimatedDuration }: SpeechSummary,
  counted: CountedUnits,
  seconds: number | null,
  reported: ReportedTokens | null,
): TokenUsage {
  const duration = seconds ?? Math.round(estimatedDuration * 1_000) / 1_000;
  const estimated = counted.tokens ? { input: textTokens, output: audioTokens(duration) } : { input: 0, output: 0 };
  const { input, output } = reported ?? estimated;
  const media: MediaUse[] = [
    { unit: 'audio_second', quantity: duration },
    { unit: 'character', quantity: characters },
  ];
  return { ...mediaUsage(media, input, output), audioOutputTokens: output };
}
