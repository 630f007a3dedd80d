import { serviceTiers, type ServiceTier } from '../../../catalogue/prices/token-rates.ts';
import type { MediaUse } from '../../../catalogue/prices/unit-price.ts';
import { usageObject, type HostedToolUse, type Usage } from '../../../protocols/canonical/usage.ts';
import { readHostedTools, readTokenCounts } from '../../../protocols/chat-completions/observe-usage.ts';
import type { TokenUsage } from '../capability.ts';

/** A mutable usage: other members of the response are added to it. */
export interface ChatUsage extends TokenUsage {
  calls?: number;
  longestInput?: number;
  media?: readonly MediaUse[];
  serviceTier?: ServiceTier;
  servedModel?: string;
}

/** Reads the `usage` object of a response; null where it is missing or implausible. */
export function readChatUsage(value: unknown): ChatUsage | null {
  const usage: ChatUsage | null = readTokenCounts(value);
  if (usage === null) return null;
  const used = readHostedTools(value);
  const media = used === null ? [] : mediaOf(used);
  if (media.length > 0) usage.media = media;
  return usage;
}

/** The same of the canonical form. */
export function readUsage(reported: Usage): ChatUsage | null {
  const usage = readChatUsage(usageObject(reported));
  const { calls, longestInput } = reported;
  if (usage === null || calls === undefined || longestInput === undefined) return usage;
  usage.calls = calls;
  usage.longestInput = longestInput;
  return usage;
}

/** Empty where no tool was called. */
function mediaOf(used: HostedToolUse): readonly MediaUse[] {
  const { web_search_requests: searches = 0, web_search_sources: sources = 0, search_context_size: size } = used;
  const uses: MediaUse[] = [
    { unit: 'search', quantity: searches, ...(size !== undefined && { size }) },
    { unit: 'search', quantity: sources, quality: 'source' },
    { unit: 'file_search', quantity: used.file_search_requests ?? 0 },
    { unit: 'document_search', quantity: used.document_search_requests ?? 0 },
    { unit: 'x_search', quantity: used.x_search_requests ?? 0 },
    { unit: 'code_execution', quantity: used.code_execution_requests ?? 0 },
  ];
  return uses.filter(({ quantity }) => quantity > 0);
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

/** No provider uses a longer model name. */
const MAX_MODEL_LENGTH = 256;
