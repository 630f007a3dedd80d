import { BigIntType, JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Enum, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { RepeatableRequest } from '../../gateway/capabilities/responses/background/run-store.ts';
import type { ProviderCopy } from '../../gateway/capabilities/responses/provider-copies.ts';
import type { ResponseObject, ResponseStatus } from '../../gateway/capabilities/responses/response-object.ts';
import { Account } from './account.entity.ts';

const responseStatuses = [
  'queued',
  'in_progress',
  'completed',
  'failed',
  'cancelled',
  'incomplete',
] as const satisfies readonly ResponseStatus[];

/** A stored response: its input and its output. */
@Entity({ tableName: 'responses' })
@Index({
  name: 'responses_by_account',
  expression: 'create index responses_by_account on responses (account_id, created_at desc, id desc)',
})
@Index({
  name: 'responses_unfinished',
  expression: 'create index responses_unfinished on responses (lease_until) where completed_at is null',
})
@Index({
  name: 'responses_by_expiry',
  expression: 'create index responses_by_expiry on responses (expires_at)',
})
export class StoredResponse {
  [OptionalProps]?:
    | 'memberId'
    | 'background'
    | 'previousId'
    | 'costNano'
    | 'completedAt'
    | 'cancelAskedAt'
    | 'leaseUntil'
    | 'leaseToken'
    | 'attempt'
    | 'eventId';

  /** The UUIDv7 of the request that created it; its public id is `resp_` and the 32 hex digits. */
  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** Outlives the key. */
  @Property({ type: 'uuid' })
  apiKeyId!: string;

  @Property({ type: 'uuid', nullable: true })
  memberId: string | null = null;

  /** As requested. */
  @Property({ type: 'text' })
  model!: string;

  @Enum({ items: () => [...responseStatuses], type: 'text' })
  status!: ResponseStatus;

  /** Whether it runs without a connected client. */
  @Property({ type: 'boolean', default: false })
  background: boolean = false;

  /** The response whose conversation it continues, which may be deleted earlier. */
  @Property({ type: 'uuid', nullable: true })
  previousId: string | null = null;

  /** The request's input items, without the preceding conversation. */
  @Property({ type: JsonType })
  input!: readonly Readonly<Record<string, unknown>>[];

  /** The response object as returned to clients, with its output. */
  @Property({ type: JsonType })
  response!: ResponseObject;

  /** Nano-USD; null while it runs, and if it is not known. */
  @Property({ type: new BigIntType('bigint'), nullable: true })
  costNano: bigint | null = null;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  /** When it finished, with any status. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  completedAt: Date | null = null;

  /** When it expires. */
  @Property({ type: 'datetime', length: 3 })
  expiresAt!: Date;

  /** When cancellation was requested, whichever process runs it. */
  @Property({ type: 'datetime', length: 3, nullable: true })
  cancelAskedAt: Date | null = null;

  /**
   * While it runs: when the lease of the process that runs it expires unless it is renewed. Any process may run it again then.
   */
  @Property({ type: 'datetime', length: 3, nullable: true })
  leaseUntil: Date | null = null;

  /** Increased with each lease: a process that has lost its lease stores nothing more. */
  @Property({ type: 'integer', default: 1 })
  leaseToken: number = 1;

  /** The number of its runs so far. */
  @Property({ type: 'integer', default: 1 })
  attempt: number = 1;

  /** The event of its current run; null while it waits for a process. */
  @Property({ type: 'uuid', nullable: true })
  eventId: string | null = null;

  /** What providers store of its runs, which is deleted with it; null for nothing. */
  @Property({ type: JsonType, nullable: true, lazy: true })
  providerCopies?: readonly ProviderCopy[] | null;

  /** While it runs: the request without its input, to run it again. The order of members in schemas of tools matters. */
  @Property({ type: JsonType, columnType: 'json', nullable: true, lazy: true })
  request?: RepeatableRequest | null;
}
