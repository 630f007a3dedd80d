import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import { isTimeZone, type Period } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import { Account, PlanChange, User, type StoredPlan } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { parseName } from '../accounts/accounts.service.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { readStoredPlan, storePlan, type BilledPlan } from './billed-plan.ts';
import { accountPeriod, fullPeriod, type PeriodAnchor } from './plan-period.ts';
import type { Plan, PlanCatalogue } from './plan.ts';
import { proratedNano } from './proration.ts';

export interface PlansParts {
  readonly database: Database;
  /** As configured now. */
  readonly plans: () => PlanCatalogue;
  /** An account may have another plan now: told in the same turn in which that is known. */
  readonly changed: (accountId: string) => void;
  /** Resolves when the account's budgets are counted by the time zone that it has now. */
  readonly budgetsChanged: (accountId: string) => Promise<void>;
  /** Has `applyDue` called at that moment, whatever dies in between. */
  readonly applyAt: (at: Date) => Promise<void>;
  readonly clock?: Clock;
}

/** A change of plans: as it was made, or as it would be made now. */
export interface ChangedPlan {
  readonly account: Account;
  readonly from: Plan;
  readonly to: Plan;
  /** When the account has it. */
  readonly at: Date;
  /** Whether that is yet to come. */
  readonly pending: boolean;
  /** Nano-USD due for what is left of the period. */
  readonly amountNano: bigint;
}

export interface PlanChangePreview extends ChangedPlan {
  /** What the account is billed by now. */
  readonly held: BilledPlan;
  /** When the fee of the new plan is next charged in full. */
  readonly renewsAt: Date;
}

export interface AccountSettings {
  readonly name?: string | undefined;
  /** IANA. */
  readonly timeZone?: string | undefined;
  readonly zeroRetention?: boolean | undefined;
}

/** What an account's plan hangs on. */
type PlanHolder = Pick<Account, 'plan' | 'planSince' | 'timeZone'>;

const MAX_CONCURRENT = 500;
/** Other processes look for it. */
const movedBudgets = 'update budgets set changed_at = clock_timestamp() where account_id = ? and removed_at is null';
const changedKeys = 'update api_keys set changed_at = clock_timestamp() where account_id = ?';

/** Plans of accounts, and how they change. Every method also throws SluiceError database_unavailable. */
export class PlansService {
  readonly #parts: PlansParts;
  readonly #clock: Clock;

  constructor(parts: PlansParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  planOf({ plan }: Pick<Account, 'plan'>): Plan {
    return this.#parts.plans().of(plan);
  }

  /** What an owner can change to, and what the account has. */
  listFor({ plan }: Pick<Account, 'plan'>): readonly Plan[] {
    const own = this.planOf({ plan });
    return this.#parts.plans().plans.filter((each) => each.offered || each === own);
  }

  /** What the account's allowance and spend are counted over now. */
  periodOf(account: PlanHolder): Period {
    return accountPeriod(this.planOf(account), anchorOf(account), this.#clock.now());
  }

  /**
   * An upgrade from a plan that is offered holds at once, and makes due what it costs more for the rest of the period; any other
   * change holds from the period's end on. The account's own plan takes a pending change back.
   * @throws SluiceError bad_user_input | plan_not_offered | not_found
   */
  async change(accountId: string, userId: string | null, planId: string): Promise<ChangedPlan> {
    const plans = this.#parts.plans();
    const to = plans.find(planId);
    if (to === undefined) throw unknownPlan(planId, plans);
    return this.#inAccount(accountId, async (em, account) => {
      const { held, renewsAt: _renewsAt, ...change } = await this.#preview(em, account, to);
      const { from, at, pending } = change;
      if (pending) {
        account.pendingPlan = to.id;
        account.pendingPlanAt = at;
      } else {
        takeBack(account);
        const by = userId === null ? null : em.getReference(User, userId);
        if (from !== to) apply(em, account, { from: held, to, at, by });
      }
      return change;
    });
  }

