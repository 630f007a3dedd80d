import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Requires } from '../access.ts';
import { toAccount } from '../accounts/account.mapping.ts';
import { Account } from '../accounts/account.types.ts';
import type { GraphqlContext } from '../context.ts';
import { toPlan, toPlanChange, toPlanChangePreview } from './plan.mapping.ts';
import { Money, usd } from '../scalars/money.type.ts';
import { AccountPeriod, PendingPlan, Plan, PlanChange, PlanChangePreview, UpdateAccountInput } from './plan.types.ts';

@Resolver(() => Account)
export class PlansResolver {
  @Requires('account.read')
  @Query(() => [Plan], { description: 'The plans that an owner can change to, and the account’s current plan.' })
  async plans(@Ctx() context: GraphqlContext): Promise<Plan[]> {
    const { accounts, plans } = context.services;
    const { accountId } = await context.caller();
    return plans.listFor(await accounts.account(accountId)).map(toPlan);
  }

  @Requires('account.read')
  @Query(() => PlanChangePreview, { description: 'A preview of `changePlan`: price, date and effect.' })
  async planChangePreview(
    @Arg('plan', () => ID, { description: 'The `id` of a plan in `plans`.' }) plan: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PlanChangePreview> {
    const { accountId } = await context.caller();
    const { plans, includedUsage } = context.services;
    const preview = await plans.preview(accountId, plan);
    const { from, to, pending } = preview;
    if (pending) return toPlanChangePreview(preview, to.allowanceNano);
    const included = from === to ? includedUsage.of(accountId) : includedUsage.after(accountId, preview);
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
    const { plans, callers } = context.services;
    return toPlanChange(await plans.change(caller.accountId, callers.makerFor(caller), plan));
  }

  @Requires('plan.change')
  @Mutation(() => Account, { description: 'Cancels a pending change of plan.' })
  async cancelPlanChange(@Ctx() context: GraphqlContext): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await context.services.plans.cancelChange(accountId));
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
    return toAccount(await context.services.plans.updateAccount(accountId, settings));
  }

  @FieldResolver(() => Plan, { description: 'The current plan.' })
  plan(@Root() { row }: Account, @Ctx() context: GraphqlContext): Plan {
    return toPlan(context.services.plans.planOf(row));
  }

  @FieldResolver(() => AccountPeriod, {
    description: 'The current billing period, over which the plan’s allowance is counted.',
  })
  period(@Root() { row }: Account, @Ctx() context: GraphqlContext): AccountPeriod {
    const { start, end } = context.services.plans.periodOf(row);
    return { start: new Date(start), end: new Date(end) };
  }

  @FieldResolver(() => Money, {
    description:
      'The usage that the plan includes in the current period: its `allowance`, prorated if the plan started within the period.',
  })
  async includedUsage(@Root() { row }: Account, @Ctx() context: GraphqlContext): Promise<Money> {
    return usd(await context.services.includedUsage.of(row.id));
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether credit can be bought with `topUp`. True if a payment service is configured.',
  })
  canTopUp(@Ctx() context: GraphqlContext): boolean {
    return context.services.topUps.isAvailable;
  }

  @FieldResolver(() => PendingPlan, {
    nullable: true,
    description: 'The plan that the account changes to. Null if no change is pending.',
  })
  pendingPlan(@Root() { row }: Account, @Ctx() context: GraphqlContext): PendingPlan | null {
    const { pendingPlan: plan, pendingPlanAt: at } = row;
    return plan === null || at === null ? null : { plan: toPlan(context.services.plans.planOf({ plan })), at };
  }
}
