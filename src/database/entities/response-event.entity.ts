import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { StoredResponse } from './stored-response.entity.ts';

/** One event of a background response, for clients that stream it at any time, from any process. */
@Entity({ tableName: 'response_events' })
export class ResponseEvent {
  [PrimaryKeyProp]?: ['response', 'sequenceNumber'];

  @ManyToOne(() => StoredResponse, { primary: true, deleteRule: 'cascade' })
  response!: StoredResponse;

  /** From 0, in the order of the stream. */
  @PrimaryKey({ type: 'integer' })
  sequenceNumber!: number;

  /** Its JSON, sent unchanged. */
  @Property({ type: 'text' })
  event!: string;
}
