import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Allowance } from '../../gateway/keys/spend-bound.ts';
import { accountToBill } from '../billing/billed-accounts.ts';
import type { BillingPeriod } from '../billing/billing-period.ts';
import { periodsAt } from '../billing/present-period.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { amountDue } from '../plans/allowance.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import type { BudgetIdOf } from './known-budget.ts';

/** An ended period is billed some time later; until then, late requests may change the remaining balance. */
const REFRESH_INTERVAL_MS = 60_000;

/** The amount that an account may spend in its current billing period. */
export interface KnownAllowance {
  readonly budget: Allowance;
  /** When it has to be read again, in milliseconds since the epoch. */
  readonly refreshAt: number;
}

export interface AllowancesDependencies {
  readonly database: Database;
  readonly idOf: BudgetIdOf;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
  readonly clock: Clock;
}

/** Reads the allowance of plans that reject usage beyond it: by the same periods that are billed. */
export class Allowances {
  readonly #dependencies: AllowancesDependencies;

  constructor(dependencies: AllowancesDependencies) {
    this.#dependencies = dependencies;
  }

  /** The configured plans: another object when allowances may have changed. */
  get plans(): PlanCatalogue {
    return this.#dependencies.plans();
  }

  /** Null if the account's plan bills all usage. @throws SluiceError database_unavailable */
  of(accountId: string): Promise<KnownAllowance | null> {
    const { database, idOf, plans, clock } = this.#dependencies;
    return mapDatabaseErrors(async () => {
      const account = await accountToBill(database, accountId);
      if (account === null || plans().of(account.plan).terms.overage === 'bill') return null;
      const { present, unbilled } = periodsAt(account, plans(), clock.now());
      const balance = await balanceBefore(database, accountId, present, unbilled);
      const budget: Allowance = {
        id: idOf('allowance', { accountId, keyId: '', memberId: null }),
        subject: 'allowance',
        accountId,
        period: { start: present.start, end: present.end },
        amountNano: present.allowanceNano + balance,
        laterNano: present.nextPlan.allowanceNano,
      };
      const refreshAt = unbilled.length === 0 ? present.end : Math.min(present.end, clock.now() + REFRESH_INTERVAL_MS);
      return Object.freeze({ budget: Object.freeze(budget), refreshAt });
    });
  }
}

/**
 * The balance at the start of the current period, in nano-USD: the wallet's current balance plus what was spent since, less
 * the amounts of earlier periods that are not invoiced yet. Never negative.
 */
async function balanceBefore(
  database: Database,
  accountId: string,
  present: BillingPeriod,
  unbilled: readonly BillingPeriod[],
): Promise<bigint> {
  const spans = [...unbilled, present].map(({ start, end }, place) => ({
    place,
    begins: new Date(start),
    ends: new Date(end),
  }));
  // One statement, so that usage stored meanwhile is in both the wallet and the log, or in neither.
  const rows = await database.query<{ wallet: string; spent: string }>(
    `select
      (select coalesce(sum(amount_nano), 0) from ledger_balances where account_id = $1 and book = 'wallet')::text as wallet,
      (
        select coalesce(sum(cost_nano), 0) from usage_logs
        where account_id = $1 and began_at >= span.begins and began_at < span.ends
      )::text as spent
    from jsonb_to_recordset($2::text::jsonb) as span(place int, begins timestamptz, ends timestamptz) order by place`,
    [accountId, JSON.stringify(spans)],
  );
  const spent = rows.map((row) => BigInt(row.spent));
  const before = spent.reduce((sum, each) => sum + each, BigInt(rows[0]?.wallet ?? 0));
  const left = unbilled.reduce((sum, period, place) => sum - dueOf(period, spent[place] ?? 0n), before);
  return left > 0n ? left : 0n;
}

function dueOf({ feeNano, changes, allowanceNano }: BillingPeriod, spentNano: bigint): bigint {
  const fees = changes.reduce((sum, { amountNano }) => sum + amountNano, feeNano);
  return fees + amountDue(spentNano, allowanceNano);
}
