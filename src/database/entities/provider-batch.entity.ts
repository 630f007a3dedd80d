import { OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { ProviderBatchStage } from '../../gateway/batches/provider/provider-batch.ts';
import { Batch } from './batch.entity.ts';

const stages = [
  'collecting',
  'uploading',
  'creating',
  'running',
  'ended',
  'delivered',
] as const satisfies readonly ProviderBatchStage[];

/** Requests of a batch that a provider's batch API runs. Removed with the end of the batch. */
@Entity({ tableName: 'provider_batches' })
export class ProviderBatch {
  [OptionalProps]?:
    | 'stage'
    | 'total'
    | 'bytes'
    | 'reservedNano'
    | 'succeeded'
    | 'failed'
    | 'uploadId'
    | 'externalId'
    | 'creatingSince'
    | 'cancelledAt'
    | 'createdAt';

  /** A UUIDv7. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => Batch, { deleteRule: 'cascade', index: true })
  batch!: Batch;

  /** The connection that it is sent by. */
  @Property({ type: 'text' })
  connectionId!: string;

  /** The model of its requests: `provider/model`. */
  @Property({ type: 'text' })
  model!: string;

  /** The provider's name of it. */
  @Property({ type: 'text' })
  upstreamModel!: string;

  /** The provider's kind of requests: an endpoint. */
  @Property({ type: 'text' })
  kind!: string;

  @Enum({ items: () => [...stages], type: 'text', default: 'collecting' })
  stage: ProviderBatchStage = 'collecting';

  /** Number of requests. */
  @Property({ type: 'integer', default: 0 })
  total: number = 0;

  /** Of its parts. */
  @Property({ type: 'integer', default: 0 })
  bytes: number = 0;

  /** The maximum cost of its requests in nano-USD, which budgets reserve until they are delivered. */
  @Property({ type: 'bigint', default: 0 })
  reservedNano: string = '0';

  /** How many requests have succeeded, as the provider reports it. */
  @Property({ type: 'integer', default: 0 })
  succeeded: number = 0;

  /** How many have failed, likewise. */
  @Property({ type: 'integer', default: 0 })
  failed: number = 0;

  /** What the provider returned for the uploaded requests. */
  @Property({ type: 'text', nullable: true })
  uploadId: string | null = null;

  /** The provider's id of the batch. */
  @Property({ type: 'text', nullable: true })
  externalId: string | null = null;

  /** Since when the provider may have it, without its id being known. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  creatingSince: Date | null = null;

  /** When its cancellation was requested of the provider. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  cancelledAt: Date | null = null;

  @Property({ type: 'datetime', length: 3, defaultRaw: 'clock_timestamp()' })
  createdAt!: Date;
}
