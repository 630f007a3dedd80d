import { randomUUID } from 'node:crypto';
import { JsonType, OptionalProps } from '@mikro-orm/core';
import { Entity, Index, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Account } from './account.entity.ts';

/** What a client says of the quality of a request or a session. Removed when the request's usage is. */
@Entity({ tableName: 'feedback' })
@Index({
  name: 'feedback_of_request',
  expression:
    'create unique index feedback_of_request on feedback (account_id, event_id, name, author_id) where event_id is not null',
})
@Index({
  name: 'feedback_of_session',
  expression:
    'create unique index feedback_of_session on feedback (account_id, session_id, name, author_id) where session_id is not null',
})
@Index({
  name: 'feedback_by_time',
  expression: 'create index feedback_by_time on feedback (account_id, requested_at)',
})
export class Feedback {
  [OptionalProps]?: 'id' | 'eventId' | 'sessionId' | 'score' | 'comment';

  @PrimaryKey({ type: 'uuid' })
  id: string = randomUUID();

  @ManyToOne(() => Account, { deleteRule: 'cascade' })
  account!: Account;

  /** The API key, or the signed-in user, that gave it: each has one of a name. */
  @Property({ type: 'uuid' })
  authorId!: string;

  /** Of the request; null for that of a session. */
  @Property({ type: 'uuid', nullable: true })
  eventId: string | null = null;

  /** As the client named it; null for that of a request. */
  @Property({ type: 'text', nullable: true })
  sessionId: string | null = null;

  @Property({ type: 'text' })
  name!: string;

  @Property({ type: JsonType })
  value!: boolean | number | string;

  /** The value as a number: 0 and 1 for booleans, null for a category. */
  @Property({ type: 'double', nullable: true })
  score: number | null = null;

  @Property({ type: 'text', nullable: true })
  comment: string | null = null;

  /** When the request began; the last one of the session when it was first given. */
  @Property({ type: 'datetime', length: 3 })
  requestedAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  createdAt!: Date;

  @Property({ type: 'datetime', length: 3 })
  updatedAt!: Date;
}
