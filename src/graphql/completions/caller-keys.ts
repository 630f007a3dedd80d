import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { BudgetCache } from '../../services/budgets/budget-cache.ts';
import type { MemoryKeyDirectory } from '../../services/keys/key-directory.ts';
import type { GraphqlContext } from '../operation/context.ts';

/** The keys that callers' completions run as, with their budgets. */
export class CallerKeys {
  readonly #directory: Pick<MemoryKeyDirectory, 'dashboardKey'>;
  readonly #budgets: Pick<BudgetCache, 'of'>;

  constructor(directory: Pick<MemoryKeyDirectory, 'dashboardKey'>, budgets: Pick<BudgetCache, 'of'>) {
    this.#directory = directory;
    this.#budgets = budgets;
  }

  /** @throws SluiceError as `GraphqlContext.require` */
  async of(context: GraphqlContext): Promise<KeyRecord> {
    const caller = await context.require('completions.run');
    if (caller.kind === 'key') return this.#budgets.of(caller.key);
    return this.#budgets.of(await this.#directory.dashboardKey(caller.accountId, caller.identity.userId));
  }
}
