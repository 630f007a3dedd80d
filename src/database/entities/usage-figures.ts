import { BigIntType, DecimalType } from '@mikro-orm/core';
import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * Totals of the requests that began in one interval and share all dimensions below. Updated by the statement that stores the
 * requests, never through the entity manager.
 */
export abstract class UsageFigures {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** Each request is counted four times: per quarter hour and per day, for its key and for all keys together. */
  @PrimaryKey({ type: 'boolean' })
  byKey!: boolean;

  /** Minutes: 15, or the length of a day; see spans.ts. */
  @PrimaryKey({ type: 'smallint' })
  span!: number;

  /** The start of the interval: a quarter hour, or a day of the account's time zone at the time of the request. */
  @PrimaryKey({ type: 'datetime', length: 3 })
  bucket!: Date;

  /** The nil UUID for all keys together. */
  @PrimaryKey({ type: 'uuid' })
  apiKeyId!: string;

  /** The nil UUID if the key belongs to no member, and for all keys together. */
  @PrimaryKey({ type: 'uuid' })
  memberId!: string;

  @PrimaryKey({ type: 'text' })
  capability!: string;

  @PrimaryKey({ type: 'text' })
  model!: string;

  @PrimaryKey({ type: 'text' })
  provider!: string;

  @Property({ type: 'integer' })
  requests!: number;

  /** Requests that failed or were interrupted; not those whose client disconnected. */
  @Property({ type: 'integer' })
  errors!: number;

  @Property({ type: new BigIntType('bigint') })
  inputTokens!: bigint;

  @Property({ type: new BigIntType('bigint') })
  outputTokens!: bigint;

  @Property({ type: new BigIntType('bigint') })
  cachedTokens!: bigint;

  @Property({ type: new BigIntType('bigint') })
  reasoningTokens!: bigint;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint') })
  costNano!: bigint;

  /** Sum in milliseconds. */
  @Property({ type: new BigIntType('bigint') })
  durationMs!: bigint;

  /** Sum in milliseconds, of the requests that had a first token. */
  @Property({ type: new BigIntType('bigint') })
  firstTokenMs!: bigint;

  /** The duration histogram in one number, see `services/usage/durations.ts`. */
  @Property({ type: new DecimalType('string'), columnType: 'numeric' })
  durations!: string;

  /** The histogram of the time to the first token. */
  @Property({ type: new DecimalType('string'), columnType: 'numeric' })
  firstTokens!: string;

  /** Output tokens of the requests with an output speed, see `services/usage/output-speed.ts`. */
  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  streamedTokens!: bigint;

  /** Sum in milliseconds, from the first token of those requests to their end. */
  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  streamedMs!: bigint;

  /** The histogram of their output speeds. */
  @Property({ type: new DecimalType('string'), columnType: 'numeric', defaultRaw: '0' })
  outputSpeeds!: string;

  /** Requests of which a part of the input was read from a prompt cache. */
  @Property({ type: 'integer', defaultRaw: '0' })
  promptCacheRequests!: number;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  promptCacheSavingsNano!: bigint;

  /** Requests with a response from the response cache. */
  @Property({ type: 'integer', defaultRaw: '0' })
  responseCacheRequests!: number;

  /** Nano-USD. */
  @Property({ type: new BigIntType('bigint'), defaultRaw: '0' })
  responseCacheSavingsNano!: bigint;
}
