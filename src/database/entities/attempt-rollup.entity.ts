import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, Index, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * An account's attempts at providers by hour, also those after which another target served the request. Updated by the statement
 * that stores the requests, never through the entity manager.
 */
@Entity({ tableName: 'attempt_rollups', readonly: true })
export class AttemptRollup {
  [PrimaryKeyProp]?: ['accountId', 'bucket', 'provider', 'model', 'capability', 'ownConnection', 'code'];

  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** Start of the hour. */
  @Index()
  @PrimaryKey({ type: 'datetime', length: 3 })
  bucket!: Date;

  @PrimaryKey({ type: 'text' })
  provider!: string;

  /** `provider/model`. */
  @PrimaryKey({ type: 'text' })
  model!: string;

  @PrimaryKey({ type: 'text' })
  capability!: string;

  /** Whether the connection is the account's own, not the operator's. */
  @PrimaryKey({ type: 'boolean' })
  ownConnection!: boolean;

  /** From the error catalogue; empty for no error. */
  @PrimaryKey({ type: 'text' })
  code!: string;

  @Property({ type: 'integer' })
  attempts!: number;

  /** Responses of a working provider, also those that reject the request. */
  @Property({ type: 'integer' })
  successes!: number;

  /** Attempts without a response, or with status 500 and above. */
  @Property({ type: 'integer' })
  failures!: number;

  /** Output tokens of streamed responses. */
  @Property({ type: new BigIntType('bigint') })
  streamedTokens!: bigint;

  /** From the first token of those responses to their end. */
  @Property({ type: new BigIntType('bigint') })
  streamedMs!: bigint;
}
