import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { LISTED_CHARACTERS } from '../../services/comparisons/comparison-rows.ts';
import { CompletionUsage } from '../completions/completion-event.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Node } from '../relay/node.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';
import { Money } from '../scalars/money.type.ts';

const CUT = `Of several comparisons at once: its first ${LISTED_CHARACTERS} characters.`;
const LEFT_OUT = `Of several comparisons at once: left out where it is longer than ${LISTED_CHARACTERS} characters.`;

export enum ComparisonKind {
  CHAT = 'chat',
  IMAGE = 'image',
  SPEECH = 'speech',
  EMBEDDINGS = 'embeddings',
}
registerEnumType(ComparisonKind, {
  name: 'ComparisonKind',
  description: 'What models are asked for in a comparison.',
  valuesConfig: {
    CHAT: { description: 'An answer to a prompt or a conversation.' },
    IMAGE: { description: 'Pictures of what the prompt says.' },
    SPEECH: { description: 'The prompt, spoken.' },
    EMBEDDINGS: { description: 'How alike two texts are.' },
  },
});

export enum ComparisonLaneStatus {
  RUNNING = 'running',
  FINISHED = 'finished',
  FAILED = 'failed',
  CANCELLED = 'cancelled',
  INTERRUPTED = 'interrupted',
}
registerEnumType(ComparisonLaneStatus, {
  name: 'ComparisonLaneStatus',
  description: 'How a lane of a comparison stands.',
  valuesConfig: {
    RUNNING: { description: 'The model answers.' },
    FINISHED: { description: 'The answer is complete.' },
    FAILED: { description: 'There is no answer, or not all of it: `error` says why.' },
    CANCELLED: { description: 'It was cancelled. What came until then is kept, and paid for.' },
    INTERRUPTED: { description: 'The server that ran it ended before it did. What was saved until then is kept.' },
  },
});

@ObjectType({ description: 'A file that a model made.' })
export class ComparisonMedia {
  @Field(() => String, { description: 'Such as `image/png` or `audio/mpeg`.' })
  contentType!: string;

  @Field(() => Count, { description: 'Bytes.' })
  size!: number;

  @Field(() => String, {
    description: 'Its path on this server, signed: whoever has it can fetch the file for an hour.',
  })
  url!: string;
}

@ObjectType({ description: 'A call of a tool, as the model made it.' })
export class ComparisonToolCall {
  @Field(() => String, { nullable: true, description: 'The model’s own id of the call.' })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'Which tool.' })
  name!: string | null;

  @Field(() => String, { description: 'JSON text.' })
  arguments!: string;
}

@ObjectType({ description: 'Why a lane has no whole answer.' })
export class ComparisonLaneError {
  @Field(() => String, { description: 'From the error catalogue.' })
  code!: string;

  @Field(() => String, { description: 'For people.' })
  message!: string;
}

@ObjectType({ description: 'What one model answered in a comparison, so far.' })
export class ComparisonLane {
  @Field(() => Int, { description: 'From 0, in the order in which the models were named.' })
  lane!: number;

  @Field(() => String, { description: 'As it was asked for.' })
  model!: string;

  @Field(() => String, { nullable: true, description: '`provider/model` that answered; null until one was asked.' })
  servedModel!: string | null;

  @Field(() => String, { nullable: true, description: 'Whose model it was; null until one was asked.' })
  provider!: string | null;

  @Field(() => ComparisonLaneStatus, { description: 'How it stands.' })
  status!: ComparisonLaneStatus;

  @Field(() => String, { description: `The text of a chat’s first choice; empty for other kinds. ${CUT}` })
  output!: string;

  @Field(() => String, { description: `What the model thought, where it says so. ${CUT}` })
  reasoning!: string;

  @Field(() => [ComparisonToolCall], { description: `Tools that the model called. ${LEFT_OUT}` })
  toolCalls!: ComparisonToolCall[];

  @Field(() => [ComparisonMedia], { description: 'Pictures, or speech.' })
  media!: ComparisonMedia[];

  @Field(() => Float, {
    nullable: true,
    description: 'Of two texts: the cosine of the angle between their embeddings, -1 to 1.',
  })
  similarity!: number | null;

  @Field(() => Int, { nullable: true, description: 'Of each embedding.' })
  dimensions!: number | null;

