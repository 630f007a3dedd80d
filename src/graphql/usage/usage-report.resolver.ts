import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, FieldResolver, Info, Int, Query, Resolver, Root } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { UsageReporter } from '../../services/usage/report/usage-report.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { ApiKey } from '../keys/api-key.types.ts';
import { isLatencySelected } from './latency-selected.ts';
import { toReportFilter } from './usage-row-filter.ts';
import { toUsageReport } from './usage-report.mapping.ts';
import {
  Interval,
  MAX_GROUPS,
  UsageDimension,
  UsageFilter,
  UsageGroup,
  UsageRange,
  UsageReport,
  DEFAULT_GROUPS,
} from './usage-report.types.ts';
import { loadApiKey } from '../keys/load-api-key.ts';

@Resolver(() => UsageGroup)
export class UsageReportResolver {
  readonly #usageReports: UsageReporter;

  constructor(usageReports: UsageReporter) {
    this.#usageReports = usageReports;
  }

  @Requires('usage.read')
  @Query(() => UsageReport, {
    // Totals over an arbitrary time range.
    complexity: 50,
    description:
      'The account’s usage, grouped by time and dimensions. A request is included within one second after its end.',
  })
  async usage(
    @Arg('range', () => UsageRange, { description: 'Time range.' }) range: UsageRange,
    @Arg('interval', () => Interval, { nullable: true, description: 'Groups the usage by time. Default: no grouping.' })
    interval: Interval | null | undefined,
    @Arg('groupBy', () => [UsageDimension], {
      nullable: true,
      description: 'Dimensions to group by.',
    })
    groupBy: UsageDimension[] | null | undefined,
    @Arg('filter', () => UsageFilter, { nullable: true, description: 'Filters the requests. Default: all requests.' })
    filter: UsageFilter | null | undefined,
    @Arg('limit', () => Int, {
      nullable: true,
      description: `Number of groups. Beyond it, each interval has only its groups with the highest cost. Maximum ${MAX_GROUPS}, default ${DEFAULT_GROUPS}.`,
    })
    limit: number | null | undefined,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageReport> {
    if (filter?.text) await context.require('logged_content.read');
    const { accountId } = await context.caller();
    const max = limit ?? DEFAULT_GROUPS;
    if (max < 1 || max > MAX_GROUPS) throw badInput('limit', `must be 1 to ${MAX_GROUPS}`);
    const { from, to } = range;
    const report = await this.#usageReports.report(accountId, {
      from,
      to,
      interval: intervalOf(interval, groupBy ?? []),
      groupBy: [...new Set(groupBy)].filter((each) => each !== UsageDimension.DAY && each !== UsageDimension.HOUR),
      filter: toReportFilter(filter),
      latency: isLatencySelected(info),
      limit: max,
    });
    return toUsageReport(report);
  }

  // Callers who can read usage can see which key it belongs to.
  @Requires('usage.read')
  @FieldResolver(() => ApiKey, {
    nullable: true,
    description: 'The API key. Also null for the dashboard’s built-in key.',
  })
  async apiKey(@Root() group: UsageGroup, @Ctx() context: GraphqlContext): Promise<ApiKey | null> {
    return group.apiKeyId === null ? null : loadApiKey(context, group.apiKeyId);
  }
}

function intervalOf(interval: Interval | null | undefined, groupBy: readonly UsageDimension[]): Interval | null {
  const asked = new Set<Interval>(interval ? [interval] : []);
  if (groupBy.includes(UsageDimension.DAY)) asked.add(Interval.DAY);
  if (groupBy.includes(UsageDimension.HOUR)) asked.add(Interval.HOUR);
  const [only = null, ...others] = asked;
  if (others.length > 0) throw badInput('interval', 'there is one at a time');
  return only;
}

function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
