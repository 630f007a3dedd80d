import type { ReasoningDetail } from './reasoning-details.ts';
import type { ReportedError } from '../http/upstream-error.ts';

/** OpenAI's finish reasons. Other reasons of a provider are mapped to the nearest. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/**
 * Tokens as OpenAI counts them: those cached and written to the cache are part of the input, those of reasoning, audio and
 * pictures part of their side. Translators convert counts that are defined differently.
 */
export interface ChatUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
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
  /** Web searches that the provider bills in addition to tokens. */
  readonly searches?: SearchesUsed;
}

/**
 * Searches as Anthropic and OpenRouter report them, in `server_tool_use` of the usage. Members that they do not have are
 * specific to Sluice. Source: platform.claude.com/docs/en/api/messages, ServerToolUsage.
 */
export interface SearchesUsed {
  readonly web_search_requests?: number;
  /** How much of the results was read, if the price depends on it. */
  readonly search_context_size?: string;
  /** Pages used, for a provider that bills them. */
  readonly web_search_sources?: number;
}

/** A source that the answer cites. Source: OpenAI's API document, ChatCompletionResponseMessage.annotations. */
export interface UrlCitation {
  readonly url: string;
  readonly title: string;
  /** The cited range of the message's content, in characters; 0 and 0 if the provider does not report it. */
  readonly startIndex: number;
  readonly endIndex: number;
}

/** The log probability of a token and of its alternatives. Source: OpenAI's API document, ChatCompletionTokenLogprob. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** The token in UTF-8; null if the provider does not report it. */
  readonly bytes: readonly number[] | null;
  readonly top_logprobs: readonly Omit<TokenLogprob, 'top_logprobs'>[];
}

/** The metadata of a response. */
export interface AnswerHead {
  /** The provider's id of the response; generated if it has none. */
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** Seconds since the epoch; now where absent. */
  readonly created?: number | undefined;
}

/**
 * The canonical form of a response, OpenAI's chat completion, written piece by piece by a translator. `ChunkWriter` renders
 * a stream and `DocumentWriter` a document, so that each translator is written once. `choice` counts from 0.
 */
export interface ChatAnswerWriter {
  /** Called first; later calls are ignored. */
  begin(head: AnswerHead): void;
  /** `logprobs` of the piece's tokens, if the client requested them. */
  text(piece: string, choice?: number, logprobs?: readonly TokenLogprob[]): void;
  refusal(piece: string, choice?: number): void;
  /** Shown as `reasoning_content`. */
  reasoning(piece: string, choice?: number): void;
  /** What the provider must receive again in the next turn of a tool round trip. */
  reasoningDetail(detail: ReasoningDetail, choice?: number): void;
  /**
   * Starts a tool call.
   * @param extraContent members that the provider's own OpenAI-compatible API adds to the call
   * @returns its number within the choice, for `toolArguments`
   */
  toolCall(id: string, name: string, choice?: number, extraContent?: object): number;
  /** Starts a call of a custom tool, whose input is free text. @returns as `toolCall` */
  customToolCall(id: string, name: string, choice?: number): number;
  /** A piece of the arguments' JSON, or of a custom tool's input. A function call without arguments gets `{}`. */
  toolArguments(call: number, piece: string, choice?: number): void;
  citation(citation: UrlCitation, choice?: number): void;
  /** An image in the response, as a data: URL: `images[]`, as at OpenRouter. */
  image(dataUrl: string, choice?: number): void;
  finish(reason: FinishReason, choice?: number): void;
  /** The last call applies. */
  usage(usage: ChatUsage): void;
  /** The provider reported an error within its response: nothing follows. */
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
