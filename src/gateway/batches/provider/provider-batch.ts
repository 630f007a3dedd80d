import type { HttpAnswer, ProviderCounts } from '../../../providers/shared/batches/batch-service.ts';
import type { LeasedBatch } from '../batch.ts';

/**
 * How far a provider's batch is. `collecting`: lines are added. `uploading`: its requests are sent, which is not billed.
 * `creating`: from then on the provider may run it. `running`: its id is known. `ended`: its results are stored.
 * `delivered`: its lines have their results.
 */
export type ProviderBatchStage = 'collecting' | 'uploading' | 'creating' | 'running' | 'ended' | 'delivered';

/** Where lines can be in the same batch of a provider. */
export interface ProviderBatchGroup {
  readonly connectionId: string;
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly upstreamModel: string;
  readonly kind: string;
}

/** Lines of a batch that a provider's batch API runs. */
export interface ProviderBatch extends ProviderBatchGroup {
  /** A UUIDv7. */
  readonly id: string;
  readonly stage: ProviderBatchStage;
  readonly total: number;
  /** Of its parts. */
  readonly bytes: number;
  /** The maximum cost of its lines. */
  readonly reservedNano: bigint;
  readonly uploadId: string | null;
  readonly externalId: string | null;
  /** Milliseconds since the epoch; null before it. */
  readonly creatingSince: number | null;
  readonly isCancelled: boolean;
  /** What the provider reports. */
  readonly counts: ProviderCounts;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** A line that a provider's batch API is to run. */
export interface CollectedLine {
  readonly line: number;
  readonly providerBatchId: string;
  readonly part: string;
  /** The time in its usage record, in milliseconds since the epoch. */
  readonly beganAt: number;
}

/** The part of a provider's batch that changes. */
export type ProviderBatchChange = Partial<
  Pick<ProviderBatch, 'stage' | 'uploadId' | 'externalId' | 'creatingSince' | 'isCancelled' | 'counts'>
>;

/** The response of a provider to a line. */
export interface LineResponse extends HttpAnswer {
  readonly line: number;
}

/**
 * Stores batches of providers, for the holder of the lease of their batch: a method returns false once another process holds
 * it. Every method also throws SluiceError database_unavailable.
 */
export interface ProviderBatchStore {
  /** The batches of providers that have lines of a batch, oldest first. */
  list(batch: LeasedBatch): Promise<readonly ProviderBatch[]>;
  /** Stores lines, with the totals of their batches after them. */
  collect(batch: LeasedBatch, lines: readonly CollectedLine[], batches: readonly ProviderBatch[]): Promise<boolean>;
  change(batch: LeasedBatch, id: string, change: ProviderBatchChange): Promise<boolean>;
  /** The parts of a batch, in order. */
  parts(id: string): AsyncIterable<string>;
  /** Stores responses of lines that have none yet. */
  respond(batch: LeasedBatch, id: string, responses: readonly LineResponse[]): Promise<boolean>;
  /** Stores the same response to all lines that have none. */
  respondToAll(batch: LeasedBatch, id: string, response: HttpAnswer): Promise<boolean>;
}
