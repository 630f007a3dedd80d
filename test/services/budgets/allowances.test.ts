import { beforeEach, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { budgetId } from '../../../src/gateway/limits/budget.ts';
import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { BudgetCache } from '../../../src/services/budgets/budget-cache.ts';
import type { PlanCatalogue } from '../../../src/services/plans/plan.ts';
import { PlansService } from '../../../src/services/plans/plans.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { key as anyKey } from '../../harness/gateway.ts';
import { eventIdAt, rowsJson, usageRecord } from '../../harness/usage-rows.ts';
import { boundsOf } from '../../../src/gateway/limits/limit-store.ts';

const PERIOD_MS = 30 * 86_400_000;
const BEGUN = Date.parse('2026-11-01T00:00:00Z');
const usd = (dollars: number): bigint => BigInt(dollars) * 1_000_000_000n;
const openToAll = (yaml = ''): PlanCatalogue => readPlans(parseConfig('sluice.yaml', yaml, {}), 'open');

describeWithDatabase('the allowance of a plan without a fee', (databases) => {
  let database: Database;
  let ledger: Ledger;
  let accountId: string;
  let key: KeyRecord;
  let plans: PlanCatalogue;
  let clock: FakeClock;
  let references = 0;

  beforeEach(async () => {
    database = await databases.open();
    ledger = new Ledger(database);
    plans = openToAll();
    clock = new FakeClock(BEGUN + 3_600_000);
    const em = database.em();
    const begun = new Date(BEGUN);
    const account = em.create(Account, {
      name: 'A',
      plan: 'free',
      planSince: begun,
      createdAt: begun,
      timeZone: 'UTC',
    });
    await em.persist(account).flush();
    accountId = account.id;
    key = keyOf('free');
  });

  const keyOf = (plan: string): KeyRecord =>
    Object.freeze({ ...anyKey, accountId, plan: plans.of(plan).terms, budgets: [] });

  async function start(drain = (): Promise<void> => Promise.resolve()) {
    const store = new MemoryLimitStore(clock);
    const book = new BudgetCache({
      database,
      store,
      drain,
      reserveDeferred: () => Promise.resolve(),
      idOf: budgetId,
      plans: () => plans,
      onFault: () => undefined,
      clock,
    });
    await book.start(false);
    return { book, store };
  }

  /** Stores the row of a request, and charges the store. */
  async function spend(nano: bigint, store?: MemoryLimitStore, at = clock.now()): Promise<void> {
    const began = new Date(at - 5_000);
    const record = usageRecord({
      event_id: eventIdAt(began),
      began_at: began.toISOString(),
      duration_ms: 1_000,
      account_id: accountId,
      cost_nano: String(nano),
      units: null,
    });
    const rows = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
    await rows.store(rowsJson([record]));
    store?.charge({ accountId, keyId: 'any', memberId: null, hasAllowance: true }, nano, at - 5_000);
  }

  const topUp = (dollars: number) =>
    ledger.topUp({ accountId, amountNano: usd(dollars), reference: `top-up ${++references}` });

  const servicesOf = (book: BudgetCache): PlansService =>
    new PlansService({
      database,
      plans: () => plans,
      changed: (changed) => void book.planOrBalanceChanged(changed),
      budgetsChanged: () => Promise.resolve(),
      applyAt: () => Promise.resolve(),
      clock,
    });

  it('equals the plan’s allowance and the balance, less what was spent in the period', async () => {
    await spend(300n);
    await topUp(5);
    const { book, store } = await start();
    const { budgets } = await book.of(key);
    const period = { start: BEGUN, end: BEGUN + PERIOD_MS };
    expect(budgets).toMatchObject([
      { id: `allowance:${accountId}`, subject: 'allowance', amountNano: usd(6), laterNano: usd(1), period },
    ]);
    const [allowance] = budgets;
    expect(allowance && store.state(allowance)).toMatchObject({ spentNano: 300n, period });
  });

  it('is read once, then cached', async () => {
    const { book } = await start();
    const records = await Promise.all([book.of(key), book.of(key)]);
    expect(records[0]).toBe(records[1]);
    expect(book.of(key)).toBe(records[0]);
  });

  it('does not limit plans with a fee or with billed overage, nor servers without open sign-up', async () => {
    const { book } = await start();
    for (const plan of ['pro', 'enterprise']) expect(book.of(keyOf(plan))).toMatchObject({ budgets: [] });
    plans = openToAll('plans: { free: { overage: bill } }');
    expect(book.of(keyOf('free'))).toMatchObject({ budgets: [] });
    plans = readPlans(parseConfig('sluice.yaml', '', {}), 'invite');
    expect(book.of(keyOf('free'))).toMatchObject({ budgets: [] });
  });

  it('increases after a top-up: immediately here, and also by another process', async () => {
    const { book } = await start();
    await book.poll();
    await spend(usd(1));
    await book.of(key);
    await topUp(2);
    await book.planOrBalanceChanged(accountId);
    expect(book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(3) }] });
    await topUp(4);
    await spend(usd(2));
    await book.poll();
    expect(book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(7) }] });
  });

  it('decreases after a withdrawal by another process, but not below the plan’s allowance', async () => {
    const { book } = await start();
    await topUp(5);
    await spend(usd(2));
    await book.poll();
    await book.of(key);
    await ledger.withdraw({ accountId, amountNano: usd(3), reference: 'refunded' });
    await book.poll();
    expect(book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(3) }] });
    await ledger.withdraw({ accountId, amountNano: usd(9), reference: 'disputed' });
    await book.poll();
    expect(book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(1) }] });
  });

  it('ends with a change to a plan with a fee', async () => {
    const { book, store } = await start();
    const [allowance] = (await book.of(key)).budgets;
    await servicesOf(book).change(accountId, null, 'pro');
    expect(await book.of(key)).toMatchObject({ budgets: [] });
    expect(allowance && store.state(allowance)).toBeNull();
    expect(book.of(keyOf('pro'))).toMatchObject({ budgets: [] });
  });

  it('follows the configuration', async () => {
    const { book } = await start();
    await book.of(key);
    plans = openToAll('plans: { free: { overage: bill } }');
    book.of(key);
    await expect.poll(() => book.of(key)).toMatchObject({ budgets: [] });
  });

  it('resets with each period, including the remaining balance', async () => {
    const { book, store } = await start();
    await topUp(5);
    const [first] = (await book.of(key)).budgets;
    await spend(usd(4), store);
    expect(first && store.state(first)).toMatchObject({ spentNano: usd(4) });
    clock.setNow(BEGUN + PERIOD_MS + 1_000);
    const next = book.of(key);
    expect(next).toBeInstanceOf(Promise);
    const [allowance] = (await next).budgets;
    const period = { start: BEGUN + PERIOD_MS, end: BEGUN + 2 * PERIOD_MS };
    expect(allowance).toMatchObject({ amountNano: usd(3), period });
    expect(allowance && store.state(allowance)).toMatchObject({ spentNano: 0n, period });
    // Its invoice does not change that.
    clock.advance(3_600_000);
    const applyDue = async (): Promise<void> => undefined;
    await new InvoiceClosing({ database, ledger, plans: () => plans, applyDue, clock }).closeDue();
    await book.planOrBalanceChanged(accountId);
    expect(book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(3) }] });
  });

  it('is counted again for usage of another instance, although no request arrived here', async () => {
    const { book, store } = await start();
    await spend(300n);
    await book.recount(accountId);
    const [allowance] = book.bounds();
    if (allowance === undefined) throw new Error('the allowance is not open');
    expect(store.state(allowance)).toMatchObject({ spentNano: 300n });
  });

  it('reports usage of another instance that cannot be counted', async () => {
    let drain = (): Promise<void> => Promise.reject(new Error('away'));
    const { book } = await start(() => drain());
    await spend(300n);
    await expect(book.recount(accountId)).rejects.toMatchObject({ code: 'database_unavailable' });
    await expect(Promise.resolve(book.of(key))).rejects.toMatchObject({ code: 'database_unavailable' });
    drain = () => Promise.resolve();
    expect((await book.of(key)).budgets).toHaveLength(1);
  });

  it('recounts spending after more than a period without requests', async () => {
    const { book, store } = await start();
    await topUp(5);
    await book.of(key);
    await spend(usd(4), store);
    clock.setNow(BEGUN + 3 * PERIOD_MS + 10_000);
    await spend(2n);
    const [allowance] = (await book.of(key)).budgets;
    const period = { start: BEGUN + 3 * PERIOD_MS, end: BEGUN + 4 * PERIOD_MS };
    expect(allowance).toMatchObject({ amountNano: usd(3), period });
    expect(allowance && store.state(allowance)).toMatchObject({ spentNano: 2n, reservedNano: 0n });
  });

  it('waits at the start of a period until the log contains all of the previous one', async () => {
    const journal: (() => Promise<void>)[] = [];
    const { book } = await start(async () => {
      for (const write of journal.splice(0)) await write();
    });
    await topUp(5);
    await book.of(key);
    const before = clock.now();
    journal.push(() => spend(usd(3), undefined, before));
    clock.setNow(BEGUN + PERIOD_MS + 10_000);
    expect(await book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(4) }] });
  });

  it('is only the plan’s allowance if the balance cannot be read at the start of a period', async () => {
    const way = { drain: (): Promise<void> => Promise.resolve() };
    const { book, store } = await start(() => way.drain());
    await topUp(5);
    await book.of(key);
    way.drain = () => Promise.reject(new Error('away'));
    clock.setNow(BEGUN + PERIOD_MS + 1_000);
    const record = await book.of(key);
    const hold = (costNano: bigint) => ({
      eventId: String(costNano),
      at: clock.now(),
      bounds: boundsOf(key),
      tokens: 1,
      costNano,
    });
    expect(() => store.reserve(record, 'openai/x', hold(usd(2)))).toThrow('allowance for this period');
    store.reserve(record, 'openai/x', hold(usd(1)));
    // It is not read again by each request.
    expect(book.of(key)).toBe(record);
    way.drain = () => Promise.resolve();
    clock.advance(1_000);
    expect(await book.of(key)).toMatchObject({ budgets: [{ amountNano: usd(6) }] });
  });

  it('is not reduced by debt', async () => {
    plans = openToAll('plans: { free: { overage: bill } }');
    await spend(usd(9));
    clock.setNow(BEGUN + PERIOD_MS + 1_000);
    plans = openToAll();
    const { book } = await start();
    expect(await book.of(keyOf('free'))).toMatchObject({ budgets: [{ amountNano: usd(1) }] });
  });
});
