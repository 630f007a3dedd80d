import { Arg, Ctx, ID, Int, Query, Resolver } from 'type-graphql';
import type { PricedTokens } from '../../catalogue/prices/token-rates.ts';
import { SluiceError } from '../../errors/index.ts';
import type { ModelDirectory, ModelListing } from '../../gateway/keys/model-directory.ts';
import { usableModel } from '../../gateway/routing/models/usable-models.ts';
import type { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';
import { totalsOf, type UsageReporter, type UsageTotals } from '../../services/usage/report/usage-report.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { toModel } from '../models/model.mapping.ts';
import { usd } from '../scalars/money.type.ts';
import { toUsageTotals } from '../usage/usage-report.mapping.ts';
import { ComparisonWorkload, ModelComparison, type ComparedModel } from './compare-models.types.ts';
import { usagePerRequest, workloadCost } from './workload-cost.ts';

const MAX_MODELS = 20;
const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

interface Compared {
  readonly id: string;
  readonly listing: ModelListing;
  readonly measured: UsageTotals;
  readonly priced: ReturnType<typeof workloadCost> | null;
}

@Resolver()
export class CompareModelsResolver {
  readonly #usageReports: UsageReporter;
  readonly #models: Pick<ModelDirectory, 'ready' | 'find'>;
  readonly #directory: Pick<MemoryKeyDirectory, 'dashboardKey'>;

  constructor(
    usageReports: UsageReporter,
    models: Pick<ModelDirectory, 'ready' | 'find'>,
    directory: Pick<MemoryKeyDirectory, 'dashboardKey'>,
  ) {
    this.#usageReports = usageReports;
    this.#models = models;
    this.#directory = directory;
  }

  @Requires('usage.read')
  @Query(() => ModelComparison, {
    // Totals per model over an arbitrary time range.
    complexity: 10,
    description: 'Compares models: metadata, the cost of a workload, and the account’s own measurements.',
  })
  async compareModels(
    @Arg('ids', () => [ID], { description: `Up to ${MAX_MODELS} models: \`provider/model\`, or bare names.` })
    ids: string[],
    @Arg('usage', () => ComparisonWorkload, { nullable: true, description: 'The workload to price.' })
    workload: ComparisonWorkload | null,
    @Arg('days', () => Int, {
      defaultValue: 30,
      description: 'Number of days of the account’s own requests to measure.',
    })
    days: number,
    @Ctx() context: GraphqlContext,
  ): Promise<ModelComparison> {
    if (ids.length === 0 || ids.length > MAX_MODELS) throw bad('ids', `give 1 to ${MAX_MODELS} models`);
    if (days < 1 || days > MAX_DAYS) throw bad('days', `must be 1 to ${MAX_DAYS}`);
    const used = workload && usagePerRequest(workload);
    const to = new Date();
    const from = new Date(to.getTime() - days * DAY_MS);
    const listings = await this.#findModels(context, [...new Set(ids)]);
    const markupPpm = await this.#markupOf(context);
    const measured = await this.#usageReports.ofModels(
      (await context.caller()).accountId,
      listings.map(({ listing }) => listing.id),
      { from, to },
    );
    const compared = listings.map(({ id, listing }): Compared => {
      const priced = price(listing, used, workload?.requests ?? 0, markupPpm);
      return { id, listing, measured: measured.get(listing.id) ?? totalsOf(undefined), priced };
    });
    const [cheapest = null] = compared.filter(({ priced }) => priced !== null).toSorted(byCost);
    return {
      models: compared.map((each) => toComparedModel(each, cheapest?.priced?.costNano ?? 0n)),
      cheapest: cheapest?.id ?? null,
      measuredFrom: from,
      measuredTo: to,
    };
  }

  /** @throws SluiceError model_not_found */
  async #findModels(
    context: GraphqlContext,
    ids: readonly string[],
  ): Promise<{ readonly id: string; readonly listing: ModelListing }[]> {
    const caller = await context.caller();
    await this.#models.ready(caller.accountId);
    return ids.map((id) => {
      const listing =
        caller.kind === 'session' ? this.#models.find(id, caller.accountId) : usableModel(this.#models, caller.key, id);
      if (listing === undefined) throw new SluiceError('model_not_found', { values: { model: id.slice(0, 256) } });
      return { id, listing };
    });
  }

  /** The markup of the account's plan. */
  async #markupOf(context: GraphqlContext): Promise<number> {
    const caller = await context.caller();
    if (caller.kind === 'key') return caller.key.plan.markupPpm;
    return (await this.#directory.dashboardKey(caller.accountId)).plan.markupPpm;
  }
}

function price(
  { pricing, provider }: ModelListing,
  used: PricedTokens | null,
  requests: number,
  markupPpm: number,
): Compared['priced'] {
  if (used === null) return null;
  if (pricing !== null) return workloadCost(pricing, used, requests, markupPpm);
  return provider === 'sandbox' ? { costNano: 0n, steps: [] } : null;
}

function byCost(a: Compared, b: Compared): number {
  const difference = (a.priced?.costNano ?? 0n) - (b.priced?.costNano ?? 0n);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

function toComparedModel({ id, listing, measured, priced }: Compared, cheapestNano: bigint): ComparedModel {
  const { requests, errors } = measured;
  return {
    id,
    model: toModel(listing),
    cost: priced && usd(priced.costNano),
    costSteps: (priced?.steps ?? []).map(({ label, quantity, rate, per, amountNano }) => {
      return { label, quantity, rate, per, amount: usd(amountNano) };
    }),
    timesCheapest:
      priced === null || cheapestNano === 0n ? null : Number((priced.costNano * 1_000n) / cheapestNano) / 1_000,
    measured: toUsageTotals(measured),
    errorRate: requests === 0 ? null : errors / requests,
  };
}

function bad(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
