import type { HttpAnswer } from '../../providers/shared/batches/batch-service.ts';

/** The API that a batch was created with. */
export type BatchProtocol = 'openai' | 'anthropic';

/** `cancelling` is no status: it is a batch in progress whose cancellation was requested. */
export type BatchStatus =
  | 'validating'
  | 'in_progress'
  | 'finalizing'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled';

/**
 * What happens to the lines in order: requests for providers' batch APIs are collected, the others run, and the results of
 * providers are delivered.
 */
export type BatchPass = 'collect' | 'run' | 'deliver';

export const batchEndpoints = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/messages',
  '/v1/embeddings',
  '/v1/completions',
  '/v1/moderations',
] as const;
export type BatchEndpoint = (typeof batchEndpoints)[number];

/** An error of an input file. */
export interface BatchProblem {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  /** From 1; null where it concerns the file. */
  readonly line: number | null;
}

/** A request of a batch, as it is kept until it has been run. */
export interface BatchRequest {
  readonly customId: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A batch that this process runs, while it holds its lease. */
export interface LeasedBatch {
  readonly id: string;
  /** The number of the lease. */
  readonly token: number;
  readonly accountId: string;
  readonly apiKeyId: string;
  readonly memberId: string | null;
  readonly isBySession: boolean;
  readonly protocol: BatchProtocol;
  readonly endpoint: BatchEndpoint;
  readonly beta: string | null;
  readonly status: BatchStatus;
  readonly inputFileId: string | null;
  readonly inputBlobId: string | null;
  readonly outputSeconds: number | null;
  readonly total: number;
  readonly isCancelled: boolean;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly inputOffset: number;
  readonly nextLine: number;
  /** As `Call.rerunBeganAt` of the lines from `nextLine` on. */
  readonly linesBeganAt: number;
  /** Whether no line that is not done has been billed: the process that ran it before ended its turn. */
  readonly isFresh: boolean;
  readonly pass: BatchPass;
  /** The run of a dataset whose items are its lines; null or absent for a batch of a client. */
  readonly datasetRunId?: string | null;
  /** The position of the model that it runs. */
  readonly datasetRunModel?: number | null;
  /** Of its requests, for the usage log. */
  readonly tags?: Readonly<Record<string, string>> | null;
}

/** What is stored of a line. */
export interface StoredLine {
  readonly line: number;
  readonly attempt: number;
  /** Null for that of the batch. */
  readonly beganAt: number | null;
  /** Its runs that have failed at the provider. */
  readonly failures: number;
  /** It does not run again before, in milliseconds since the epoch; null for at once. */
  readonly retryAt: number | null;
  readonly isDone: boolean;
  /** The provider's batch that has it; null where Sluice runs it. */
  readonly providerBatchId: string | null;
  /** Length of the provider's response; null without one. */
  readonly answerBytes: number | null;
}

/** The next run of a line. */
export interface LineRetry extends Pick<StoredLine, 'line' | 'attempt' | 'failures' | 'retryAt'> {
  readonly beganAt: number;
  /** The message of the run before; null where none has ended since the last one that was stored. */
  readonly lastError: string | null;
  /** Whether no provider was sent the run before, so that it is not billed. Absent: it may have been. */
  readonly isUnsent?: boolean;
}

/** Why the last run of a line that is not done failed. */
export interface LineFailure {
  readonly line: number;
  readonly message: string;
}

export interface LineResult {
  readonly line: number;
  readonly isSuccess: boolean;
  /** A line of JSON. */
  readonly result: string;
  /** Whether no provider was sent the request, so that it is not billed. Absent: one may have been. */
  readonly isUnsent?: boolean;
}

/** An input file while it is checked. */
export interface CheckedFile {
  /** Its valid requests as lines of the input. */
  readonly lines: AsyncIterable<Uint8Array>;
  /** Once `lines` has been read. */
  readonly total: number;
  /** The first ones; none for a valid file. */
  readonly problems: readonly BatchProblem[];
}

/** Where the first line that is not done starts. */
export interface InputPosition {
  readonly offset: number;
  readonly line: number;
}

/** How a batch ended. */
export type BatchOutcome = 'completed' | 'expired' | 'cancelled';

/**
 * Stores batches. Only the holder of the lease may write: its methods return false, or null, once another process holds it.
 * Every method also throws SluiceError database_unavailable.
 */
export interface BatchStore {
  /** Leases the batch that has waited longest; null for none. @param accounts those that are served last */
  claim(leaseMs: number, accounts: readonly string[]): Promise<LeasedBatch | null>;
  renew(batch: LeasedBatch, leaseMs: number): Promise<{ readonly isCancelled: boolean } | null>;
  release(batch: LeasedBatch): Promise<void>;
  /**
   * Stores the requests of the input file of a batch, or why it is invalid.
   * @returns the batch as it runs; null where it has failed or the lease is lost
   */
  validate(batch: LeasedBatch, check: (file: AsyncIterable<Uint8Array>) => CheckedFile): Promise<LeasedBatch | null>;
  /** The validated requests from an offset, as bytes. */
  readInput(batch: LeasedBatch, offset: number): Promise<AsyncIterable<Uint8Array>>;
  /** What is stored of the lines from `first` to before `end`. */
  lines(batch: LeasedBatch, first: number, end: number): Promise<readonly StoredLine[]>;
  /** The provider's response to a line; null without one, or once the line has its result. */
  answer(batch: LeasedBatch, line: number): Promise<HttpAnswer | null>;
  /** The first results of lines after one, in order: fewer than `limit` also where they are long, none only after the last. */
  results(batch: LeasedBatch, afterLine: number, limit: number): Promise<readonly LineResult[]>;
  /** Stores that a line is run again, with a new event id. */
  retry(batch: LeasedBatch, next: LineRetry): Promise<boolean>;
  /** Notes the error that a line waits for. @param code as clients know it */
  noteWait(batch: LeasedBatch, code: string): Promise<void>;
  /** The first failures of lines after one that are not done, in order. */
  failures(batch: LeasedBatch, afterLine: number, limit: number): Promise<readonly LineFailure[]>;
  /** Whether the event of a run is recorded as one that did not succeed. @param beganAt as in its id */
  hasFailed(batch: Pick<LeasedBatch, 'accountId'>, eventId: string, beganAt: number): Promise<boolean>;
  record(batch: LeasedBatch, results: readonly LineResult[]): Promise<boolean>;
  /** Stores that all lines before a position are done. @returns the `linesBeganAt` of the lines after it; null if the lease is lost */
  advance(batch: LeasedBatch, position: InputPosition): Promise<number | null>;
  /** Begins a pass at the first line. @returns the batch as it runs; null if the lease is lost */
  startPass(batch: LeasedBatch, pass: BatchPass): Promise<LeasedBatch | null>;
  /** Whether every line has a result. */
  isDone(batch: LeasedBatch): Promise<boolean>;
  /** No process runs the batch before, unless it is cancelled. @param ms from now */
  waitFor(batch: LeasedBatch, ms: number): Promise<void>;
  /**
   * Stores the results and ends the batch.
   * @param output the results in the order of the input: all, or those of one kind
   * @returns false where it has not ended: later, or by another process that has the lease
   */
  finish(
    batch: LeasedBatch,
    outcome: BatchOutcome,
    output: (kind: ResultKind) => AsyncIterable<Uint8Array>,
  ): Promise<boolean>;
}

/** `output` is of the requests that succeeded, and `errors` of the others. */
export type ResultKind = 'all' | 'output' | 'errors';
