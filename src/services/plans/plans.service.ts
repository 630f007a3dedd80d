import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { isTimeZone, type Period } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import { Account, PlanChange, User, type StoredPlan } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { parseName } from '../accounts/build-account.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { readStoredPlan, storePlan, type BilledPlan } from './billed-plan.ts';
import { accountPeriod, fullPeriod, type PeriodAnchor } from './plan-period.ts';
import type { Plan, PlanCatalogue } from './plan.ts';
import { proratedNano } from './proration.ts';

export interface PlansDependencies {
  readonly database: Database;
  /** As currently configured. */
  readonly plans: () => PlanCatalogue;
  /** Called synchronously when an account may have a different plan. */
  readonly changed: (accountId: string) => void;
  /** Resolves when the account's budgets use its current time zone. */
  readonly budgetsChanged: (accountId: string) => Promise<void>;
  /** Schedules `applyDue` durably for that time. */
  readonly applyAt: (at: Date) => Promise<void>;
  readonly clock?: Clock;
}

/** A change of plans, applied or previewed. */
export interface ChangedPlan {
  readonly account: Account;
  readonly from: Plan;
  readonly to: Plan;
  /** When it takes effect. */
  readonly at: Date;
  /** Whether that is in the future. */
  readonly pending: boolean;
  /** Nano-USD due for the rest of the period. */
  readonly amountNano: bigint;
}

export interface PlanChangePreview extends ChangedPlan {
  /** The plan that the account is currently billed by. */
  readonly held: BilledPlan;
  /** When the fee of the new plan is next charged in full. */
  readonly renewsAt: Date;
}

export interface AccountSettings {
  readonly name?: string | undefined;
  /** IANA name. */
  readonly timeZone?: string | undefined;
  readonly zeroRetention?: boolean | undefined;
}

/** What determines an account's plan and period. */
type PlanHolder = Pick<Account, 'plan' | 'planSince' | 'timeZone'>;

/** With their runs, in the order in which the end of a run locks its rows. */
const deletedDatasets = [
  'delete from batches where account_id = ? and dataset_run_id is not null',
  'delete from dataset_runs where account_id = ?',
  'delete from datasets where account_id = ?',
] as const;

const MAX_CONCURRENT = 500;
/** Marks the budgets as changed for other processes. */
const movedBudgets = 'update budgets set changed_at = clock_timestamp() where account_id = ? and removed_at is null';
const changedKeys = 'update api_keys set changed_at = clock_timestamp() where account_id = ?';

/** Plans of accounts and their changes. Every method also throws SluiceError database_unavailable. */
export class PlansService {
  readonly #dependencies: PlansDependencies;
  readonly #clock: Clock;

  constructor(dependencies: PlansDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  planOf({ plan }: Pick<Account, 'plan'>): Plan {
    return this.#dependencies.plans().of(plan);
  }

  /** The plans that an owner can select, and the account's current one. */
  listFor({ plan }: Pick<Account, 'plan'>): readonly Plan[] {
    const own = this.planOf({ plan });
    return this.#dependencies.plans().plans.filter((each) => each.offered || each === own);
  }

  /** The period over which the account's allowance and spend are currently counted. */
  periodOf(account: PlanHolder): Period {
    return accountPeriod(this.planOf(account), anchorOf(account), this.#clock.now());
  }

  /**
   * An upgrade from a plan that is offered takes effect immediately and charges the difference for the rest of the period; any
   * other change takes effect at the end of the period. Selecting the current plan cancels a pending change.
   * @throws SluiceError bad_user_input | plan_not_offered | not_found
   */
  async change(accountId: string, userId: string | null, planId: string): Promise<ChangedPlan> {
    const plans = this.#dependencies.plans();
    const to = plans.find(planId);
    if (to === undefined) throw unknownPlan(planId, plans);
    return this.#inAccount(accountId, async (em, account) => {
      const { held, renewsAt: _renewsAt, ...change } = await this.#preview(em, account, to);
      const { from, at, pending } = change;
      if (pending) {
        account.pendingPlan = to.id;
        account.pendingPlanAt = at;
      } else {
        clearPendingPlan(account);
        const by = userId === null ? null : em.getReference(User, userId);
        if (from !== to) apply(em, account, { from: held, to, at, by });
      }
      return change;
    });
  }

