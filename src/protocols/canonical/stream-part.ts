import type { JsonObject } from './json-members.ts';
import type { ReasoningDetail } from './reasoning-details.ts';
import type { ReportedError } from './reported-error.ts';
import type { Usage } from './usage.ts';

/** OpenAI's finish reasons. Other reasons of a provider are mapped to the nearest. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

/** The reason of a refusal, for protocols that have one: Chat Completions ends it like any other text. */
export function refusedReason(reason: FinishReason | null): FinishReason | null {
  return reason === 'stop' ? 'content_filter' : reason;
}

/**
 * One part of a streamed response, independent of the protocol. Parts arrive in the order of the response. `choice` counts
 * from 0. Before `start` there are only parts that produce no output by themselves.
 */
export type StreamPart =
  | StartPart
  | TextStreamPart
  | RefusalStreamPart
  | ReasoningPart
  | ReasoningDetailPart
  | ToolCallPart
  | ToolInputPart
  | SourcePart
  | ImagePart
  | UsagePart
  | FinishPart
  | ErrorPart
  | EndPart;

/** The metadata of the response. Repeated if the provider reports other metadata later. */
export interface StartPart {
  readonly type: 'start';
  /** The provider's id of the response; generated if it has none. */
  readonly id: string;
  /** The model that the provider reports, else the requested one. */
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** By the provider's own name; absent if it reports none. */
  readonly serviceTier?: string | undefined;
}

export interface TextStreamPart {
  readonly type: 'text';
  readonly choice: number;
  /** Empty where only `logprobs` follow. */
  readonly text: string;
  /** Of the tokens of `text`; empty if the client did not request them. */
  readonly logprobs: readonly TokenLogprob[];
}

export interface RefusalStreamPart {
  readonly type: 'refusal';
  readonly choice: number;
  readonly text: string;
}

/** Readable reasoning. */
export interface ReasoningPart {
  readonly type: 'reasoning';
  readonly choice: number;
  readonly text: string;
}

/** Reasoning that the provider must receive again in the next turn of a tool round trip: signed, encrypted or summarised. */
export interface ReasoningDetailPart {
  readonly type: 'reasoning-detail';
  readonly choice: number;
  /** Providers of the Chat Completions protocol have formats of their own. */
  readonly detail: ReasoningDetail | JsonObject;
}

/** A tool call starts. */
export interface ToolCallPart {
  readonly type: 'tool-call';
  readonly choice: number;
  /** Its number within the choice, from 0. */
  readonly call: number;
  readonly id: string;
  readonly name: string;
  /** Whether it is a custom tool, whose input is free text; else a function, whose input is a JSON text. */
  readonly isCustom: boolean;
  /** Members that the provider's own OpenAI-compatible API adds to the call. */
  readonly extraContent: object | undefined;
}

/** A piece of a tool call's input. A function call has at least one: `{}` if the provider reports no arguments. */
export interface ToolInputPart {
  readonly type: 'tool-input';
  readonly choice: number;
  readonly call: number;
  readonly isCustom: boolean;
  readonly text: string;
}

/** A source that the response cites. */
export interface SourcePart {
  readonly type: 'source';
  readonly choice: number;
  readonly citation: UrlCitation;
}

export interface ImagePart {
  readonly type: 'image';
  readonly choice: number;
  /** A data: URL, or an address. */
  readonly url: string;
}

/** The usage so far; the last one applies. */
export interface UsagePart {
  readonly type: 'usage';
  readonly usage: Usage;
  /** In USD, to be shown to the client; absent if it is not known. */
  readonly cost?: number | undefined;
}

/** A choice is complete. */
export interface FinishPart {
  readonly type: 'finish';
  readonly choice: number;
  readonly reason: FinishReason;
  /** The stop sequence that ended it; absent where none did, and where the provider does not report it. */
  readonly stopSequence?: string;
}

/** The provider reported an error within its response: nothing follows. */
export interface ErrorPart {
  readonly type: 'error';
  readonly error: ReportedError;
}

/** The response is complete: nothing follows. A stream that stops before was interrupted. */
export interface EndPart {
  readonly type: 'end';
}

/** A source that the response cites. Source: OpenAI's API document, ChatCompletionResponseMessage.annotations. */
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
