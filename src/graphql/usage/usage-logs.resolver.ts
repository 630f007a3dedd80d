import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { eventIdOf } from '../../gateway/event-id.ts';
import { Requires } from '../access.ts';
import type { GraphqlContext } from '../context.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { ForwardPageArgs, fromTimeCursor, pageSize, toCursor } from '../relay/page.ts';
import { toUsageLog } from './usage-log.mapping.ts';
import { UsageLog, UsageLogConnection, UsageLogFilter } from './usage-log.types.ts';

@Resolver(() => UsageLog)
export class UsageLogsResolver {
  @Requires('usage.read')
  @Query(() => UsageLogConnection, {
    description: 'The account’s settled requests, newest first. A request shows within a second of its end.',
  })
  async usageLogs(
    @Args(() => ForwardPageArgs) page: ForwardPageArgs,
    @Arg('filter', () => UsageLogFilter, { nullable: true }) filter: UsageLogFilter | null,
    @Ctx() context: GraphqlContext,
  ): Promise<UsageLogConnection> {
    const { accountId } = await context.caller();
    const first = pageSize('first', page.first);
    const { rows, hasMore } = filter?.requestId
      ? await oneRow(context, accountId, filter.requestId)
      : await context.services.usage.logs(accountId, toServiceFilter(filter), first, position(page.after));
    const edges = rows.map((row) => ({
      cursor: toCursor([row.beganAt.toISOString(), row.eventId]),
      node: toUsageLog(row),
    }));
    const pageInfo = {
      hasNextPage: hasMore,
      hasPreviousPage: Boolean(page.after),
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    };
    return { edges, nodes: edges.map(({ node }) => node), pageInfo };
  }

  @Requires('usage.read')
  @Query(() => UsageLog, { nullable: true, description: 'One settled request, with how its cost was computed.' })
  async usageLog(@Arg('id', () => ID) id: string, @Ctx() context: GraphqlContext): Promise<UsageLog | null> {
    const { accountId } = await context.caller();
    const row = await context.services.usage.log(accountId, fromGlobalId('UsageLog', id));
    return row && toUsageLog(row);
  }

  @FieldResolver(() => ApiKey, { nullable: true })
  apiKey(@Root() log: UsageLog, @Ctx() context: GraphqlContext): Promise<ApiKey | null> {
    return context.apiKey(log.apiKeyId);
  }
}

async function oneRow(
  context: GraphqlContext,
  accountId: string,
  requestId: string,
): ReturnType<GraphqlContext['services']['usage']['logs']> {
  const eventId = eventIdOf(requestId);
  const row = eventId === null ? null : await context.services.usage.log(accountId, eventId);
  return { rows: row ? [row] : [], hasMore: false };
}

function toServiceFilter(filter: UsageLogFilter | null): Parameters<GraphqlContext['services']['usage']['logs']>[1] {
  const { apiKeyId, model, provider, status, from, to } = filter ?? {};
  return {
    apiKeyId: apiKeyId ? fromGlobalId('ApiKey', apiKeyId) : undefined,
    model: model ?? undefined,
    provider: provider ?? undefined,
    status: status ?? undefined,
    from: from ?? undefined,
    to: to ?? undefined,
  };
}

function position(cursor: string | null | undefined): { beganAt: Date; eventId: string } | null {
  if (!cursor) return null;
  const { at, id } = fromTimeCursor(cursor);
  return { beganAt: at, eventId: id };
}
