import { createUnionType, Field, Int, ObjectType } from 'type-graphql';
import { Cursor } from '../scalars/cursor.ts';
import { Money } from '../scalars/money.type.ts';

const cursor = 'The cursor of this event, for `after`. Null if the stream cannot be resumed after it.';

@ObjectType({ description: 'The request was sent to the provider.' })
export class CompletionStarted {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { description: 'The selected model: `provider/model`.' })
  model!: string;

  @Field(() => String, { description: 'The selected provider.' })
  provider!: string;
}

@ObjectType({ description: 'A part of the generated text.' })
export class CompletionDelta {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { description: 'Index of the choice.' })
  choice!: number;

  @Field(() => String, { description: 'Text to append to the previous text.' })
  text!: string;
}

@ObjectType({ description: 'A part of the model’s reasoning.' })
export class CompletionReasoning {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { description: 'Index of the choice.' })
  choice!: number;

  @Field(() => String, { description: 'Text to append to the previous text.' })
  text!: string;
}

@ObjectType({
  description: 'A part of a tool call. The first part contains `id` and `name`; each part adds to `arguments`.',
})
export class CompletionToolCall {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => Int, { description: 'Index of the choice.' })
  choice!: number;

  @Field(() => Int, { description: 'Index of the tool call.' })
  index!: number;

  @Field(() => String, { nullable: true, description: 'The provider’s ID of the call. Only in the first part.' })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the function. Only in the first part.' })
  name!: string | null;

  @Field(() => String, { description: 'A part of the JSON arguments.' })
  arguments!: string;
}

@ObjectType({ description: 'Token usage of a completion.' })
export class CompletionUsage {
  @Field(() => Int, { description: 'Input tokens, including cached ones.' })
  inputTokens!: number;

  @Field(() => Int, { description: 'Output tokens, including reasoning.' })
  outputTokens!: number;

  @Field(() => Int, { description: 'Cached input tokens. Included in the input tokens.' })
  cachedTokens!: number;

  @Field(() => Int, { description: 'Reasoning tokens. Included in the output tokens.' })
  reasoningTokens!: number;

  @Field(() => Boolean, {
    description: 'Whether the tokens were estimated by the gateway instead of reported by the provider.',
  })
  estimated!: boolean;
}

@ObjectType({ description: 'The response is complete and settled.' })
export class CompletionFinished {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { nullable: true, description: '`stop`, `length`, `tool_calls` or `content_filter`.' })
  finishReason!: string | null;

  @Field(() => CompletionUsage, { description: 'Token usage.' })
  usage!: CompletionUsage;

  @Field(() => Money, { description: 'Cost to the account.' })
  cost!: Money;

  @Field(() => Int, { description: 'Time from the request to the end of the response, in milliseconds.' })
  durationMs!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Time to first token, in milliseconds. Null if there was no token.',
  })
  firstTokenMs!: number | null;
}

@ObjectType({ description: 'The completion failed before or during the response.' })
export class CompletionFailed {
  @Field(() => Cursor, { nullable: true, description: cursor })
  cursor!: string | null;

  @Field(() => String, { description: 'The error code from the error catalogue, or `aborted`.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

@ObjectType({
  description:
    'Events were skipped because the cursor was too old or the subscriber too slow. The following events are complete.',
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
  description: 'An event of a completion.',
  types: () => members,
});
