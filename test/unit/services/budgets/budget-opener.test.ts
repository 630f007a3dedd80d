import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/calendar/clock.ts';
import type { Database } from '../../../../src/database/database.ts';
import type { Budget } from '../../../../src/gateway/keys/spend-bound.ts';
import type { BudgetStore } from '../../../../src/gateway/limits/limit-store.ts';
import { BudgetOpener } from '../../../../src/services/budgets/budget-opener.ts';

const accountId = '01a2246a-ba9e-79bf-8ff4-dc45b3d77d9c';
const budget = (id: string): Budget => ({
  id,
  accountId,
  subject: 'account',
  amountNano: 10n,
  period: 'TOTAL',
  timeZone: 'UTC',
});

it('cancels the count of what it could not count, and leaves what it counted to those that use it', async () => {
  const [first, second, third] = [budget('first'), budget('second'), budget('third')];
  const [added, cancelled]: [string[], string[]] = [[], []];
  let reads = 0;
  const opener = new BudgetOpener(
    {
      database: {
        query: async () => {
          if (++reads === 2) throw new Error('the database ended');
          return [{ spent: '7' }];
        },
      } as unknown as Database,
      store: {
        open: async () => true,
        add: async ({ id }) => void added.push(id),
        cancelCount: async ({ id }) => void cancelled.push(id),
        close: async ({ id }) => expect.fail(`${id} is closed for others`),
      } as Pick<BudgetStore, 'open' | 'add' | 'cancelCount' | 'close'> as BudgetStore,
      drain: async () => undefined,
      reserveDeferred: async () => undefined,
      onFault: (error) => expect.fail(String(error)),
    },
    systemClock,
  );
  const all = [first, second, third].map((each) => ({ budget: each, spender: { accountId } }));
  await expect(opener.openAll(all)).rejects.toThrow();
  expect(added).toEqual(['first']);
  expect(cancelled).toEqual(['second', 'third']);
});
