import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql';
import type { UsageService } from '../../services/usage/usage.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { PageArgs, pageRequest } from '../relay/page.ts';
import { isLatencySelected } from './latency-selected.ts';
import { logPage, toLogConnection } from './usage-log-page.ts';
import { UsageLogConnection } from './usage-log.types.ts';
import { toUsageReport } from './usage-report.mapping.ts';
import { Interval, UsageRange, UsageReport } from './usage-report.types.ts';
import { ApiKey } from '../keys/api-key.types.ts';

/** Usage of keys. Each field is read for all keys of a page in one batch. */
@Resolver(() => ApiKey)
export class KeyUsageResolver {
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
}
