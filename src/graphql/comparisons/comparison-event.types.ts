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

const cursor = 'What `after` takes to go on behind this event; null where there is nothing to go on from.';

@ObjectType({ description: 'A lane of a comparison has its whole answer.' })
export class ComparisonLaneFinished {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => CompletionUsage, { description: 'As the provider told it.' })
  usage!: CompletionUsage;

  @Field(() => Money, { description: 'What it cost.' })
  cost!: Money;

  @Field(() => Int, { nullable: true, description: 'Milliseconds from its start.' })
  durationMs!: number | null;

  @Field(() => ComparisonLane, { description: 'All that came of it, files too.' })
  result!: ComparisonLane;
}

@ObjectType({ description: 'A lane of a comparison has failed. The others go on.' })
export class ComparisonLaneFailed {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { description: 'From the error catalogue.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;

  @Field(() => ComparisonLane, { description: 'What came of it all the same.' })
  result!: ComparisonLane;
}

@ObjectType({ description: 'A lane of a comparison was cancelled, or its server ended before it did.' })
export class ComparisonLaneCancelled {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => ComparisonLane, { description: 'What came of it until then; its `status` says which it was.' })
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
  description: 'What a lane of a comparison tells while it runs.',
  types: () => members,
});

@ObjectType({ description: 'What one of a comparison’s lanes does, and how it stands.' })
export class ComparisonEvent {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { nullable: true, description: 'Which lane, from 0; null for a gap.' })
  lane!: number | null;

  @Field(() => String, { nullable: true, description: 'Its model, as it was asked for; null for a gap.' })
  model!: string | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds until its first token; null before that.' })
  firstTokenMs!: number | null;

  @Field(() => Float, { nullable: true, description: 'Tokens of output a second, from the first one on.' })
  tokensPerSecond!: number | null;

  @Field(() => Money, { nullable: true, description: 'What it has cost so far: by our count, until it has ended.' })
  runningCost!: Money | null;

  @Field(() => ComparisonLaneEvent, { description: 'What it tells.' })
  event!: typeof ComparisonLaneEvent;
}
