import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { Allowance, SpendBound } from '../../gateway/keys/spend-bound.ts';
import type { BudgetIdOf, KnownBudget } from './known-budget.ts';

/** The open budgets of one account, until they change. */
export class AccountBudgets {
  readonly all: readonly KnownBudget[];
  /** Null if its plan bills all usage. */
  readonly allowance: Allowance | null;
  readonly #idOf: BudgetIdOf;
  readonly #byId: ReadonlyMap<string, KnownBudget>;
  /** The data plane caches by key record, so that the same object is returned each time. */
  readonly #records = new WeakMap<KeyRecord, KeyRecord>();

  constructor(all: readonly KnownBudget[], allowance: Allowance | null, idOf: BudgetIdOf) {
    this.all = all;
    this.allowance = allowance;
    this.#idOf = idOf;
    this.#byId = new Map(all.map((known) => [known.budget.id, known]));
  }

  /** All budgets that are open in the store. */
  get bounds(): readonly SpendBound[] {
    const budgets = this.all.map(({ budget }) => budget);
    return this.allowance === null ? budgets : [...budgets, this.allowance];
  }

  /** The key with all budgets that limit it; the key itself if there are none. */
  of(key: KeyRecord): KeyRecord {
    let record = this.#records.get(key);
    if (record === undefined) {
      record = this.#decorated(key);
      this.#records.set(key, record);
    }
    return record;
  }

  /** Ids of budgets and allowances whose terms differ from these, or that are only in one of both. */
  differing(others: readonly SpendBound[]): string[] {
    const termsOf = (bounds: readonly SpendBound[]): string[] => bounds.map((bound) => toJson(bound));
    const [own, other] = [termsOf(this.bounds), termsOf(others)];
    return [
      ...this.bounds.filter((_bound, at) => !other.includes(own[at] ?? '')),
      ...others.filter((_bound, at) => !own.includes(other[at] ?? '')),
    ].map(({ id }) => id);
  }

  /** Whether the settings are equal. */
  equals(others: readonly KnownBudget[], allowance: Allowance | null): boolean {
    return fingerprint(this.all, this.allowance) === fingerprint(others, allowance);
  }

  #decorated(key: KeyRecord): KeyRecord {
    const { accountId, id: keyId, memberId } = key;
    const subjects = memberId === null ? (['key', 'account'] as const) : (['key', 'member', 'account'] as const);
    const set = subjects.flatMap((subject) => {
      const known = this.#byId.get(this.#idOf(subject, { accountId, keyId, memberId }));
      return known === undefined ? [] : [known.budget];
    });
    const budgets = this.allowance === null ? set : [...set, this.allowance];
    return budgets.length === 0 ? key : Object.freeze({ ...key, budgets: Object.freeze(budgets) });
  }
}

function fingerprint(all: readonly KnownBudget[], allowance: Allowance | null): string {
  return toJson([all.map(({ rowId, member, alertAt, budget }) => [rowId, member, alertAt, budget]), allowance]);
}

function toJson(value: object): string {
  return JSON.stringify(value, (_name, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
