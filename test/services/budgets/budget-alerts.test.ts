import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account, Budget as BudgetRow } from '../../../src/database/entities/index.ts';
import { budgetId } from '../../../src/gateway/limits/budget.ts';
import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { BudgetAlerts, type BudgetAlertsDependencies } from '../../../src/services/budgets/budget-alerts.ts';
import { readBudgets, type KnownBudget } from '../../../src/services/budgets/known-budget.ts';
import type { WebhookEvent } from '../../../src/services/webhooks/webhook-events.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;

describeWithDatabase('budget alerts', (databases) => {
  let database: Database;
  let known: KnownBudget;
  let clock: FakeClock;
  let store: MemoryLimitStore;
  let told: WebhookEvent[];
  let published: number[];
  let faults: unknown[];

  beforeEach(async () => {
    database = await databases.open();
    clock = new FakeClock(NOON);
    [told, published, faults] = [[], [], []];
    const em = database.em();
    const account = em.create(Account, { name: 'A', createdAt: new Date() });
    const row = em.create(BudgetRow, { account, subject: 'account', amountNano: 1_000n, period: 'DAY' });
    await em.persist([account, row]).flush();
    const [read] = await readBudgets(database, budgetId, account.id);
    if (read === undefined) throw new Error('there is no budget');
    known = read;
    store = new MemoryLimitStore(clock);
    store.open(known.budget);
  });

  function alerts(dependencies: Partial<BudgetAlertsDependencies> = {}): BudgetAlerts {
    return new BudgetAlerts({
      database,
      cache: { open: () => [known] },
      store,
      notify: async (_accountId, event) => void told.push(event),
      publish: (_accountId, { percent }) => void published.push(percent),
      publicId: (type, id) => `${type}:${id}`,
      onFault: (error) => void faults.push(error),
      clock,
      ...dependencies,
    });
  }

  function spend(nano: bigint): void {
    store.charge(
      { accountId: known.budget.accountId, keyId: 'any', memberId: null, hasAllowance: false },
      nano,
      clock.now(),
    );
  }

  it('are sent once per period and threshold, by whichever process detects it first', async () => {
    const [one, other] = [alerts(), alerts()];
    spend(799n);
    await one.poll();
    expect(told).toEqual([]);
    spend(1n);
    await Promise.all([one.poll(), other.poll()]);
    await one.poll();
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      object: 'event',
      type: 'budget.alert',
      data: {
        id: `Budget:${known.rowId}`,
        object: 'budget',
        subject: 'account',
        api_key_id: null,
        member_id: null,
        amount: '0.000001',
        spent: '0.0000008',
        currency: 'USD',
        percent: 80,
        period: 'DAY',
        period_start: '2026-11-21T00:00:00.000Z',
      },
    });
    spend(500n);
    await Promise.all([one.poll(), other.poll()]);
    expect(published).toEqual([80, 100]);
    clock.advance(DAY_MS);
    await one.poll();
    expect(told).toHaveLength(2);
    spend(2_000n);
    await one.poll();
    expect(told.map(({ data }) => [data.percent, data.period_start])).toEqual([
      [80, '2026-11-21T00:00:00.000Z'],
      [100, '2026-11-21T00:00:00.000Z'],
      [80, '2026-11-22T00:00:00.000Z'],
      [100, '2026-11-22T00:00:00.000Z'],
    ]);
    expect(faults).toEqual([]);
  });

  it('are sent again after the amount changes, once per amount', async () => {
    const [one, other] = [alerts(), alerts()];
    spend(1_000n);
    await one.poll();
    const lower = known;
    known = { ...lower, budget: { ...lower.budget, amountNano: 2_000n } };
    await one.poll();
    expect(told).toHaveLength(2);
    spend(600n);
    await Promise.all([one.poll(), other.poll()]);
    spend(400n);
    await one.poll();
    known = lower;
    await Promise.all([one.poll(), other.poll()]);
    expect(told.map(({ data }) => [data.percent, data.amount])).toEqual([
      [80, '0.000001'],
      [100, '0.000001'],
      [80, '0.000002'],
      [100, '0.000002'],
    ]);
    expect(published).toEqual([80, 100, 80, 100]);
  });

  it('are retried as the same event, also by another process', async () => {
    const tried: WebhookEvent[] = [];
    const failing = alerts({
      notify: (_accountId, event) => {
        tried.push(event);
        return Promise.reject(new Error('away'));
      },
    });
    spend(900n);
    await failing.poll();
    await failing.poll();
    expect(tried).toHaveLength(1);
    expect(faults).toHaveLength(1);
    const other = alerts();
    // It may still be in progress.
    await other.sweep(60_000);
    expect(told).toEqual([]);
    await other.sweep(0);
    await other.sweep(0);
    expect(told).toEqual(tried);
  });

  it('continue after a database outage', async () => {
    let away = true;
    const one = alerts({
      database: {
        ...database,
        query: (text, values) => (away ? Promise.reject(new Error('away')) : database.query(text, values)),
      },
    });
    spend(900n);
    await expect(one.poll()).rejects.toThrow('away');
    away = false;
    await one.poll();
    expect(told).toHaveLength(1);
  });
});
