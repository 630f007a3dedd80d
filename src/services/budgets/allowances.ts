import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Allowance } from '../../gateway/limits/budget.ts';
import { accountToBill } from '../billing/billed-accounts.ts';
import type { BillingPeriod } from '../billing/billing-period.ts';
import { periodsAt } from '../billing/present-period.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { amountDue } from '../plans/allowance.ts';
import type { PlanCatalogue } from '../plans/plan.ts';
import type { BudgetIdOf } from './known-budget.ts';

/** A period that is over is billed some time later: until then, what ends late may change what is left of the balance. */
const READ_AGAIN_MS = 60_000;

/** What an account may spend in its present billing period, as it was read. */
export interface KnownAllowance {
  readonly budget: Allowance;
  /** From when on it may be another, in milliseconds since the epoch. */
  readonly readAgainAt: number;
}

export interface AllowancesParts {
  readonly database: Database;
  readonly idOf: BudgetIdOf;
  /** As configured now. */
  readonly plans: () => PlanCatalogue;
  readonly clock: Clock;
}

/** Reads what plans and balances allow where a plan refuses what goes beyond: by the very periods that are billed. */
export class Allowances {
  readonly #parts: AllowancesParts;

  constructor(parts: AllowancesParts) {
    this.#parts = parts;
  }

  /** As configured now: another book where what is allowed may be something else. */
  get plans(): PlanCatalogue {
    return this.#parts.plans();
  }

  /** Null where the account's plan bills all that is spent. @throws SluiceError database_unavailable */
  of(accountId: string): Promise<KnownAllowance | null> {
    const { database, idOf, plans, clock } = this.#parts;
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
      const readAgainAt = unbilled.length === 0 ? present.end : Math.min(present.end, clock.now() + READ_AGAIN_MS);
      return Object.freeze({ budget: Object.freeze(budget), readAgainAt });
    });
  }
}

/**
 * What of the balance the present period began with, in nano-USD: what the wallet has now and what was taken of it since, less
 * what the invoices of the periods before will take. What is owed is none.
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
  // One statement: what is stored meanwhile is in the wallet and in the log, or in neither.
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
