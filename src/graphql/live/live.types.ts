import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { CompletionEvent } from '../completions/completion-event.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'What one of the account’s completions does now.' })
export class LiveCompletionEvent {
  @Field(() => Cursor, { nullable: true, description: 'What `after` takes to go on behind this event.' })
  cursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of the answer; null for a gap.' })
  requestId!: string | null;

  @Field(() => ID, { nullable: true, description: 'Of the `ApiKey` that it runs as; null for a gap.' })
  apiKeyId!: string | null;

  @Field(() => String, { nullable: true, description: 'The model that is asked; null for a gap.' })
  model!: string | null;

  @Field(() => DateTime, { description: 'When it happened.' })
  at!: Date;

  @Field(() => CompletionEvent, { description: 'What happened.' })
  event!: typeof CompletionEvent;
}

@InputType({ description: 'Which completions are told of; each that is given narrows.' })
export class LiveCompletionFilter {
  @Field(() => ID, { nullable: true, description: 'Of an `ApiKey`.' })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`.' })
  model?: string | null;
}
