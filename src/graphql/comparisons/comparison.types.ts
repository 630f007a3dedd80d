import { Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { LISTED_CHARACTERS } from '../../services/comparisons/comparison-views.ts';
import { CompletionUsage } from '../completions/completion-event.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Node } from '../relay/node.types.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { JsonValue } from '../scalars/json.ts';
import { Money } from '../scalars/money.type.ts';

const TRUNCATED_IN_LISTS = `In a list of comparisons: the first ${LISTED_CHARACTERS} characters.`;
const OMITTED_IN_LISTS = `In a list of comparisons: omitted if longer than ${LISTED_CHARACTERS} characters.`;

export enum ComparisonKind {
  CHAT = 'chat',
  IMAGE = 'image',
  SPEECH = 'speech',
  EMBEDDINGS = 'embeddings',
}
registerEnumType(ComparisonKind, {
  name: 'ComparisonKind',
  description: 'What the models of a comparison generate.',
  valuesConfig: {
    CHAT: { description: 'A response to a prompt or a conversation.' },
    IMAGE: { description: 'Images from the prompt.' },
    SPEECH: { description: 'The prompt as speech.' },
    EMBEDDINGS: { description: 'The similarity of two texts.' },
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
  description: 'The status of a comparison lane.',
  valuesConfig: {
    RUNNING: { description: 'The model is generating.' },
    FINISHED: { description: 'The response is complete.' },
    FAILED: { description: 'The response is missing or incomplete. `error` contains the reason.' },
    CANCELLED: { description: 'The lane was cancelled. Output received before the cancellation is stored and billed.' },
    INTERRUPTED: { description: 'The server stopped before the lane ended. Output saved before that is stored.' },
  },
});

@ObjectType({ description: 'A file that a model generated.' })
export class ComparisonMedia {
  @Field(() => String, { description: 'MIME type, such as `image/png` or `audio/mpeg`.' })
  contentType!: string;

  @Field(() => Count, { description: 'Size in bytes.' })
  size!: number;

  @Field(() => String, {
    description: 'Signed path of the file on this server. Anyone who has it can download the file for one hour.',
  })
  url!: string;
}

@ObjectType({ description: 'A tool call by the model.' })
export class ComparisonToolCall {
  @Field(() => String, { nullable: true, description: 'The model’s ID of the call.' })
  id!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the tool.' })
  name!: string | null;

  @Field(() => String, { description: 'Arguments as JSON.' })
  arguments!: string;
}

@ObjectType({ description: 'Why the response of a lane is missing or incomplete.' })
export class ComparisonLaneError {
  @Field(() => String, { description: 'The error code from the error catalogue.' })
  code!: string;

  @Field(() => String, { description: 'Human-readable message.' })
  message!: string;
}

@ObjectType({ description: 'The state and result of one model in a comparison.' })
export class ComparisonLane {
  @Field(() => Int, { description: 'Index of the lane, from 0, in the requested order.' })
  lane!: number;

  @Field(() => String, { description: 'The requested model name.' })
  model!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The model that served the request: `provider/model`. Null until the request is sent.',
  })
  servedModel!: string | null;

  @Field(() => String, { nullable: true, description: 'The provider of the model. Null until the request is sent.' })
  provider!: string | null;

  @Field(() => ComparisonLaneStatus, { description: 'Current status.' })
  status!: ComparisonLaneStatus;

  @Field(() => String, {
    description: `The text of the first choice of a chat. Empty for other kinds. ${TRUNCATED_IN_LISTS}`,
  })
  output!: string;

  @Field(() => String, { description: `The model’s reasoning, if the provider returns it. ${TRUNCATED_IN_LISTS}` })
  reasoning!: string;

  @Field(() => [ComparisonToolCall], { description: `The model’s tool calls. ${OMITTED_IN_LISTS}` })
  toolCalls!: ComparisonToolCall[];

  @Field(() => [ComparisonMedia], { description: 'Generated images or speech.' })
  media!: ComparisonMedia[];

  @Field(() => Float, {
    nullable: true,
    description: 'Cosine similarity of the embeddings of the two texts, from -1 to 1.',
  })
  similarity!: number | null;

  @Field(() => Int, { nullable: true, description: 'Number of dimensions of each embedding.' })
  dimensions!: number | null;

  @Field(() => String, { nullable: true, description: '`stop`, `length`, `tool_calls` or `content_filter`.' })
  finishReason!: string | null;

  @Field(() => CompletionUsage, {
    description: 'Token usage: estimated while the lane is running, then as reported by the provider.',
  })
  usage!: CompletionUsage;

  @Field(() => Money, { description: 'Cost so far. Final when the lane has ended.' })
  cost!: Money;

  @Field(() => Int, {
    nullable: true,
    description: 'Time to the first token, or the first byte of a file, in milliseconds.',
  })
  firstTokenMs!: number | null;

  @Field(() => Int, { nullable: true, description: 'Duration in milliseconds. Null while the lane is running.' })
  durationMs!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Output tokens per second, measured as `OutputSpeed`. Only for chats.',
  })
  tokensPerSecond!: number | null;

  @Field(() => ComparisonLaneError, { nullable: true, description: 'Null if it has not failed.' })
  error!: ComparisonLaneError | null;

  @Field(() => Int, { description: 'Number of votes for this model.' })
  votes!: number;
}

