import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Int, Resolver, Root } from 'type-graphql';
import type { UsageService } from '../../services/usage/usage.service.ts';
import { Requires } from '../access.ts';
import { toUser } from '../accounts/account.mapping.ts';
import { User } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest } from '../relay/page.ts';
import { isLatencySelected } from '../usage/latency-selected.ts';
import { logPage, toLogConnection } from '../usage/usage-log-page.ts';
import { UsageLogConnection } from '../usage/usage-log.types.ts';
import { toUsageReport } from '../usage/usage-report.mapping.ts';
import { Interval, UsageRange, UsageReport } from '../usage/usage-report.types.ts';
import { ApiKey, ApiKeyConnection } from './api-key.types.ts';

/** Nested fields of keys. Each field is read for all keys of a page in one batch. */
@Resolver(() => ApiKey)
export class KeyNestingResolver {
  readonly #usage: Pick<UsageService, 'logs'>;

  constructor(usage: Pick<UsageService, 'logs'>) {
    this.#usage = usage;
  }

  @Requires('usage.read')
  @FieldResolver(() => UsageReport, {
    description: 'Usage of the key. All keys of a page are read with one query on the aggregated usage.',
  })
  async usage(
    @Root() { id }: ApiKey,
    @Arg('range', () => UsageRange, { description: 'Time range.' }) { from, to }: UsageRange,
    @Arg('interval', () => Interval, { nullable: true, description: 'Groups the usage by time. Default: no grouping.' })
    interval: Interval | null | undefined,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageReport> {
    const loaders = await context.loaders();
    const latency = isLatencySelected(info);
    const query = { from, to, interval: interval ?? null, latency };
    return toUsageReport(await loaders.usageOf(fromGlobalId('ApiKey', id), query));
  }

  @Requires('usage.read')
  @FieldResolver(() => UsageLogConnection, {
    description: 'Settled requests of the key, newest first. The first page of all keys is read with one query.',
  })
  async usageLogs(
    @Root() { id }: ApiKey,
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphqlContext,
  ): Promise<UsageLogConnection> {
    const request = pageRequest(page);
    const keyId = fromGlobalId('ApiKey', id);
    if (request.from !== null || request.backwards) return logPage(context, this.#usage, { apiKeyId: keyId }, request);
    const rows = await (await context.loaders()).logsOf(keyId, request.limit + 1);
    return toLogConnection({ rows: rows.slice(0, request.limit), hasMore: rows.length > request.limit }, request);
  }

  @Requires('keys.read')
  @FieldResolver(() => User, {
    nullable: true,
    description: 'The member who created it. Null if no member did, or the creator is no longer a member.',
  })
  async createdBy(@Root() { createdById }: ApiKey, @Ctx() context: GraphqlContext): Promise<User | null> {
    if (createdById === null) return null;
    const user = await (await context.loaders()).member(createdById);
    return user && toUser(user);
  }
}

@Resolver(() => ApiKeyConnection)
export class KeyCountResolver {
  @FieldResolver(() => Int, { description: 'Total number of items over all pages.' })
  totalCount(@Root() { count }: ApiKeyConnection): Promise<number> {
    return count();
  }
}
