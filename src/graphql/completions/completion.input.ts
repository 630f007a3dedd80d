import { Field, ID, InputType } from 'type-graphql';
import { JsonValue } from '../scalars/json.ts';

@InputType({ description: 'A chat completion.' })
export class CompletionInput {
  @Field(() => ID, {
    description:
      'An ID chosen by the client, 1 to 100 characters. The same ID resumes the completion and never runs it again.',
  })
  clientRequestId!: string;

  @Field(() => String, { description: '`provider/model`, an alias, or an unambiguous bare name.' })
  model!: string;

  @Field(() => JsonValue, { description: 'The conversation in the format of `POST /v1/chat/completions`.' })
  messages!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'Additional parameters of the request: `temperature`, `tools`, `max_completion_tokens` …',
  })
  parameters?: unknown;
}
