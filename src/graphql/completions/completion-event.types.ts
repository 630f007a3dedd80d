import { createUnionType, Field, Int, ObjectType } from 'type-graphql';
import { Cursor } from '../scalars/cursor.ts';
import { Money } from '../scalars/money.type.ts';

const cursor = 'What `after` takes to go on behind this event; null where there is nothing to go on from.';

@ObjectType({ description: 'The request is on its way to the provider.' })
export class CompletionStarted {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { description: 'The model that is asked: `provider/model`.' })
  model!: string;

  @Field(() => String, { description: 'The provider that is asked.' })
  provider!: string;
}

@ObjectType({ description: 'A piece of the answer.' })
export class CompletionDelta {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { description: 'Which of the `n` answers.' })
  choice!: number;

  @Field(() => String, { description: 'To be put behind what came before.' })
  text!: string;
}

@ObjectType({ description: 'A piece of what the model thinks.' })
export class CompletionReasoning {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { description: 'Which of the `n` answers.' })
  choice!: number;

  @Field(() => String, { description: 'To be put behind what came before.' })
  text!: string;
}

@ObjectType({ description: 'A piece of a tool call: the first has id and name, all add to the arguments.' })
export class CompletionToolCall {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { description: 'Which of the `n` answers.' })
  choice!: number;

  @Field(() => Int, { description: 'Which of the calls.' })
  index!: number;

  @Field(() => String, { nullable: true, description: 'The provider’s name of the call, with its first piece.' })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'Of the function, with its first piece.' })
  name!: string | null;

  @Field(() => String, { description: 'A piece of a JSON text.' })
  arguments!: string;
}

@ObjectType({ description: 'Tokens of a completion.' })
export class CompletionUsage {
  @Field(() => Int, { description: 'All tokens of the input.' })
  inputTokens!: number;

  @Field(() => Int, { description: 'All tokens of the output.' })
  outputTokens!: number;

  @Field(() => Int, { description: 'Part of the input.' })
  cachedTokens!: number;

  @Field(() => Int, { description: 'Part of the output.' })
  reasoningTokens!: number;

  @Field(() => Boolean, { description: 'True where they were counted here, not reported by the provider.' })
  estimated!: boolean;
}

@ObjectType({ description: 'The answer is complete and settled.' })
export class CompletionFinished {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { nullable: true, description: '`stop`, `length`, `tool_calls`, `content_filter`.' })
  finishReason!: string | null;

  @Field(() => CompletionUsage, { description: 'What it used.' })
  usage!: CompletionUsage;

  @Field(() => Money, { description: 'What it cost the account.' })
  cost!: Money;

  @Field(() => Int, { description: 'From the request to the end of its answer, in milliseconds.' })
  durationMs!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Until the first token, in milliseconds; null where there was none.',
  })
  firstTokenMs!: number | null;
}

@ObjectType({ description: 'The completion ended without an answer, or in the middle of one.' })
export class CompletionFailed {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { description: 'From the error catalogue, or `aborted`.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({
  description: 'Events were left out: the cursor was too old, or the reader too slow. What follows is complete again.',
})
export class EventGap {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;
}

const members = [
  CompletionStarted,
  CompletionDelta,
  CompletionReasoning,
  CompletionToolCall,
  CompletionFinished,
  CompletionFailed,
  EventGap,
] as const;

export const CompletionEvent = createUnionType({
  name: 'CompletionEvent',
  description: 'What a completion tells while it runs.',
  types: () => members,
});
