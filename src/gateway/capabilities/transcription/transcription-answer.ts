import { SluiceError } from '../../../errors/index.ts';
import type { ParsedResponse, Pricing } from '../capability.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { tryParse } from '../../json-text.ts';
import type { TranscriptionSummary } from './transcription-summary.ts';
import { readReportedTokens, transcriptionUsage } from './transcription-usage.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Parses a transcript in any of OpenAI's formats. @throws SluiceError provider_invalid_response */
export function parseTranscriptionResponse(
  provider: string,
  body: Buffer,
  { format, seconds }: TranscriptionSummary,
  pricing: Pricing,
): ParsedResponse {
  const isText = format === 'text' || format === 'srt' || format === 'vtt';
  const transcript = isText ? null : transcriptOf(body);
  if (!isText && transcript === null)
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no transcript' });
  const reported = readReportedTokens(transcript?.usage);
  const { usage, isEstimated } = transcriptionUsage(seconds, reported, body.length, pricing);
  return {
    usage,
    isUsageEstimated: isEstimated,
    finishReason: null,
    estimatedOutputTokens: 0,
    ...(isText && { contentType: PLAIN_TEXT }),
    updates: () => [],
  };
}

/** Null where the body is not a JSON transcript. */
export function transcriptOf(body: Buffer): { readonly text: string; readonly usage: unknown } | null {
  const parsed = tryParse(body.toString());
  return isObject(parsed) && typeof parsed.text === 'string' ? { text: parsed.text, usage: parsed.usage } : null;
}
