import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { StoredResponse } from './stored-response.entity.ts';

/** One event of a background response, for those who follow it from anywhere, at any time. */
@Entity({ tableName: 'response_events' })
export class ResponseEvent {
  [PrimaryKeyProp]?: ['response', 'sequenceNumber'];

  @ManyToOne(() => StoredResponse, { primary: true, deleteRule: 'cascade' })
  response!: StoredResponse;

  /** From 0, in the order in which they are told. */
  @PrimaryKey({ type: 'integer' })
  sequenceNumber!: number;

  /** Its JSON, to be told byte for byte. */
  @Property({ type: 'text' })
  event!: string;
}
