import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Period } from '../../calendar/period.ts';
import type { Database } from '../../database/database.ts';
import { Membership } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import type { BudgetSubject } from '../../gateway/keys/spend-bound.ts';
import type { BudgetStore } from '../../gateway/limits/limit-store.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import type { AlongWithKey } from '../keys/keys.service.ts';
import { isUuid } from '../uuid.ts';
import type { BudgetCache } from './budget-cache.ts';
import { liveBudget, recordBudget } from './budget-audit.ts';
import { budgetSchema, type BudgetInput, type GivenBudget } from './budget-input.ts';
import type { KnownBudget } from './known-budget.ts';

export interface BudgetsDependencies {
  readonly database: Database;
  readonly cache: Pick<BudgetCache, 'forAccount' | 'changed' | 'idOf'>;
  readonly store: Pick<BudgetStore, 'state'>;
}

/** A budget with its spending in the current period. */
export interface BudgetView {
  readonly known: KnownBudget;
  readonly period: Period;
  readonly spentNano: bigint;
  /** The maximum cost of running requests. */
  readonly reservedNano: bigint;
  readonly remainingNano: bigint;
}

interface Subject {
  readonly subject: BudgetSubject;
  readonly apiKeyId?: string;
  readonly memberId?: string;
}

/**
 * Budgets of accounts, members and keys. Another account's budget is not found. Every method also throws SluiceError
 * database_unavailable | limits_unavailable.
 */
export class BudgetsService {
  readonly #dependencies: BudgetsDependencies;

  constructor(dependencies: BudgetsDependencies) {
    this.#dependencies = dependencies;
  }

