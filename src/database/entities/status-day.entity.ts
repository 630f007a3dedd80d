import { BigIntType, PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';

/** The attempts of all accounts at one of the operator's providers, or for one capability, on one UTC day. Written by a job. */
@Entity({ tableName: 'status_days', readonly: true })
export class StatusDay {
  [PrimaryKeyProp]?: ['day', 'kind', 'name'];

  @PrimaryKey({ type: 'date' })
  day!: string;

  /** `provider` or `capability`. */
  @PrimaryKey({ type: 'text' })
  kind!: string;

  @PrimaryKey({ type: 'text' })
  name!: string;

  /** As in AttemptRollup. */
  @Property({ type: new BigIntType('bigint') })
  successes!: bigint;

  @Property({ type: new BigIntType('bigint') })
  failures!: bigint;
}