  @Field(() => String, { nullable: true, description: '`stop`, `length`, `tool_calls`, `content_filter`.' })
  finishReason!: string | null;

  @Field(() => CompletionUsage, { description: 'By our count while it runs, then as the provider told it.' })
  usage!: CompletionUsage;

  @Field(() => Money, { description: 'So far; final once it has ended.' })
  cost!: Money;

  @Field(() => Int, { nullable: true, description: 'Milliseconds until the first token, or the first byte of a file.' })
  firstTokenMs!: number | null;

  @Field(() => Int, { nullable: true, description: 'Milliseconds until its end; null while it runs.' })
  durationMs!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Tokens of output a second, from the first one on. Of chats alone.',
  })
  tokensPerSecond!: number | null;

  @Field(() => ComparisonLaneError, { nullable: true, description: 'Null where it has not failed.' })
  error!: ComparisonLaneError | null;

  @Field(() => Int, { description: 'How many hold it to be the best.' })
  votes!: number;
}

@ObjectType()
abstract class ComparisonFields {
  @Field(() => ComparisonKind, { description: 'What the models were asked for.' })
  kind!: ComparisonKind;

  @Field(() => String, { nullable: true, description: 'As somebody named it.' })
  name!: string | null;

  @Field(() => String, { nullable: true, description: `Null where it was a conversation, or two texts. ${CUT}` })
  prompt!: string | null;

  @Field(() => JsonValue, { nullable: true, description: `Of a chat: OpenAI’s messages. ${LEFT_OUT}` })
  messages!: unknown;

  @Field(() => [String], { nullable: true, description: `Of embeddings: the two texts. ${LEFT_OUT}` })
  texts!: string[] | null;

  @Field(() => JsonValue, { nullable: true, description: `Further members of each request. ${LEFT_OUT}` })
  parameters!: unknown;

  @Field(() => [ComparisonLane], { description: 'One a model, in the order in which they were named.' })
  lanes!: ComparisonLane[];

  @Field(() => String, {
    nullable: true,
    description: 'The model that most hold to be the best, as it was asked for; null without one.',
  })
  winner!: string | null;

  @Field(() => DateTime, { description: 'When it was begun.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the last lane ended; null while one runs.' })
  endedAt!: Date | null;
}

@ObjectType({ implements: Node, description: 'One question that several models were asked at once.' })
export class Comparison extends ComparisonFields implements Node {
  @Field(() => ID, { description: 'What `comparison` takes.' })
  id!: string;

  @Field(() => ID, { nullable: true, description: 'The user for whom it was run; null for a key that is nobody’s.' })
  memberId!: string | null;

  @Field(() => Boolean, { description: 'Whether a lane still runs.' })
  isRunning!: boolean;

  @Field(() => Money, { description: 'Of all lanes together, so far.' })
  cost!: Money;

  @Field(() => Boolean, { description: 'Whether the caller has voted.' })
  hasVoted!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The model that the caller voted for; null for none, or a draw.',
  })
  votedFor!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'Since when its link leads to it; null where it has none.' })
  sharedAt!: Date | null;
}

@ObjectType({ description: 'A comparison as its link shows it: to anybody, and without a word of whose it is.' })
export class SharedComparison extends ComparisonFields {}

@ObjectType({ description: 'A link to a comparison. It is shown this once: only its hash is kept.' })
export class ComparisonLink {
  @Field(() => String, { description: 'What `sharedComparison` takes.' })
  token!: string;

  @Field(() => DateTime, { description: 'From then on it leads to the comparison, until it is revoked or replaced.' })
  sharedAt!: Date;
}

@ObjectType({ description: 'A comparison in a page.' })
export class ComparisonEdge {
  @Field(() => Cursor, { description: 'What `after` takes.' })
  cursor!: string;

  @Field(() => Comparison, { description: 'The comparison.' })
  node!: Comparison;
}

@ObjectType({ description: 'A page of comparisons, newest first.' })
export class ComparisonConnection {
  @Field(() => [ComparisonEdge], { description: 'With their cursors.' })
  edges!: ComparisonEdge[];

  @Field(() => [Comparison], { description: 'Without them.' })
  nodes!: Comparison[];

  @Field(() => PageInfo, { description: 'Where the page stands among the others.' })
  pageInfo!: PageInfo;
}
