import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import type { BilledPlan } from '../plans/billed-plan.ts';
import type { Plan, PlanCatalogue } from '../plans/plan.ts';
import { accountToBill } from './billed-accounts.ts';
import type { BilledAccount } from './billing-period.ts';
import { periodsAt } from './present-period.ts';

export interface IncludedUsageDependencies {
  readonly database: Database;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
  readonly clock?: Clock;
}

/** A change of plans that would take effect immediately. */
export interface ImmediateChange {
  /** The plan that the account is billed by before it. */
  readonly held: BilledPlan;
  readonly to: Plan;
  readonly at: Date;
  /** Nano-USD that it makes due. */
  readonly amountNano: bigint;
}

/** Computes the included usage of the current period in nano-USD, by the same rules as its invoice. */
export class IncludedUsage {
  readonly #dependencies: IncludedUsageDependencies;

  constructor(dependencies: IncludedUsageDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws SluiceError not_found | database_unavailable */
  of(accountId: string): Promise<bigint> {
    const { plans, clock = systemClock } = this.#dependencies;
    return this.#read(accountId, (account) => periodsAt(account, plans(), clock.now()).present.allowanceNano);
  }

  /** The included usage after a change of plans. @throws SluiceError not_found | database_unavailable */
  after(accountId: string, change: ImmediateChange): Promise<bigint> {
    const { plans } = this.#dependencies;
    return this.#read(
      accountId,
      (account) => periodsAt(changed(account, change), plans(), change.at.getTime()).present.allowanceNano,
    );
  }

  #read(accountId: string, sum: (account: BilledAccount) => bigint): Promise<bigint> {
    return mapDatabaseErrors(async () => {
      const account = await accountToBill(this.#dependencies.database, accountId);
      if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      return sum(account);
    });
  }
}

function changed(account: BilledAccount, { held, to, at, amountNano }: ImmediateChange): BilledAccount {
  const effectiveAt = at.getTime();
  const change = { fromPlan: account.plan, toPlan: to.id, from: held, to, effectiveAt, amountNano };
  return {
    ...account,
    plan: to.id,
    planSince: held.period === to.period ? account.planSince : effectiveAt,
    changes: [...account.changes, change],
  };
}
