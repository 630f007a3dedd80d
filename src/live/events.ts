/** An update of a running completion. Token counts are reported by the provider unless `estimated`. */
export type CompletionUpdate =
  | { readonly type: 'started'; readonly model: string; readonly provider: string }
  | { readonly type: 'delta'; readonly choice: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly choice: number; readonly text: string }
  | {
      readonly type: 'toolCall';
      readonly choice: number;
      readonly index: number;
      readonly id: string | null;
      readonly name: string | null;
      readonly arguments: string;
    }
  | {
      readonly type: 'finished';
      readonly finishReason: string | null;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly cachedTokens: number;
      readonly reasoningTokens: number;
      readonly estimated: boolean;
      /** Integer nano-USD. */
      readonly costNano: bigint;
      readonly durationMs: number;
      readonly firstTokenMs: number | null;
    }
  | {
      readonly type: 'failed';
      readonly code: string;
      readonly message: string;
      readonly aborted: boolean;
      /** Usage and cost despite the failure; absent if it had not started. */
      readonly used?: CompletionUsed;
    };

export interface CompletionUsed {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly estimated: boolean;
  /** Integer nano-USD. */
  readonly costNano: bigint;
}

/** A live event of an account. */
export interface LiveCompletion {
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly requestId: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly update: CompletionUpdate;
}
