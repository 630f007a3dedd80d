import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { CompletionEvent } from '../completions/completion-event.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'An event of one of the account’s running completions.' })
export class LiveCompletionEvent {
  @Field(() => Cursor, { nullable: true, description: 'The cursor of this event, for `after`.' })
  cursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of the response. Null for a gap.' })
  requestId!: string | null;

  @Field(() => ID, { nullable: true, description: 'ID of the `ApiKey`. Null for a gap.' })
  apiKeyId!: string | null;

  @Field(() => String, { nullable: true, description: 'The selected model. Null for a gap.' })
  model!: string | null;

  @Field(() => DateTime, { description: 'When the event occurred.' })
  at!: Date;

  @Field(() => CompletionEvent, { description: 'The event.' })
  event!: typeof CompletionEvent;
}

@InputType({ description: 'Filters completions. All conditions must match.' })
export class LiveCompletionFilter {
  @Field(() => ID, { nullable: true, description: 'ID of an `ApiKey`.' })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`.' })
  model?: string | null;
}
