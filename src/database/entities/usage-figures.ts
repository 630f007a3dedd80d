import { BigIntType, DecimalType } from '@mikro-orm/core';
import { PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/**
 * What is counted of the requests that began in one stretch of time and have everything below in common. Kept by the
 * statement that stores the requests, never through the entity manager.
 */
export abstract class UsageFigures {
  @PrimaryKey({ type: 'uuid' })
  accountId!: string;

  /** Each request is counted four times: by quarter hours and by days, by its key and of all keys together. */
  @PrimaryKey({ type: 'boolean' })
  byKey!: boolean;

  /** Minutes: 15, or a day's length; see spans.ts. */
  @PrimaryKey({ type: 'smallint' })
  span!: number;

  /** Where the stretch begins: a whole quarter hour, or a day of the account's as it was when the request was made. */
  @PrimaryKey({ type: 'datetime', length: 3 })
  bucket!: Date;

  /** The nil UUID where all keys are counted together. */
  @PrimaryKey({ type: 'uuid' })
  apiKeyId!: string;

  /** The nil UUID where the key was nobody's, and where all are counted together. */
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

  /** Those that failed or were interrupted; one that its caller left is none. */
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

  /** The sum of milliseconds. */
  @Property({ type: new BigIntType('bigint') })
  durationMs!: bigint;

  /** The sum of milliseconds, of the requests that had a first token. */
  @Property({ type: new BigIntType('bigint') })
  firstTokenMs!: bigint;

  /** How many requests took how long: a histogram in one number, see `services/usage/durations.ts`. */
  @Property({ type: new DecimalType('string'), columnType: 'numeric' })
  durations!: string;

  /** The same of the time to the first token. */
  @Property({ type: new DecimalType('string'), columnType: 'numeric' })
  firstTokens!: string;
}
