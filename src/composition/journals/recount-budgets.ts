import { delay, systemClock } from '../../calendar/clock.ts';
import type { SluiceConfig } from '../../config/config-schema.ts';
import type { Environment } from '../../config/environment.ts';
import { ownRedis } from '../../config/redis/redis-settings.ts';
import type { Database } from '../../database/database.ts';
import { budgetId } from '../../gateway/limits/budget.ts';
import { BudgetCache } from '../../services/budgets/budget-cache.ts';
import { reserveDeferredCharges } from '../../services/budgets/deferred-reservations.ts';
import { findDeferred, OTHER_PROCESSES_DRAIN_MS } from '../gateway/budgets.ts';
import { readPlans } from '../gateway/read-plans.ts';
import { recountEach } from './recount-each.ts';

interface BudgetRecount {
  /** @throws SluiceError database_unavailable | limits_unavailable */
  recount(accountIds: ReadonlySet<string>): Promise<void>;
  close(): void;
}

/**
 * Counts what accounts have spent again, from the usage log, in the Redis that instances share. Null without Redis: then each instance
 * counts for itself.
 */
export async function openRecount(
  database: Database,
  environment: Environment,
  file: Pick<SluiceConfig, 'plans' | 'default_plan'>,
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void },
): Promise<BudgetRecount | null> {
  const { SLUICE_REDIS_TIMEOUT_MS: timeoutMs, SLUICE_SIGNUP: signUp } = environment;
  const servers = ownRedis(environment);
  if (servers === null) return null;
  const { RedisLimitStore } = await import('../../storage/limits/redis-limit-store.ts');
  const store = new RedisLimitStore({ servers, timeoutMs, log });
  await store.connect();
  const plans = readPlans(file, signUp);
  const faults: unknown[] = [];
  const cache = new BudgetCache({
    database,
    store,
    plans: () => plans,
    drain: async (accountId) => {
      await store.whenOthersReady(accountId);
      await delay(systemClock, OTHER_PROCESSES_DRAIN_MS);
    },
    reserveDeferred: (budgets) => reserveDeferredCharges(findDeferred(database), store, budgets),
    idOf: budgetId,
    onFault: (error) => faults.push(error),
  });
  return {
    recount: async (accountIds) => {
      // This process opens a budget for the first time, and so counts it.
      await recountEach(accountIds, (id) => cache.changed(id));
      if (faults.length > 0) throw faults[0];
    },
    close: () => {
      cache.close();
      store.stop();
    },
  };
}
