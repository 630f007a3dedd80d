import { Field, ID, InputType } from 'type-graphql';
import { JsonValue } from '../scalars/json.ts';

@InputType({ description: 'A chat to run.' })
export class CompletionInput {
  @Field(() => ID, {
    description: 'Your own id, 1 to 100 characters: the same id again resumes and never runs a second time.',
  })
  clientRequestId!: string;

  @Field(() => String, { description: '`provider/model`, an alias, or a bare name that is unambiguous.' })
  model!: string;

  @Field(() => JsonValue, { description: 'The conversation, as `POST /v1/chat/completions` takes it.' })
  messages!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'Further members of the same request: `temperature`, `tools`, `max_completion_tokens` …',
  })
  parameters?: unknown;
}
