import type { ReasoningDetail } from './reasoning-details.ts';
import type { ReportedError } from './upstream-error.ts';

/** OpenAI's finish reasons. What a provider stops for beyond them is mapped to the nearest. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/**
 * Tokens as OpenAI counts them: those cached and written to the cache are part of the input, those of reasoning, audio and
 * pictures part of their side. A provider that counts otherwise is converted by its translator.
 */
export interface ChatUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
  /** Input written to the provider's cache; part of `inputTokens`. */
  readonly cacheWriteTokens?: number;
  /** Of those, the ones kept for an hour, where that costs more; part of `cacheWriteTokens`. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens?: number;
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  /** Of pictures given, and made. */
  readonly imageInputTokens?: number;
  readonly imageOutputTokens?: number;
  /** Searches of the web, as far as the provider sells them beside the tokens. */
  readonly searches?: SearchesUsed;
}

/**
 * What was searched, in the form that Anthropic and OpenRouter report it in: as `server_tool_use` of the usage. What those do
 * not have is Sluice's own. Source: platform.claude.com/docs/en/api/messages, ServerToolUsage.
 */
export interface SearchesUsed {
  readonly web_search_requests?: number;
  /** How much was read of what they found, where the price hangs on it. */
  readonly search_context_size?: string;
  /** Pages used, of a provider that sells those. */
  readonly web_search_sources?: number;
}

/** A source that the answer cites. Source: OpenAI's API document, ChatCompletionResponseMessage.annotations. */
export interface UrlCitation {
  readonly url: string;
  readonly title: string;
  /** Characters of the message's content that it stands for; 0 and 0 where the provider does not say. */
  readonly startIndex: number;
  readonly endIndex: number;
}

/** How likely a token was, and which others were. Source: OpenAI's API document, ChatCompletionTokenLogprob. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** The token in UTF-8; null where the provider does not say. */
  readonly bytes: readonly number[] | null;
  readonly top_logprobs: readonly Omit<TokenLogprob, 'top_logprobs'>[];
}

/** What an answer says of itself. */
export interface AnswerHead {
  /** The provider's own id of it; one is made where it has none. */
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** Seconds since the epoch; now where absent. */
  readonly created?: number | undefined;
}

/**
 * The canonical form of an answer, as a translator tells it, piece by piece: OpenAI's chat completion. `ChunkWriter` makes a
 * stream of it and `DocumentWriter` a whole answer, so that a translator is written once. `choice` counts from 0.
 */
export interface ChatAnswerWriter {
  /** Before anything else; the first call counts. */
  begin(head: AnswerHead): void;
  /** `logprobs` are those of the piece's tokens, for a caller that asked for them. */
  text(piece: string, choice?: number, logprobs?: readonly TokenLogprob[]): void;
  refusal(piece: string, choice?: number): void;
  /** Shown as `reasoning_content`. */
  reasoning(piece: string, choice?: number): void;
  /** What the provider needs again in the next turn of a tool round trip. */
  reasoningDetail(detail: ReasoningDetail, choice?: number): void;
  /**
   * Begins a call.
   * @param extraContent what its provider's own OpenAI-compatible API tells of it beside OpenAI's members
   * @returns its number within the choice, for `toolArguments`
   */
  toolCall(id: string, name: string, choice?: number, extraContent?: object): number;
  /** Begins a call of a custom tool, whose input is free text. @returns as `toolCall` */
  customToolCall(id: string, name: string, choice?: number): number;
  /** A piece of the arguments' JSON, or of a custom tool's input. A function's call without any gets `{}`. */
  toolArguments(call: number, piece: string, choice?: number): void;
  citation(citation: UrlCitation, choice?: number): void;
  /** A picture in the answer, as a data: URL: `images[]`, as OpenRouter has it. */
  image(dataUrl: string, choice?: number): void;
  finish(reason: FinishReason, choice?: number): void;
  /** The last call counts. */
  usage(usage: ChatUsage): void;
  /** The provider reported an error within its answer: nothing follows. */
  error(error: ReportedError): void;
}

/** OpenAI's `usage` object. */
export function usageObject(usage: ChatUsage): Record<string, unknown> {
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
    ...(usage.searches && { server_tool_use: usage.searches }),
  };
}

/** Undefined for none. */
export function searchesUsed(count: number): SearchesUsed | undefined {
  return count > 0 ? { web_search_requests: count } : undefined;
}

/** OpenAI's `annotations` entry. */
export function annotationObject({ url, title, startIndex, endIndex }: UrlCitation): Record<string, unknown> {
  return { type: 'url_citation', url_citation: { url, title, start_index: startIndex, end_index: endIndex } };
}

/** OpenAI's form of an id, from the provider's own. */
export function completionId(id: string | undefined): string {
  if (id === undefined || id === '') return `chatcmpl-${crypto.randomUUID().replaceAll('-', '')}`;
  return id.startsWith('chatcmpl-') ? id : `chatcmpl-${id}`;
}
