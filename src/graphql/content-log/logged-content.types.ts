import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { JsonValue } from '../scalars/json.ts';

export enum LoggedContentState {
  STORED = 'stored',
  NOT_LOGGED = 'none',
  PENDING = 'pending',
  LOST = 'lost',
  DROPPED = 'dropped',
  DELETED = 'deleted',
  EXPIRED = 'expired',
  UNREADABLE = 'unreadable',
}
registerEnumType(LoggedContentState, {
  name: 'LoggedContentState',
  description: 'What became of the content of a request.',
  valuesConfig: {
    STORED: { description: 'It can be read.' },
    NOT_LOGGED: { description: 'It was not logged: content logging was off for this request.' },
    PENDING: { description: 'It is being stored. Read it again in a few seconds.' },
    LOST: {
      description:
        'It was to be logged, and the server was killed before it was stored, or could not write to its disk that it was dropped.',
    },
    DROPPED: { description: 'It was not stored, because the store was too slow or failed.' },
    DELETED: { description: 'A person deleted it.' },
    EXPIRED: { description: 'Its retention ended.' },
    UNREADABLE: { description: 'Its file is missing, or the secret of the server changed.' },
  },
});

export enum LoggedContentLevel {
  METADATA = 'metadata',
  FULL = 'full',
}
registerEnumType(LoggedContentLevel, {
  name: 'LoggedContentLevel',
  description: 'What is stored of the content of a request.',
  valuesConfig: {
    METADATA: { description: 'Its shape: roles, sizes, counts, names of tools, and media by reference.' },
    FULL: { description: 'The redacted bodies of request and response.' },
  },
});

@ObjectType({ description: 'How often a redaction rule applied.' })
export class LoggedRedaction {
  @Field(() => String, { description: 'The detector or pattern; `media` for media that are logged by reference.' })
  name!: string;

  @Field(() => Int, { description: 'How often it applied.' })
  count!: number;
}

@ObjectType({ description: 'Why a logged request failed.' })
export class LoggedError {
  @Field(() => String, { description: 'The error code from the error catalogue.' })
  code!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The message that the client received. Null if it is a part of the response, which had begun.',
  })
  message!: string | null;
}

@ObjectType({ description: 'The logged content of a request, redacted.' })
export class LoggedContent {
  @Field(() => LoggedContentState, { description: 'Whether it can be read, and why not.' })
  state!: LoggedContentState;

  @Field(() => LoggedContentLevel, {
    nullable: true,
    description: 'What is stored. Null unless the state is `STORED`.',
  })
  level!: LoggedContentLevel | null;

  @Field(() => JsonValue, {
    nullable: true,
    description: 'The request: its JSON body, or the fields of its form. Null unless the state is `STORED`.',
  })
  request!: unknown;

  @Field(() => JsonValue, {
    nullable: true,
    description:
      'The response. A streamed one is what it would have been without streaming. Null where there was none, and unless the state is `STORED`.',
  })
  response!: unknown;

  @Field(() => LoggedError, { nullable: true, description: 'Why the request failed. Null if it did not.' })
  error!: LoggedError | null;

  @Field(() => Boolean, {
    description: 'Whether the response is complete. It is not if the client disconnected or the request failed.',
  })
  isComplete!: boolean;

  @Field(() => [LoggedRedaction], { description: 'What was redacted before the content was stored.' })
  redactions!: LoggedRedaction[];
}
