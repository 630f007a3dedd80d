/** `interrupted`: its process died before it ended. */
export type LaneStatus = 'running' | 'finished' | 'failed' | 'cancelled' | 'interrupted';
export type ComparisonKind = 'chat' | 'image' | 'speech' | 'embeddings';

/** The input that all lanes of a comparison share. */
export interface ComparisonQuestion {
  /** Chat: OpenAI's messages. */
  readonly messages?: readonly unknown[];
  /** Image and speech: the prompt or the text to speak. */
  readonly prompt?: string;
  /** Embeddings: the two texts to compare. */
  readonly texts?: readonly string[];
  /** Further members of each request. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Further members for one model, by its requested name. */
  readonly modelParameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A file that a lane made. */
export interface LaneMedia {
  readonly blobId: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

/** A tool call by the model. */
export interface LaneToolCall {
  readonly id: string | null;
  readonly name: string | null;
  /** JSON text. */
  readonly arguments: string;
}

/** The state of one model's response. */
export interface LaneState {
  /** From 0, in the order of the requested models. */
  readonly position: number;
  /** As requested. */
  readonly model: string;
  /** The `x-request-id` of its request. */
  readonly requestId: string;
  readonly status: LaneStatus;
  /** Canonical: `provider/model`; null until a request was sent to a provider. */
  readonly servedModel: string | null;
  readonly provider: string | null;
  /** The text of a chat's first choice. */
  readonly output: string;
  readonly reasoning: string;
  readonly toolCalls: readonly LaneToolCall[];
  readonly media: readonly LaneMedia[];
  /** The cosine of the angle between the two embeddings. */
  readonly similarity: number | null;
  /** Of each embedding. */
  readonly dimensions: number | null;
  readonly finishReason: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** True where the tokens are estimated or not final. */
  readonly estimated: boolean;
  /** Nano-USD. */
  readonly costNano: bigint;
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  /** Output tokens, measured from the first token. */
  readonly tokensPerSecond: number | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export type MutableLaneState = { -readonly [Member in keyof LaneState]: LaneState[Member] };

export function newLane(position: number, model: string, requestId: string): MutableLaneState {
  return {
    position,
    model,
    requestId,
    status: 'running',
    servedModel: null,
    provider: null,
    output: '',
    reasoning: '',
    toolCalls: [],
    media: [],
    similarity: null,
    dimensions: null,
    finishReason: null,
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    reasoningTokens: 0,
    estimated: true,
    costNano: 0n,
    firstTokenMs: null,
    durationMs: null,
    tokensPerSecond: null,
    errorCode: null,
    errorMessage: null,
  };
}