  /** All budgets of an account, in the order of creation. */
  async list(accountId: string): Promise<BudgetView[]> {
    const all = await this.#dependencies.cache.forAccount(accountId);
    return Promise.all(all.map((known) => this.#view(known)));
  }

  /** Null if the key has none. */
  async ofKey(accountId: string, apiKeyId: string): Promise<BudgetView | null> {
    const all = await this.#dependencies.cache.forAccount(accountId);
    const known = all.find((each) => each.apiKeyId === apiKeyId);
    return known === undefined ? null : this.#view(known);
  }

  /** The budget of the entire account; null if it has none. */
  async ofAccount(accountId: string): Promise<BudgetView | null> {
    const all = await this.#dependencies.cache.forAccount(accountId);
    const known = all.find(({ budget }) => budget.subject === 'account');
    return known === undefined ? null : this.#view(known);
  }

  /** Sets the budget of a member, or of the account itself. @throws SluiceError bad_user_input | not_found */
  async set(accountId: string, memberId: string | null, input: BudgetInput): Promise<BudgetView> {
    const given = parseInput(budgetSchema, input);
    const subject: Subject = memberId === null ? { subject: 'account' } : { subject: 'member', memberId };
    const id = this.#dependencies.cache.idOf(subject.subject, { accountId, keyId: '', memberId });
    const rowId = await this.#changing(accountId, (em) => this.#save(em, accountId, subject, given), [id]);
    const known = (await this.#dependencies.cache.forAccount(accountId)).find((each) => each.rowId === rowId);
    // Removed meanwhile.
    if (known === undefined) throw notFound();
    return this.#view(known);
  }

  /** @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    if (!isUuid(id)) throw notFound();
    await this.#changing(accountId, async (em) => {
      if (!(await this.#remove(em, accountId, 'id', id))) throw notFound();
    });
  }

  /**
   * Stores a key together with its budget.
   * @param input the budget; null removes an existing one, undefined leaves it unchanged
   * @param store stores the key, in the same transaction
   * @throws SluiceError bad_user_input, and what `store` throws
   */
  async withKey<T>(
    accountId: string,
    input: BudgetInput | null | undefined,
    store: (along?: AlongWithKey) => Promise<T>,
  ): Promise<T> {
    if (input === undefined) return store();
    const given = input === null ? null : parseInput(budgetSchema, input);
    const { cache } = this.#dependencies;
    const changed: string[] = [];
    try {
      return await store(async (em, { id }) => {
        changed.push(cache.idOf('key', { accountId, keyId: id, memberId: null }));
        if (given === null) await this.#remove(em, accountId, 'api_key_id', id);
        else await this.#save(em, accountId, { subject: 'key', apiKeyId: id }, given);
      });
    } finally {
      // Also after an error: the change may have been committed.
      await cache.changed(accountId, changed);
    }
  }

  async #changing<T>(
    accountId: string,
    work: (em: EntityManager) => Promise<T>,
    budgetIds?: readonly string[],
  ): Promise<T> {
    try {
      return await mapDatabaseErrors(() => this.#dependencies.database.em().transactional(work));
    } finally {
      await this.#dependencies.cache.changed(accountId, budgetIds);
    }
  }

  /** @returns whether there was one */
  async #remove(em: EntityManager, accountId: string, by: 'id' | 'api_key_id', id: string): Promise<boolean> {
    const before = await liveBudget(em, accountId, by, id);
    if (before === null) return false;
    await em.execute(`${removal} and id = ?`, [accountId, before.id]);
    recordBudget(em, accountId, before, null);
    await em.flush();
    return true;
  }

  /** @returns its id */
  async #save(em: EntityManager, accountId: string, of: Subject, given: GivenBudget): Promise<string> {
    const { subject, apiKeyId = null, memberId = null } = of;
    if (memberId !== null) await requireMember(em, accountId, memberId);
    const { amount, period, alertAt } = given;
    const alerts = alertAt ? `{${alertAt.join()}}` : null;
    const by = subject === 'key' ? 'api_key_id' : subject === 'member' ? 'member_id' : 'account_id';
    const before = await liveBudget(em, accountId, by, apiKeyId ?? memberId ?? accountId);
    const [row] = await em.execute<{ id: string }[]>(
      `insert into budgets (id, account_id, subject, api_key_id, member_id, amount_nano, period, alert_at, changed_at)
       values (?, ?, ?, ?, ?, ?, ?, coalesce(?::smallint[], '{80,100}'), clock_timestamp())
       on conflict (account_id, subject, coalesce(api_key_id, member_id, account_id)) where removed_at is null
       do update set amount_nano = excluded.amount_nano, period = excluded.period,
         alert_at = coalesce(?::smallint[], budgets.alert_at), changed_at = clock_timestamp()
       returning id`,
      [randomUUID(), accountId, subject, apiKeyId, memberId, String(amount), period, alerts, alerts],
    );
    if (row === undefined) throw new Error('a budget that was stored has no row');
    recordBudget(em, accountId, before, await liveBudget(em, accountId, 'id', row.id));
    await em.flush();
    return row.id;
  }

  async #view(known: KnownBudget): Promise<BudgetView> {
    const state = await this.#dependencies.store.state(known.budget);
    // The cache opens it again.
    if (state === null) throw new SluiceError('limits_unavailable', { retryAfterMs: 1_000 });
    const { period, spentNano, reservedNano } = state;
    const left = known.budget.amountNano - spentNano - reservedNano;
    return { known, period, spentNano, reservedNano, remainingNano: left > 0n ? left : 0n };
  }
}

const removal =
  'update budgets set removed_at = clock_timestamp(), changed_at = clock_timestamp() where removed_at is null and account_id = ?';

async function requireMember(em: EntityManager, accountId: string, memberId: string): Promise<void> {
  const isMember = isUuid(memberId) && (await em.count(Membership, { account: accountId, user: memberId })) > 0;
  if (!isMember) throw new SluiceError('not_found', { values: { what: 'member' } });
}

function notFound(): SluiceError {
  return new SluiceError('not_found', { values: { what: 'budget' } });
}
