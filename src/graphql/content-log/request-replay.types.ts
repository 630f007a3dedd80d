import { Field, ObjectType } from 'type-graphql';
import { JsonValue } from '../scalars/json.ts';
import { LoggedRedaction } from './logged-content.types.ts';

@ObjectType({ description: 'A logged request as a chat that can be sent again.' })
export class RequestReplay {
  @Field(() => String, { description: 'The model, as the client requested it.' })
  model!: string;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'The messages in the format of `POST /v1/chat/completions`. Null with a `conversionError`.',
  })
  messages!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'Its other parameters in that format, tools included. Null with a `conversionError`.',
  })
  parameters!: unknown;

  @Field(() => [String], {
    description:
      'Paths of what the chat does not contain, by the names of the client’s protocol: media, which are logged by reference, and what has no equivalent.',
  })
  dropped!: string[];

  @Field(() => [LoggedRedaction], { description: 'What was redacted: the chat contains the redacted text.' })
  redactions!: LoggedRedaction[];

  @Field(() => String, {
    nullable: true,
    description: 'Why the request cannot be sent again. Null if it can.',
  })
  conversionError!: string | null;
}
