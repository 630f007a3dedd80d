import { createUnionType, Field, Float, Int, ObjectType } from 'type-graphql';
import {
  CompletionDelta,
  CompletionReasoning,
  CompletionStarted,
  CompletionToolCall,
  CompletionUsage,
  EventGap,
} from '../completions/completion-event.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { Money } from '../scalars/money.type.ts';
import { ComparisonLane } from './comparison.types.ts';

const cursor = 'The cursor of this event, for `after`. Null if the stream cannot be resumed after it.';

@ObjectType({ description: 'A comparison lane finished with a complete response.' })
export class ComparisonLaneFinished {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => CompletionUsage, { description: 'Token usage as reported by the provider.' })
  usage!: CompletionUsage;

  @Field(() => Money, { description: 'Cost of the lane.' })
  cost!: Money;

  @Field(() => Int, { nullable: true, description: 'Duration in milliseconds.' })
  durationMs!: number | null;

  @Field(() => ComparisonLane, { description: 'The final state of the lane, including files.' })
  result!: ComparisonLane;
}

@ObjectType({ description: 'A comparison lane failed. The other lanes continue.' })
export class ComparisonLaneFailed {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { description: 'The error code from the error catalogue.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;

  @Field(() => ComparisonLane, { description: 'The final state of the lane.' })
  result!: ComparisonLane;
}

@ObjectType({ description: 'A comparison lane was cancelled, or interrupted by a stop of its server.' })
export class ComparisonLaneCancelled {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => ComparisonLane, { description: 'The final state of the lane. `status` distinguishes the two cases.' })
  result!: ComparisonLane;
}

const members = [
  CompletionStarted,
  CompletionDelta,
  CompletionReasoning,
  CompletionToolCall,
  ComparisonLaneFinished,
  ComparisonLaneFailed,
  ComparisonLaneCancelled,
  EventGap,
] as const;

export const ComparisonLaneEvent = createUnionType({
  name: 'ComparisonLaneEvent',
  description: 'An event of a comparison lane.',
  types: () => members,
});

@ObjectType({ description: 'An event of a comparison lane, with the current state of the lane.' })
export class ComparisonEvent {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { nullable: true, description: 'Index of the lane, from 0. Null for a gap.' })
  lane!: number | null;

  @Field(() => String, { nullable: true, description: 'The lane’s model, by its requested name. Null for a gap.' })
  model!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Time to first token in milliseconds. Null before the first token.',
  })
  firstTokenMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Output tokens per second, measured as `OutputSpeed`.' })
  tokensPerSecond!: number | null;

  @Field(() => Money, { nullable: true, description: 'Cost so far. Estimated until the lane has ended.' })
  runningCost!: Money | null;

  @Field(() => ComparisonLaneEvent, { description: 'The event.' })
  event!: typeof ComparisonLaneEvent;
}
