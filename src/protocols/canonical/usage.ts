/**
 * Tokens as OpenAI counts them: those cached and written to the cache are part of the input, those of reasoning, audio and
 * images part of their side. Decoders convert counts that are defined differently.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The sum of both if absent or 0. */
  readonly totalTokens?: number;
  readonly cachedTokens?: number;
  /** Input written to the provider's cache; part of `inputTokens`. */
  readonly cacheWriteTokens?: number;
  /** Of those, tokens cached for one hour, if that costs more; part of `cacheWriteTokens`. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens?: number;
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  /** Of input and output images. */
  readonly imageInputTokens?: number;
  readonly imageOutputTokens?: number;
  /** How many calls of the provider it was; 1 if absent. */
  readonly calls?: number;
  /** The input of the longest of several calls; all input if absent. */
  readonly longestInput?: number;
  /** Calls of tools that the provider runs and bills in addition to tokens. */
  readonly hostedTools?: HostedToolUse | undefined;
}

/**
 * Calls of hosted tools as Anthropic and OpenRouter report them, in `server_tool_use` of the usage. Members that they do not
 * have are specific to Sluice. Source: platform.claude.com/docs/en/api/messages, ServerToolUsage.
 */
export interface HostedToolUse {
  readonly web_search_requests?: number;
  /** How much of the results was read, if the price depends on it. */
  readonly search_context_size?: string;
  /** Pages used, for a provider that bills them. */
  readonly web_search_sources?: number;
  readonly file_search_requests?: number;
  readonly document_search_requests?: number;
  readonly x_search_requests?: number;
  readonly code_execution_requests?: number;
}

/** Web searches; undefined for none. */
export function searchesUsed(count: number): HostedToolUse | undefined {
  return usedTools({ web_search_requests: count });
}

/** Without counts of 0; undefined where nothing is left. */
export function usedTools(use: HostedToolUse): HostedToolUse | undefined {
  const used = Object.entries(use).filter(([, value]) => value !== 0);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}

/** OpenAI's `usage` object. Source: OpenAI's API document, CompletionUsage. */
export function usageObject(usage: Usage): Record<string, unknown> {
  const { inputTokens, outputTokens } = usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      audio_tokens: usage.audioInputTokens ?? 0,
      ...(usage.imageInputTokens ? { image_tokens: usage.imageInputTokens } : {}),
      ...(usage.cacheWriteTokens ? { cache_write_tokens: usage.cacheWriteTokens } : {}),
      ...(usage.cacheWrite1hTokens ? { cache_write_1h_tokens: usage.cacheWrite1hTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: usage.audioOutputTokens ?? 0,
      ...(usage.imageOutputTokens ? { image_tokens: usage.imageOutputTokens } : {}),
    },
    ...(usage.hostedTools && { server_tool_use: usage.hostedTools }),
  };
}

/** The usage of several responses together. */
export function sumOfUsage(usages: readonly Usage[]): Usage {
  const hostedTools = sumOfMembers(usages.flatMap(({ hostedTools: used }) => used ?? []));
  const counts = sumOfMembers(usages.map(({ hostedTools: _hosted, ...each }) => each));
  return {
    ...counts,
    inputTokens: usages.reduce((sum, each) => sum + each.inputTokens, 0),
    outputTokens: usages.reduce((sum, each) => sum + each.outputTokens, 0),
    ...(usages.length > 1 && {
      calls: usages.length,
      longestInput: Math.max(...usages.map(({ inputTokens }) => inputTokens)),
    }),
    ...(Object.keys(hostedTools).length > 0 && { hostedTools }),
  };
}

/** Numbers are added; of other values, the first remains. */
function sumOfMembers(given: readonly object[]): Record<string, unknown> {
  const sums: Record<string, unknown> = {};
  for (const [name, value] of given.flatMap((each) => Object.entries(each))) {
    const before = sums[name];
    if (typeof value === 'number' && typeof before === 'number') sums[name] = before + value;
    else sums[name] ??= value;
  }
  return sums;
}