  /** Previews `change` without applying it. @throws SluiceError bad_user_input | plan_not_offered | not_found */
  async preview(accountId: string, planId: string): Promise<PlanChangePreview> {
    const plans = this.#dependencies.plans();
    const to = plans.find(planId);
    if (to === undefined) throw unknownPlan(planId, plans);
    return mapDatabaseErrors(async () => {
      const em = this.#dependencies.database.em();
      const account = await em.findOne(Account, { id: accountId });
      if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      return this.#preview(em, account, to);
    });
  }

  /** Cancels a pending change, if any. @throws SluiceError not_found */
  async cancelChange(accountId: string): Promise<Account> {
    const { account } = await this.#inAccount(accountId, (_em, found) => {
      clearPendingPlan(found);
      return { account: found };
    });
    return account;
  }

  /** A pending change moves with the end of its period, as do budgets. @throws SluiceError bad_user_input | not_found */
  async updateAccount(accountId: string, { name, timeZone, zeroRetention }: AccountSettings): Promise<Account> {
    if (timeZone !== undefined && !isTimeZone(timeZone))
      throw badInput('timeZone', 'it must be an IANA name, such as Europe/Berlin');
    const given = name === undefined ? undefined : parseName(name);
    try {
      const { account } = await this.#inAccount(accountId, async (em, found) => {
        if (given !== undefined) found.name = given;
        if (timeZone !== undefined && timeZone !== found.timeZone) {
          found.timeZone = timeZone;
          await em.execute(movedBudgets, [accountId]);
        }
        if (zeroRetention !== undefined && zeroRetention !== found.zeroRetention) {
          found.zeroRetention = zeroRetention;
          await em.execute(changedKeys, [accountId]);
          if (zeroRetention) for (const statement of deletedDatasets) await em.execute(statement, [accountId]);
        }
        if (found.pendingPlanAt !== null)
          found.pendingPlanAt = endOf(fullPeriod(await this.#heldBy(em, found), anchorOf(found), this.#clock.now()));
        return { account: found };
      });
      return account;
    } finally {
      // Also after an error: the change may have been committed.
      if (timeZone !== undefined) await this.#dependencies.budgetsChanged(accountId);
    }
  }

  /**
   * Applies the changes that are due; a repeated or concurrent call has no effect.
   * @param dueBy also applies changes due by this time, if this machine's clock is behind
   */
  applyDue(dueBy = 0): Promise<void> {
    return mapDatabaseErrors(async () => {
      const pendingPlanAt = { $lte: new Date(Math.max(dueBy, this.#clock.now())) };
      const { database } = this.#dependencies;
      for (;;) {
        const due = await database.em().find(Account, { pendingPlanAt }, { fields: ['id'], limit: MAX_CONCURRENT });
        for (const { id } of due) await this.#inAccount(id, (_em, account) => ({ account }), pendingPlanAt.$lte);
        if (due.length < MAX_CONCURRENT) return;
      }
    });
  }

  /** Serializes changes of one account and applies due changes first. */
  async #inAccount<T extends { account: Account }>(
    accountId: string,
    work: (em: EntityManager, account: Account) => T | Promise<T>,
    dueBy = new Date(this.#clock.now()),
  ): Promise<T> {
    const { database, changed, applyAt } = this.#dependencies;
    try {
      const done = await mapDatabaseErrors(() =>
        database.em().transactional(async (em) => {
          const account = await em.findOne(Account, { id: accountId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
          if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
          await this.#applyIfDue(em, account, dueBy);
          return work(em, account);
        }),
      );
      // If this fails, the hourly sweep applies the change.
      const { pendingPlanAt } = done.account;
      if (pendingPlanAt !== null) await applyAt(pendingPlanAt).catch(() => undefined);
      return done;
    } finally {
      // Also after an error: the change may have been committed.
      changed(accountId);
    }
  }

  async #preview(em: EntityManager, account: Account, to: Plan): Promise<PlanChangePreview> {
    const plans = this.#dependencies.plans();
    const from = plans.of(account.plan);
    if (from !== to && !to.offered) throw new SluiceError('plan_not_offered', { values: { plan: to.id } });
    const now = this.#clock.now();
    const held = await this.#heldBy(em, account);
    const periodEnd = endOf(fullPeriod(held, anchorOf(account), now));
    const change = { account, from, to, held };
    if (from === to) return { ...change, at: new Date(now), pending: false, amountNano: 0n, renewsAt: periodEnd };
    if (!plans.isUpgrade(from, to))
      return { ...change, at: periodEnd, pending: true, amountNano: 0n, renewsAt: periodEnd };
    const { amountNano, period } = proration(anchorOf(account), { from: held, to, at: now });
    return { ...change, at: new Date(now), pending: false, amountNano, renewsAt: endOf(period) };
  }

  async #applyIfDue(em: EntityManager, account: Account, dueBy: Date): Promise<void> {
    const { pendingPlan, pendingPlanAt: at } = account;
    if (pendingPlan === null || at === null || at > dueBy) return;
    clearPendingPlan(account);
    const from = await this.#heldBy(em, account);
    apply(em, account, { from, to: this.#dependencies.plans().of(pendingPlan), at, by: null });
    await em.flush();
  }

  /** The plan that the account is billed by: as configured when it was selected or when the current period started. */
  async #heldBy(em: EntityManager, account: Account): Promise<BilledPlan> {
    const [row] = await em.execute<{ held: StoredPlan | null }[]>(heldNow, [account.id, account.id, account.id]);
    return row?.held ? readStoredPlan(row.held) : this.planOf(account);
  }
}

const heldNow = `
select coalesce(
  (
    select to_terms from plan_changes as change where account_id = ?
    and not exists (select from billing_marks where account_id = ? and closed_until > change.effective_at)
    order by effective_at desc, created_at desc, id desc limit 1
  ),
  (select begun_with from billing_marks where account_id = ?)
) as held`;

interface Change {
  readonly from: BilledPlan;
  readonly to: Plan;
  readonly at: Date;
  readonly by: User | null;
}

/** The amount that a change at a given time makes due, and the resulting period. */
function proration(
  anchor: PeriodAnchor,
  { from, to, at }: { readonly from: BilledPlan; readonly to: Plan; readonly at: number },
): { amountNano: bigint; period: Period } {
  const old = fullPeriod(from, anchor, at);
  const period = fullPeriod(to, from.period === to.period ? anchor : { ...anchor, since: at }, at);
  const charged = { amountNano: from.feeNano, period: old };
  return { amountNano: proratedNano(charged, { amountNano: to.feeNano, period }, at), period };
}

/** Sets the account's plan from that time on. */
function apply(em: EntityManager, account: Account, { from, to, at, by }: Change): void {
  const { amountNano, period } = proration(anchorOf(account), { from, to, at: at.getTime() });
  account.plan = to.id;
  if (from.period !== to.period) account.planSince = at;
  const change = em.create(PlanChange, {
    account,
    fromPlan: from.id,
    toPlan: to.id,
    fromFeeNano: from.feeNano,
    toFeeNano: to.feeNano,
    fromTerms: storePlan(from),
    toTerms: storePlan(to),
    effectiveAt: at,
    periodStart: new Date(period.start),
    periodEnd: endOf(period),
    amountNano,
    changedBy: by,
    createdAt: new Date(),
  });
  em.persist(change);
}

function clearPendingPlan(account: Account): void {
  account.pendingPlan = null;
  account.pendingPlanAt = null;
}

function anchorOf({ planSince, timeZone }: Pick<Account, 'planSince' | 'timeZone'>): PeriodAnchor {
  return { timeZone, since: planSince.getTime() };
}

function endOf({ end }: Period): Date {
  return new Date(end);
}

function unknownPlan(id: string, { plans }: PlanCatalogue): SluiceError {
  const offered = plans.filter((plan) => plan.offered).map((plan) => plan.id);
  return badInput('plan', `there is no plan ${JSON.stringify(id.slice(0, 64))}; there are ${offered.join(', ')}`);
}

function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
