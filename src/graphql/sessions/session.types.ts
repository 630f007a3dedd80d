import { Field, Int, ObjectType } from 'type-graphql';
import type { RequestSession as StoredSession } from '../../services/usage/sessions/request-sessions.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { PageInfo } from '../relay/page.ts';
import { Count } from '../scalars/count.ts';
import { Cursor } from '../scalars/cursor.ts';
import { DateTime } from '../scalars/date-time.ts';
import { UsageLog } from '../usage/usage-log.types.ts';
import { UsageTotals } from '../usage/usage-report.types.ts';

/** Of a session, in its tree. */
export const MAX_TREE_REQUESTS = 500;

@ObjectType({ description: 'A request in the tree of its session.' })
export class SessionRequest {
  @Field(() => UsageLog, { description: 'The request.' })
  request!: UsageLog;

  @Field(() => Int, { description: 'Number of requests and steps above it.' })
  depth!: number;

  @Field(() => String, {
    nullable: true,
    description: 'The `requestId` of the request that it is a part of. Null for none in the session.',
  })
  parentRequestId!: string | null;

  @Field(() => String, { nullable: true, description: 'The name of the step that it is a part of.' })
  step!: string | null;
}

@ObjectType({
  description:
    'Requests of the account with the same `sessionId`: a run of an agent or a conversation. Totals are of the requests that are retained.',
})
export class RequestSession {
  @Field(() => String, { description: 'The session ID that the client named.' })
  sessionId!: string;

  @Field(() => DateTime, { description: 'When the first request started.' })
  firstRequestAt!: Date;

  @Field(() => DateTime, { description: 'When the last request started.' })
  lastRequestAt!: Date;

  @Field(() => DateTime, { description: 'When the last response ended.' })
  endedAt!: Date;

  @Field(() => Count, {
    description: 'Time from the start of the first request to the end of the last response, in milliseconds.',
  })
  durationMs!: number;

  @Field(() => UsageTotals, { description: 'Totals of the requests.' })
  usage!: UsageTotals;

  @Field(() => [String], { description: 'Models that served requests, sorted by name: `provider/model`.' })
  models!: readonly string[];

  @Field(() => [ApiKey], { description: 'API keys of the requests, without the dashboard’s.' })
  apiKeys?: ApiKey[];

  @Field(() => [SessionRequest], {
    complexity: 10,
    description: `The first ${MAX_TREE_REQUESTS} requests as a tree: each request before its parts, and the requests of a step together, by time. \`usageLogs\` lists all requests of a session.`,
  })
  requests?: SessionRequest[];

  /** For the fields of the resolver; not part of the schema. */
  stored!: StoredSession;
}

@ObjectType({ description: 'An item with its cursor.' })
export class RequestSessionEdge {
  @Field(() => Cursor, { description: 'The cursor of this item, for `after` and `before`.' })
  cursor!: string;

  @Field(() => RequestSession, { description: 'The item.' })
  node!: RequestSession;
}

@ObjectType({ description: 'A page of sessions, by the last matching request, newest first.' })
export class RequestSessionConnection {
  @Field(() => [RequestSessionEdge], { description: 'The items with their cursors.' })
  edges!: RequestSessionEdge[];

  @Field(() => [RequestSession], { description: 'The items without their cursors.' })
  nodes!: RequestSession[];

  @Field(() => PageInfo, { description: 'Pagination information.' })
  pageInfo!: PageInfo;
}
