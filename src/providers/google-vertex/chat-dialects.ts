import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { JsonObject } from '../../protocols/canonical/json-members.ts';
import type { GenerationRequest } from '../../protocols/canonical/generation-request.ts';
import type { ChatDialect } from '../bridge/chat-dialect.ts';

/** Vertex AI serves Anthropic's models in Anthropic's own format. */
export function isClaude(model: string): boolean {
  return model.startsWith('claude-');
}

/** The dialect of Google's own models. */
export const gemini: ChatDialect = {
  supportedParams: ['presence_penalty', 'frequency_penalty', 'seed'],
  reasoning: {
    format: 'google-gemini-v1',
    namespace: 'googleVertex',
    signature: 'thoughtSignature',
    sealed: [],
  },
  supportsInterleavedInstructions: false,
  requiresToolsForCalls: false,
  supportsFile: () => true,
  fetchesImages: true,
};

/** The dialect of Anthropic's models. @param cachesPrompts whether prompts are marked that no client marks */
export function claude(cachesPrompts: boolean): ChatDialect {
  return { ...claudeDialect, caching: { isAutomatic: cachesPrompts, marksTools: true, mark } };
}

/** @param control `cache_control` of the Messages API */
function mark({ ttl }: JsonObject): SharedV4ProviderOptions {
  return { anthropic: { cacheControl: { type: 'ephemeral', ...(typeof ttl === 'string' && { ttl }) } } };
}

const claudeDialect: ChatDialect = {
  supportedParams: ['parallel_tool_calls'],
  unsupportedParams: unsupportedByClaude,
  // Anthropic's signatures are valid on every platform that serves its models. Source: platform.claude.com, "Extended
  // thinking".
  reasoning: {
    format: 'anthropic-claude-v1',
    namespace: 'anthropic',
    signature: 'signature',
    sealed: ['redactedData'],
  },
  supportsInterleavedInstructions: false,
  requiresToolsForCalls: false,
  supportsFile: (mediaType) =>
    mediaType.startsWith('image/') || mediaType === 'application/pdf' || mediaType === 'text/plain',
  fetchesImages: false,
  options: ({ parallel_tool_calls: parallel }): ReturnType<NonNullable<ChatDialect['options']>> =>
    parallel === false ? { anthropic: { disableParallelToolUse: true } } : {},
};

function unsupportedByClaude(request: GenerationRequest): readonly string[] {
  const thinks = (request.reasoning_effort ?? 'none') !== 'none';
  const names: string[] = [];
  if (request.response_format?.type === 'json_object') names.push('response_format');
  if (typeof request.temperature === 'number' && (thinks || request.temperature > 1)) names.push('temperature');
  if (typeof request.top_p === 'number' && thinks) names.push('top_p');
  if (typeof request.top_k === 'number' && thinks) names.push('top_k');
  return names;
}
