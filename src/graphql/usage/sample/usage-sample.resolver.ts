import type { GraphQLResolveInfo } from 'graphql';
import { Arg, Ctx, Info, Query, Resolver } from 'type-graphql';
import {
  MAX_SAMPLED_ROWS,
  type SampleFigures,
  type UsageSampler,
} from '../../../services/usage/report/usage-sample.ts';
import { Requires } from '../../operation/access.ts';
import type { GraphqlContext } from '../../operation/context.ts';
import { selectedFields } from '../../operation/selected-fields.ts';
import { usd } from '../../scalars/money.type.ts';
import { Interval, UsageFilter, UsageRange } from '../usage-report.types.ts';
import { toReportFilter } from '../usage-row-filter.ts';
import { UsageSample, type UsageSampleFigures } from './usage-sample.types.ts';

const cacheFields = [
  'promptCacheRequests',
  'promptCacheSavings',
  'responseCacheRequests',
  'responseCacheSavings',
] as const;

@Resolver()
export class UsageSampleResolver {
  readonly #sampler: UsageSampler;

  constructor(sampler: UsageSampler) {
    this.#sampler = sampler;
  }

  @Requires('usage.read')
  @Query(() => UsageSample, {
    // It reads rows of the log.
    complexity: 200,
    description: `Output speed and savings of caches. They are computed from the latest requests of each interval, ${MAX_SAMPLED_ROWS.toLocaleString('en-US')} in total, so the range is limited by the retention of the log.`,
  })
  async usageSample(
    @Arg('range', () => UsageRange, { description: 'Time range.' }) { from, to }: UsageRange,
    @Arg('interval', () => Interval, {
      nullable: true,
      description: 'Groups the sample by time. Default: no grouping.',
    })
    interval: Interval | null | undefined,
    @Arg('filter', () => UsageFilter, { nullable: true, description: 'Filters the requests. Default: all requests.' })
    filter: UsageFilter | null | undefined,
    @Ctx() context: GraphqlContext,
    @Info() info: GraphQLResolveInfo,
  ): Promise<UsageSample> {
    if (filter?.text) await context.require('logged_content.read');
    const { accountId } = await context.caller();
    const { total, intervals, ...sample } = await this.#sampler.sample(accountId, {
      from,
      to,
      interval: interval ?? null,
      filter: toReportFilter(filter),
      speed: selectedFields(info, ['outputSpeed']).size > 0,
      caches: selectedFields(info, cacheFields).size > 0,
    });
    return {
      ...sample,
      total: toFigures(total),
      intervals: intervals.map(({ start, ...figures }) => ({ start, figures: toFigures(figures) })),
    };
  }
}

function toFigures({ promptCacheSavingsNano, responseCacheSavingsNano, ...rest }: SampleFigures): UsageSampleFigures {
  return {
    ...rest,
    promptCacheSavings: usd(promptCacheSavingsNano),
    responseCacheSavings: usd(responseCacheSavingsNano),
  };
}
