import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { CompletionEvent } from '../completions/completion-event.types.ts';
import { DateTime } from '../scalars/date-time.ts';

@ObjectType({ description: 'What one of the account’s completions does now.' })
export class LiveCompletionEvent {
  @Field(() => String, { nullable: true, description: 'What `after` takes to go on behind this event.' })
  cursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The `x-request-id` of the answer; null for a gap.' })
  requestId!: string | null;

  @Field(() => ID, { nullable: true })
  apiKeyId!: string | null;

  @Field(() => String, { nullable: true })
  model!: string | null;

  @Field(() => DateTime)
  at!: Date;

  @Field(() => CompletionEvent)
  event!: typeof CompletionEvent;
}

@InputType()
export class LiveCompletionFilter {
  @Field(() => ID, { nullable: true })
  apiKeyId?: string | null;

  @Field(() => String, { nullable: true, description: '`provider/model`.' })
  model?: string | null;
}
