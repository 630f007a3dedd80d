import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { AccountsService } from '../../services/identity/accounts.service.ts';
import type { Callers } from '../../services/authorization/callers.ts';
import type { IncludedUsage } from '../../services/billing/included-usage.ts';
import type { TopUps } from '../../services/billing/top-ups.ts';
import type { PlansService } from '../../services/plans/plans.service.ts';
import { Requires } from '../operation/access.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { Account } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { toPlan, toPlanChange, toPlanChangePreview } from './plan.mapping.ts';
import { Money, usd } from '../scalars/money.type.ts';
import { AccountPeriod, PendingPlan, Plan, PlanChange, PlanChangePreview, UpdateAccountInput } from './plan.types.ts';

@Resolver(() => Account)
export class PlansResolver {
  readonly #accounts: AccountsService;
  readonly #plans: PlansService;
  readonly #includedUsage: IncludedUsage;
  readonly #callers: Callers;
  readonly #topUps: TopUps;

  constructor(services: {
    readonly accounts: AccountsService;
    readonly plans: PlansService;
    readonly includedUsage: IncludedUsage;
    readonly callers: Callers;
    readonly topUps: TopUps;
  }) {
    this.#accounts = services.accounts;
    this.#plans = services.plans;
    this.#includedUsage = services.includedUsage;
    this.#callers = services.callers;
    this.#topUps = services.topUps;
  }

  @Requires('account.read')
  @Query(() => [Plan], { description: 'The plans that an owner can change to, and the account’s current plan.' })
  async plans(@Ctx() context: GraphqlContext): Promise<Plan[]> {
    const { accountId } = await context.caller();
    return this.#plans.listFor(await this.#accounts.account(accountId)).map(toPlan);
  }

  @Requires('account.read')
  @Query(() => PlanChangePreview, { description: 'A preview of `changePlan`: price, date and effect.' })
  async planChangePreview(
    @Arg('plan', () => ID, { description: 'The `id` of a plan in `plans`.' }) plan: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PlanChangePreview> {
    const { accountId } = await context.caller();
    const preview = await this.#plans.preview(accountId, plan);
    const { from, to, pending } = preview;
    if (pending) return toPlanChangePreview(preview, to.allowanceNano);
    const included = from === to ? this.#includedUsage.of(accountId) : this.#includedUsage.after(accountId, preview);
    return toPlanChangePreview(preview, await included);
  }

  @Requires('plan.change')
  @Mutation(() => PlanChange, {
    description:
      'Changes the account’s plan. `planChangePreview` returns the price and the date in advance. An upgrade takes effect immediately, with a prorated charge for the rest of the period. A downgrade, or a change from a plan that is no longer offered, takes effect at the end of the period. Changing to the current plan cancels a pending change.',
  })
  async changePlan(
    @Arg('plan', () => ID, { description: 'The `id` of a plan in `plans`.' }) plan: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PlanChange> {
    const caller = await context.caller();
    return toPlanChange(await this.#plans.change(caller.accountId, this.#callers.creatorFor(caller), plan));
  }

  @Requires('plan.change')
  @Mutation(() => Account, { description: 'Cancels a pending change of plan.' })
  async cancelPlanChange(@Ctx() context: GraphqlContext): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await this.#plans.cancelChange(accountId));
  }

  @Requires('account.write')
  @Mutation(() => Account, { description: 'Updates the account’s settings.' })
  async updateAccount(
    @Arg('input', () => UpdateAccountInput, { description: 'The changes.' }) input: UpdateAccountInput,
    @Ctx() context: GraphqlContext,
  ): Promise<Account> {
    const { accountId } = await context.caller();
    const settings = {
      name: input.name ?? undefined,
      timeZone: input.timeZone ?? undefined,
      zeroRetention: input.zeroRetention ?? undefined,
    };
    return toAccount(await this.#plans.updateAccount(accountId, settings));
  }

  @FieldResolver(() => Plan, { description: 'The current plan.' })
  plan(@Root() { row }: Account): Plan {
    return toPlan(this.#plans.planOf(row));
  }

  @FieldResolver(() => AccountPeriod, {
    description: 'The current billing period, over which the plan’s allowance is counted.',
  })
  period(@Root() { row }: Account): AccountPeriod {
    const { start, end } = this.#plans.periodOf(row);
    return { start: new Date(start), end: new Date(end) };
  }

  @FieldResolver(() => Money, {
    description:
      'The usage that the plan includes in the current period: its `allowance`, prorated if the plan started within the period.',
  })
  async includedUsage(@Root() { row }: Account): Promise<Money> {
    return usd(await this.#includedUsage.of(row.id));
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether credit can be bought with `topUp`. True if a payment service is configured.',
  })
  canTopUp(): boolean {
    return this.#topUps.isAvailable;
  }

  @FieldResolver(() => PendingPlan, {
    nullable: true,
    description: 'The plan that the account changes to. Null if no change is pending.',
  })
  pendingPlan(@Root() { row }: Account): PendingPlan | null {
    const { pendingPlan: plan, pendingPlanAt: at } = row;
    return plan === null || at === null ? null : { plan: toPlan(this.#plans.planOf({ plan })), at };
  }
}