  /** What `change` would do now; changes nothing. @throws SluiceError bad_user_input | plan_not_offered | not_found */
  async preview(accountId: string, planId: string): Promise<PlanChangePreview> {
    const plans = this.#parts.plans();
    const to = plans.find(planId);
    if (to === undefined) throw unknownPlan(planId, plans);
    return mapDatabaseErrors(async () => {
      const em = this.#parts.database.em();
      const account = await em.findOne(Account, { id: accountId });
      if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
      return this.#preview(em, account, to);
    });
  }

  /** The account keeps its plan; nothing where no change is pending. @throws SluiceError not_found */
  async cancelChange(accountId: string): Promise<Account> {
    const { account } = await this.#inAccount(accountId, (_em, found) => {
      takeBack(found);
      return { account: found };
    });
    return account;
  }

  /** A pending change moves with the end of its period, and so do budgets. @throws SluiceError bad_user_input | not_found */
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
        }
        if (found.pendingPlanAt !== null)
          found.pendingPlanAt = endOf(fullPeriod(await this.#heldBy(em, found), anchorOf(found), this.#clock.now()));
        return { account: found };
      });
      return account;
    } finally {
      // Also where the answer was lost: the change may have been committed.
      if (timeZone !== undefined) await this.#parts.budgetsChanged(accountId);
    }
  }

  /**
   * Applies the changes that have fallen due; a second call, here or in another process, finds them done.
   * @param dueBy what was due by then, where this machine's clock is behind
   */
  applyDue(dueBy = 0): Promise<void> {
    return mapDatabaseErrors(async () => {
      const pendingPlanAt = { $lte: new Date(Math.max(dueBy, this.#clock.now())) };
      const { database } = this.#parts;
      for (;;) {
        const due = await database.em().find(Account, { pendingPlanAt }, { fields: ['id'], limit: MAX_CONCURRENT });
        for (const { id } of due) await this.#inAccount(id, (_em, account) => ({ account }), pendingPlanAt.$lte);
        if (due.length < MAX_CONCURRENT) return;
      }
    });
  }

  /** Changes of one account come one after the other; what had fallen due by then comes first. */
  async #inAccount<T extends { account: Account }>(
    accountId: string,
    work: (em: EntityManager, account: Account) => T | Promise<T>,
    dueBy = new Date(this.#clock.now()),
  ): Promise<T> {
    const { database, changed, applyAt } = this.#parts;
    try {
      const done = await mapDatabaseErrors(() =>
        database.em().transactional(async (em) => {
          const account = await em.findOne(Account, { id: accountId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
          if (account === null) throw new SluiceError('not_found', { values: { what: 'account' } });
          await this.#applyIfDue(em, account, dueBy);
          return work(em, account);
        }),
      );
      // Should this fail, the next sweep finds what is due.
      const { pendingPlanAt } = done.account;
      if (pendingPlanAt !== null) await applyAt(pendingPlanAt).catch(() => undefined);
      return done;
    } finally {
      // Also where the answer was lost: the change may have been committed.
      changed(accountId);
    }
  }

  async #preview(em: EntityManager, account: Account, to: Plan): Promise<PlanChangePreview> {
    const plans = this.#parts.plans();
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
    takeBack(account);
    const from = await this.#heldBy(em, account);
    apply(em, account, { from, to: this.#parts.plans().of(pendingPlan), at, by: null });
    await em.flush();
  }

  /** What the account is billed by now: the plan as it was when it got it, or when the running period began. */
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

/** What a change at a moment makes due, and the period that it is then. */
function proration(
  anchor: PeriodAnchor,
  { from, to, at }: { readonly from: BilledPlan; readonly to: Plan; readonly at: number },
): { amountNano: bigint; period: Period } {
  const old = fullPeriod(from, anchor, at);
  const period = fullPeriod(to, from.period === to.period ? anchor : { ...anchor, since: at }, at);
  const charged = { amountNano: from.feeNano, period: old };
  return { amountNano: proratedNano(charged, { amountNano: to.feeNano, period }, at), period };
}

/** The account has the plan from that moment on. */
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

function takeBack(account: Account): void {
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
