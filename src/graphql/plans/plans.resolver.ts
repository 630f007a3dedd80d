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
  @Query(() => [Plan], { description: 'The plans that an owner can change to, and the account’s own.' })
  async plans(@Ctx() context: GraphqlContext): Promise<Plan[]> {
    const { accounts, plans } = context.services;
    const { accountId } = await context.caller();
    return plans.listFor(await accounts.account(accountId)).map(toPlan);
  }

  @Requires('account.read')
  @Query(() => PlanChangePreview, { description: 'What `changePlan` would do now: price, date and consequence.' })
  async planChangePreview(
    @Arg('plan', () => ID, { description: 'The `id` of one of `plans`.' }) plan: string,
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
      'Changes the account’s plan; `planChangePreview` says beforehand what that costs, and when it takes effect. To a bigger one at once, and what it costs more is due for the rest of the period; to a smaller one, or from one that is not offered, at the period’s end. To its own: a pending change is cancelled.',
  })
  async changePlan(
    @Arg('plan', () => ID, { description: 'The `id` of one of `plans`.' }) plan: string,
    @Ctx() context: GraphqlContext,
  ): Promise<PlanChange> {
    const caller = await context.caller();
    const { plans, callers } = context.services;
    return toPlanChange(await plans.change(caller.accountId, callers.makerFor(caller), plan));
  }

  @Requires('plan.change')
  @Mutation(() => Account, { description: 'The account keeps its plan: a pending change is taken back.' })
  async cancelPlanChange(@Ctx() context: GraphqlContext): Promise<Account> {
    const { accountId } = await context.caller();
    return toAccount(await context.services.plans.cancelChange(accountId));
  }

  @Requires('account.write')
  @Mutation(() => Account, { description: 'Changes the account’s settings.' })
  async updateAccount(
    @Arg('input', () => UpdateAccountInput, { description: 'What is to be changed.' }) input: UpdateAccountInput,
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

  @FieldResolver(() => Plan, { description: 'What it may have, and what that costs.' })
  plan(@Root() { row }: Account, @Ctx() context: GraphqlContext): Plan {
    return toPlan(context.services.plans.planOf(row));
  }

  @FieldResolver(() => AccountPeriod, { description: 'What the plan’s allowance is counted over now.' })
  period(@Root() { row }: Account, @Ctx() context: GraphqlContext): AccountPeriod {
    const { start, end } = context.services.plans.periodOf(row);
    return { start: new Date(start), end: new Date(end) };
  }

  @FieldResolver(() => Money, {
    description:
      'What of the running period’s usage the plan includes: its `allowance`, or the part of it that falls on the time since the plan began within the period.',
  })
  async includedUsage(@Root() { row }: Account, @Ctx() context: GraphqlContext): Promise<Money> {
    return usd(await context.services.includedUsage.of(row.id));
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether credit can be bought with `topUp`: the server has a payment service.',
  })
  canTopUp(@Ctx() context: GraphqlContext): boolean {
    return context.services.topUps.isAvailable;
  }

  @FieldResolver(() => PendingPlan, {
    nullable: true,
    description: 'The plan that it changes to; null where it keeps its own.',
  })
  pendingPlan(@Root() { row }: Account, @Ctx() context: GraphqlContext): PendingPlan | null {
    const { pendingPlan: plan, pendingPlanAt: at } = row;
    return plan === null || at === null ? null : { plan: toPlan(context.services.plans.planOf({ plan })), at };
  }
}
