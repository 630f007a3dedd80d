/** A request as a connection sends it. */
export interface SentRequest {
  /** With the path of the base URL, and its query: `/v1/chat/completions`. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** JSON. */
  readonly body: string;
}

/** A response of a provider as it is sent over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** JSON. */
  readonly body: string;
}

/** Carries the requests of a connection in place of the provider. @returns null where it never responds */
export type Transport = (request: SentRequest) => HttpAnswer | null;

/** A request as a part of a provider's batch. */
export interface BatchPart {
  /** Parts of the same kind can be in one batch: `/v1/chat/completions`. */
  readonly kind: string;
  /** A JSON object without newlines. */
  readonly text: string;
}

/** A batch that is to be created at a provider. */
export interface NewProviderBatch {
  /** A UUID. */
  readonly id: string;
  readonly kind: string;
  /** The provider's name of the model of its requests. */
  readonly model: string;
  readonly total: number;
  /** The sum of the lengths of its parts, in bytes. */
  readonly bytes: number;
  readonly parts: () => AsyncIterable<string>;
}

/** What a search for a batch found. `unclear`: not known yet. */
export type FoundBatch = { readonly externalId: string } | 'none' | 'unclear';

/** How many requests of a batch have ended, as its provider reports it. */
export interface ProviderCounts {
  readonly succeeded: number;
  readonly failed: number;
}

/** The state of a batch at its provider. `counts`: null where the provider does not report them. */
export type ProviderBatchState =
  | { readonly type: 'running'; readonly counts: ProviderCounts | null }
  /** It was refused as a whole. */
  | { readonly type: 'failed'; readonly answer: HttpAnswer }
  /** It has ended. Requests without a result have not run. */
  | { readonly type: 'ended'; readonly counts: ProviderCounts | null };

/** The response to one request. */
export interface PartResult extends HttpAnswer {
  /** As given to `partOf`. */
  readonly id: string;
}

/**
 * A provider's batch API: it runs requests within a day, at a lower price. A batch is created in two steps, so that a process that
 * dies between them leaves nothing that is billed. All methods that return a promise throw SluiceError provider_*.
 */
export interface BatchService {
  /** Of one batch. */
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** @param id at most 64 letters, digits and dashes @returns null where the batch API does not run such requests */
  partOf(request: SentRequest, id: string): BatchPart | null;
  /** An error response of the provider with this message. */
  errorBody(message: string): string;
  /** Uploads the requests. Absent where `create` sends them. @returns what `create` needs */
  upload?(batch: NewProviderBatch, signal: AbortSignal): Promise<string>;
  /** Whether the provider has processed what was uploaded. Absent where it need not. */
  isUploaded?(uploadId: string, signal: AbortSignal): Promise<boolean>;
  /** @param uploadId null without `upload` @returns the provider's id of the batch */
  create(batch: NewProviderBatch, uploadId: string | null, signal: AbortSignal): Promise<string>;
  /**
   * Finds a batch whose creation may have been interrupted.
   * @param since when it began, in milliseconds since the epoch
   */
  find(batch: NewProviderBatch, uploadId: string | null, since: number, signal: AbortSignal): Promise<FoundBatch>;
  state(externalId: string, signal: AbortSignal): Promise<ProviderBatchState>;
  /** The results of a batch that has ended. Requests that did not run have none. */
  results(externalId: string, signal: AbortSignal): AsyncIterable<PartResult>;
  cancel(externalId: string, signal: AbortSignal): Promise<void>;
  /** Deletes what was uploaded for a batch that was not created. Absent where nothing is. */
  discard?(uploadId: string, signal: AbortSignal): Promise<void>;
  /** Deletes what the provider stores of a batch whose results are not needed any more. Absent where nothing can be deleted. */
  remove?(externalId: string, signal: AbortSignal): Promise<void>;
}
