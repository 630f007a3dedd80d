import type { Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { RepeatedPoll } from '../../database/polls/repeated-poll.ts';
import { changedBudgets, type BudgetChange, type BudgetIdOf } from './known-budget.ts';
import { NewCredit } from './new-credit.ts';

const POLL_INTERVAL_MS = 2_000;
/** A row becomes visible at commit, up to this long after its timestamp. */
const SLACK_MS = 60_000;

export interface BudgetChangesDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly idOf: BudgetIdOf;
  readonly onBudgetsChanged: (accountId: string, budgetIds: readonly string[]) => Promise<void>;
  readonly onBalanceChanged: (accountId: string) => Promise<void>;
  /** Receives the errors of polling. */
  readonly onFault: (error: unknown) => void;
}

/** Polls for changes of budgets and balances by other processes. */
export class BudgetChanges {
  readonly #dependencies: BudgetChangesDependencies;
  readonly #credit: NewCredit;
  /** The last processed change of each budget. */
  #seen: ReadonlyMap<string, BudgetChange> = new Map();
  /** Of the clock's `monotonic`. */
  #polledAt = 0;
  readonly #repeated: RepeatedPoll;

  constructor(dependencies: BudgetChangesDependencies) {
    this.#dependencies = dependencies;
    const { database, clock, onFault } = dependencies;
    this.#credit = new NewCredit(database, clock);
    this.#repeated = new RepeatedPoll({
      name: 'budgets',
      intervalMs: POLL_INTERVAL_MS,
      polls: database.changes.polls,
      clock,
      poll: () => this.poll(),
      onFault,
    });
  }

  /** Skips all changes until now. @throws SluiceError database_unavailable */
  async skip(): Promise<void> {
    const { database, clock, idOf } = this.#dependencies;
    this.#polledAt = clock.monotonic();
    this.#seen = await changedBudgets(database, idOf, SLACK_MS);
  }

  /** Polls from now on. Polls do not overlap; the next one reads what a failed one missed. */
  watch(): void {
    this.#repeated.start();
  }

  /** @throws SluiceError database_unavailable */
  async poll(): Promise<void> {
    const { database, clock, idOf, onBudgetsChanged, onBalanceChanged } = this.#dependencies;
    const now = clock.monotonic();
    // Includes changes during a database outage.
    const changes = await changedBudgets(database, idOf, now - this.#polledAt + SLACK_MS);
    this.#polledAt = now;
    const others = [...changes].flatMap(([row, change]) => (this.#seen.get(row)?.at === change.at ? [] : change));
    this.#seen = changes;
    if (others.length > 0) database.changes.polls.announce('budgets', 'changed');
    const byAccount = Map.groupBy(others, ({ accountId }) => accountId);
    await Promise.all(
      [...byAccount].map(([accountId, of]) =>
        onBudgetsChanged(
          accountId,
          of.map(({ budgetId }) => budgetId),
        ),
      ),
    );
    const credited = await this.#credit.poll();
    if (credited.size > 0) database.changes.polls.announce('budgets', 'changed');
    for (const accountId of credited) await onBalanceChanged(accountId);
  }

  close(): void {
    this.#repeated.close();
  }
}
