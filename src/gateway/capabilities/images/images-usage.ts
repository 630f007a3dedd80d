import type { MediaUse } from '../../../catalogue/prices/unit-price.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { mediaUsage, type TokenUsage } from '../capability.ts';

/** The parts of a request that its price depends on. */
export interface ImagesSummary {
  readonly kind: 'generation' | 'edit' | 'variation';
  readonly n: number;
  readonly size: string | null;
  readonly quality: string | null;
}

const MAX_TOKENS = 2_000_000_000;
const SIZE = /^(\d{1,5})x(\d{1,5})$/;

/**
 * Usage of `count` images: tokens where the provider reported them, and the images by the reported, else the requested,
 * size and quality. Source: OpenAI's API document, ImagesResponse and ImageGenUsage.
 */
export function imagesUsage(
  answer: Readonly<Record<string, unknown>>,
  count: number,
  summary: ImagesSummary,
): TokenUsage {
  const size = specificValue(answer.size) ?? summary.size;
  const quality = specificValue(answer.quality) ?? summary.quality;
  const terms = { ...(size !== null && { size }), ...(quality !== null && { quality }) };
  const media: MediaUse[] = [{ unit: 'image', quantity: count, ...terms }];
  const [, width, height] = SIZE.exec(size ?? '') ?? [];
  if (width !== undefined && height !== undefined)
    media.push({ unit: 'megapixel', quantity: (count * Number(width) * Number(height)) / 1_000_000, ...terms });
  return { ...mediaUsage(media), ...readReportedTokens(answer.usage) };
}

/** `auto` leaves the choice to the model and is not a value. */
export function specificValue(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== 'auto' ? value : null;
}

export function addUsage(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    ...a,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    imageInputTokens: a.imageInputTokens + b.imageInputTokens,
    imageOutputTokens: a.imageOutputTokens + b.imageOutputTokens,
    media: [...(a.media ?? []), ...(b.media ?? [])],
  };
}

type ReportedTokens = Pick<
  TokenUsage,
  'inputTokens' | 'outputTokens' | 'cachedTokens' | 'imageInputTokens' | 'imageOutputTokens'
>;

function readReportedTokens(usage: unknown): ReportedTokens | null {
  if (!isObject(usage)) return null;
  const inputTokens = count(usage.input_tokens);
  const outputTokens = count(usage.output_tokens);
  if (inputTokens === null || outputTokens === null) return null;
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  const text = count(output.text_tokens) ?? 0;
  return {
    inputTokens,
    outputTokens,
    cachedTokens: Math.min(count(input.cached_tokens) ?? 0, inputTokens),
    imageInputTokens: Math.min(count(input.image_tokens) ?? 0, inputTokens),
    // Output tokens are image tokens unless the details say otherwise.
    imageOutputTokens: Math.min(count(output.image_tokens) ?? outputTokens - text, outputTokens),
  };
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : null;
}
