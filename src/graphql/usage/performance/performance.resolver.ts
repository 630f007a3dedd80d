import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import type { ModelDirectory } from '../../../gateway/keys/model-directory.ts';
import type { ConfiguredRouting, TargetState } from '../../../gateway/routing/provider-states.ts';
import type { PerformanceReporter } from '../../../services/usage/report/performance.ts';
import { Requires } from '../../operation/access.ts';
import type { GraphqlContext } from '../../operation/context.ts';
import { UsageRange } from '../usage-report.types.ts';
import { toPerformanceReport } from './performance.mapping.ts';
import { PerformanceReport } from './performance.types.ts';

/** Two reports, of which one has percentiles. */
const COMPLEXITY = 100;

@Resolver()
export class PerformanceResolver {
  readonly #reporter: Pick<PerformanceReporter, 'report'>;
  readonly #models: Pick<ModelDirectory, 'ready' | 'find'>;
  readonly #routing: Pick<ConfiguredRouting, 'states'>;

  constructor(
    reporter: Pick<PerformanceReporter, 'report'>,
    models: Pick<ModelDirectory, 'ready' | 'find'>,
    routing: Pick<ConfiguredRouting, 'states'>,
  ) {
    this.#reporter = reporter;
    this.#models = models;
    this.#routing = routing;
  }

  @Requires('usage.read')
  @Query(() => PerformanceReport, {
    complexity: COMPLEXITY,
    description:
      'Latency, throughput, error rate and uptime of a model over time, from the account’s own requests. An attempt after which another target served the request counts as a failure of this model.',
  })
  async modelPerformance(
    @Arg('model', () => String, { description: 'The name of a model: `provider/model`.' }) model: string,
    @Arg('range', () => UsageRange, { description: 'Time range of at most 366 days.' }) range: UsageRange,
    @Ctx() context: GraphqlContext,
  ): Promise<PerformanceReport> {
    const { accountId } = await context.caller();
    await this.#models.ready(accountId);
    const id = this.#models.find(model, accountId)?.id ?? model;
    const report = await this.#reporter.report(accountId, { model: id.replaceAll('\0', '') }, range);
    return toPerformanceReport(
      report,
      this.#targets(accountId, (target) => target.model === id),
    );
  }

  @Requires('usage.read')
  @Query(() => PerformanceReport, {
    complexity: COMPLEXITY,
    description: 'The same for a provider, with its models.',
  })
  async providerPerformance(
    @Arg('provider', () => String, { description: 'The prefix of the provider’s models.' }) provider: string,
    @Arg('range', () => UsageRange, { description: 'Time range of at most 366 days.' }) range: UsageRange,
    @Ctx() context: GraphqlContext,
  ): Promise<PerformanceReport> {
    const { accountId } = await context.caller();
    await this.#models.ready(accountId);
    const report = await this.#reporter.report(accountId, { provider: provider.replaceAll('\0', '') }, range);
    return toPerformanceReport(
      report,
      this.#targets(accountId, ({ model }) => model.startsWith(`${provider}/`)),
    );
  }

  #targets(accountId: string, isOf: (target: TargetState) => boolean): readonly TargetState[] {
    return this.#routing.states(accountId).flatMap(({ targets }) => targets.filter(isOf));
  }
}
