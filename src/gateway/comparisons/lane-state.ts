/** `interrupted`: the process that ran it did not live to end it. */
export type LaneStatus = 'running' | 'finished' | 'failed' | 'cancelled' | 'interrupted';
export type ComparisonKind = 'chat' | 'image' | 'speech' | 'embeddings';

/** What every lane of a comparison is asked, beside its model. */
export interface ComparisonQuestion {
  /** Of a chat: OpenAI's messages. */
  readonly messages?: readonly unknown[];
  /** Of a picture what it shows, of speech what is said. */
  readonly prompt?: string;
  /** Of embeddings: the two texts that are held against each other. */
  readonly texts?: readonly string[];
  /** Further members of each request. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Members of the requests of one model, by its name as it is asked for. */
  readonly modelParameters?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A file that a lane made. */
export interface LaneMedia {
  readonly blobId: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}

/** A call of a tool, as the model made it. */
export interface LaneToolCall {
  readonly id: string | null;
  readonly name: string | null;
  /** JSON text. */
  readonly arguments: string;
}

/** What one model has answered so far. */
export interface LaneState {
  /** From 0, in the order in which the models were named. */
  readonly position: number;
  /** As it was asked for. */
  readonly model: string;
  /** The `x-request-id` of its request. */
  readonly requestId: string;
  readonly status: LaneStatus;
  /** Canonical: `provider/model`; null until a provider was asked. */
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
  /** True where the tokens were counted here, or are not final. */
  readonly estimated: boolean;
  /** Nano-USD. */
  readonly costNano: bigint;
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  /** Of output, from the first token on. */
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
