import { serviceTiers, type ServiceTier } from '../../../catalogue/prices/token-rates.ts';
import type { MediaUse } from '../../../catalogue/prices/unit-price.ts';
import type { TokenUsage } from '../capability.ts';

/** A mutable usage: other members of the response are added to it. */
export interface ChatUsage extends TokenUsage {
  media?: readonly MediaUse[];
  serviceTier?: ServiceTier;
  servedModel?: string;
}

/**
 * Reads OpenAI's `usage` object; null where it is missing or implausible. A detail larger than its total is reduced to
 * it. Source: CompletionUsage of OpenAI's API document; `cache_write_tokens` is reported by OpenAI and OpenRouter,
 * `cache_write_1h_tokens` is Sluice's own for the part cached for an hour. Web searches are in `server_tool_use`, as in
 * OpenRouter's API.
 */
export function readChatUsage(value: unknown): ChatUsage | null {
  if (!isRecord(value)) return null;
  const inputTokens = count(value.prompt_tokens);
  const outputTokens = count(value.completion_tokens);
  if (inputTokens === null || outputTokens === null) return null;
  const inputDetails = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : null;
  const outputDetails = isRecord(value.completion_tokens_details) ? value.completion_tokens_details : null;
  const cacheWriteTokens = part(inputDetails?.cache_write_tokens, inputTokens);
  const usage: ChatUsage = {
    inputTokens,
    outputTokens,
    cachedTokens: part(inputDetails?.cached_tokens, inputTokens),
    reasoningTokens: part(outputDetails?.reasoning_tokens, outputTokens),
    cacheWriteTokens,
    cacheWrite1hTokens: part(inputDetails?.cache_write_1h_tokens, cacheWriteTokens),
    audioInputTokens: part(inputDetails?.audio_tokens, inputTokens),
    audioOutputTokens: part(outputDetails?.audio_tokens, outputTokens),
    imageInputTokens: part(inputDetails?.image_tokens, inputTokens),
    imageOutputTokens: part(outputDetails?.image_tokens, outputTokens),
  };
  const media = isRecord(value.server_tool_use) ? mediaOf(value.server_tool_use) : [];
  if (media.length > 0) usage.media = media;
  return usage;
}

/** Empty where no search was made. */
function mediaOf(used: Record<string, unknown>): readonly MediaUse[] {
  const searches = count(used.web_search_requests) ?? 0;
  const sources = count(used.web_search_sources) ?? 0;
  const size = contextSizes.find((name) => name === used.search_context_size);
  const media: MediaUse[] = [];
  if (searches > 0) media.push({ unit: 'search', quantity: searches, ...(size !== undefined && { size }) });
  if (sources > 0) media.push({ unit: 'search', quantity: sources, quality: 'source' });
  return media;
}

/** Adds the model and the service tier that the response reports. */
export function servedBy(usage: ChatUsage | null, model: unknown, serviceTier: unknown): TokenUsage | null {
  if (usage === null) return null;
  if (typeof model === 'string' && model.length <= MAX_MODEL_LENGTH) usage.servedModel = model;
  if (serviceTier !== undefined) usage.serviceTier = serviceTiers.find((name) => name === serviceTier);
  return usage;
}

/** A valid finish reason, else null: it is stored, and a database does not accept every text. */
export function readFinishReason(value: unknown): string | null {
  return typeof value === 'string' && /^\w{1,64}$/.test(value) ? value : null;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How much of the search results is read. */
const contextSizes = ['low', 'medium', 'high'] as const;

/** No provider uses a longer model name. */
const MAX_MODEL_LENGTH = 256;

/** Larger counts are provider errors and do not fit the database columns. */
const MAX_TOKENS = 2_000_000_000;

function part(value: unknown, total: number): number {
  return Math.min(total, count(value) ?? 0);
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : null;
}