@ObjectType()
abstract class ComparisonFields {
  @Field(() => ComparisonKind, { description: 'What the models generate.' })
  kind!: ComparisonKind;

  @Field(() => String, { nullable: true, description: 'Display name.' })
  name!: string | null;

  @Field(() => String, {
    nullable: true,
    description: `The prompt. Null for a conversation or two texts. ${TRUNCATED_IN_LISTS}`,
  })
  prompt!: string | null;

  @Field(() => JsonValue, {
    nullable: true,
    description: `For a chat: messages in OpenAI’s format. ${OMITTED_IN_LISTS}`,
  })
  messages!: unknown;

  @Field(() => [String], { nullable: true, description: `For embeddings: the two texts. ${OMITTED_IN_LISTS}` })
  texts!: string[] | null;

  @Field(() => JsonValue, { nullable: true, description: `Additional parameters of each request. ${OMITTED_IN_LISTS}` })
  parameters!: unknown;

  @Field(() => [ComparisonLane], { description: 'One lane per model, in the requested order.' })
  lanes!: ComparisonLane[];

  @Field(() => String, {
    nullable: true,
    description: 'The model with the most votes, by its requested name. Null if there is none.',
  })
  winner!: string | null;

  @Field(() => DateTime, { description: 'Start time.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When the last lane ended. Null while one is running.' })
  endedAt!: Date | null;
}

@ObjectType({ implements: Node, description: 'A comparison of several models on the same request.' })
export class Comparison extends ComparisonFields implements Node {
  @Field(() => ID, { description: 'The comparison’s ID, for `comparison`.' })
  id!: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The user who ran the comparison. Null for an API key without an owner.',
  })
  memberId!: string | null;

  @Field(() => Boolean, { description: 'Whether a lane is running.' })
  isRunning!: boolean;

  @Field(() => Money, { description: 'Total cost of all lanes so far.' })
  cost!: Money;

  @Field(() => Boolean, { description: 'Whether the caller has voted.' })
  hasVoted!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The model that the caller voted for. Null for no vote or a tie.',
  })
  votedFor!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When the comparison was shared. Null if it has no link.' })
  sharedAt!: Date | null;
}

@ObjectType({ description: 'A comparison as its link shows it to anyone. Contains no information about the account.' })
export class SharedComparison extends ComparisonFields {}

@ObjectType({ description: 'A public link to a comparison. Its token is shown once; only a hash is stored.' })
export class ComparisonLink {
  @Field(() => String, { description: 'The token, for `sharedComparison`.' })
  token!: string;

  @Field(() => DateTime, { description: 'When the link was created. It is valid until it is revoked or replaced.' })
  sharedAt!: Date;
}

@ObjectType({ description: 'A comparison with its cursor.' })
export class ComparisonEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => Comparison, { description: 'The comparison.' })
  node!: Comparison;
}

@ObjectType({ description: 'A page of comparisons, newest first.' })
export class ComparisonConnection {
  @Field(() => [ComparisonEdge], { description: 'The items with their cursors.' })
  edges!: ComparisonEdge[];

  @Field(() => [Comparison], { description: 'The items without their cursors.' })
  nodes!: Comparison[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
