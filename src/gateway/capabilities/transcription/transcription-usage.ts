import { mediaUsage, type Pricing, type TokenUsage } from '../capability.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';

/**
 * OpenAI's models count ten tokens per second of audio, consistent with the price per minute of gpt-4o-transcribe.
 * Source: platform.openai.com/docs/pricing, estimated cost a minute.
 */
const AUDIO_TOKENS_PER_SECOND = 10;
const BYTES_PER_TOKEN = 4;
const MAX_TOKENS = 2_000_000_000;
/** More than any recording has, so that any price per unit shows. */
const MANY = 1_000_000_000;

export interface ReportedTokens {
  readonly input: number;
  readonly audioInput: number;
  readonly output: number;
}

/** Whether a model is priced per second of audio, else by tokens. */
function isPaidBySeconds(pricing: Pricing): boolean {
  return pricing.costOf(mediaUsage([{ unit: 'audio_second', quantity: MANY }])) > pricing.costOf(mediaUsage([]));
}

function isPaidByTokens(pricing: Pricing): boolean {
  return pricing.costOf({ ...mediaUsage([], MANY, MANY), audioInputTokens: MANY }) > pricing.costOf(mediaUsage([]));
}

/**
 * Usage of a transcription: the seconds of the file, and the reported tokens, unless the price per second covers them.
 * Tokens are estimated where none are reported and the price depends on them.
 */
export function transcriptionUsage(
  seconds: number,
  reported: ReportedTokens | null,
  textBytes: number,
  pricing: Pricing,
): { readonly usage: TokenUsage; readonly isEstimated: boolean } {
  const media = [{ unit: 'audio_second', quantity: Math.round(seconds * 1_000) / 1_000 }] as const;
  if (isPaidBySeconds(pricing)) return { usage: mediaUsage(media), isEstimated: false };
  if (reported === null && !isPaidByTokens(pricing)) return { usage: mediaUsage(media), isEstimated: false };
  const audioTokens = Math.ceil(seconds * AUDIO_TOKENS_PER_SECOND);
  const estimated = { input: audioTokens, audioInput: audioTokens, output: Math.ceil(textBytes / BYTES_PER_TOKEN) };
  const { input, audioInput, output } = reported ?? estimated;
  return {
    usage: { ...mediaUsage(media, input, output), audioInputTokens: audioInput },
    isEstimated: reported === null,
  };
}

/** Reads OpenAI's `usage` of tokens; null for one of seconds and for implausible values. */
export function readReportedTokens(usage: unknown): ReportedTokens | null {
  if (!isObject(usage)) return null;
  const input = count(usage.input_tokens);
  const output = count(usage.output_tokens);
  if (input === null || output === null) return null;
  const details = isObject(usage.input_token_details) ? usage.input_token_details : {};
  return { input, audioInput: Math.min(count(details.audio_tokens) ?? 0, input), output };
}

function count(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS;
  return isCount ? value : null;
}
