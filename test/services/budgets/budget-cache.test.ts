import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { calendarPeriod } from '../../../src/calendar/period.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, ApiKey, Membership, User } from '../../../src/database/entities/index.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { budgetId } from '../../../src/gateway/limits/budget.ts';
import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { BudgetCache, type BudgetCacheDependencies } from '../../../src/services/budgets/budget-cache.ts';
import { parseConfig } from '../../../src/config/config-file.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { PlansService } from '../../../src/services/plans/plans.service.ts';
import { BudgetsService } from '../../../src/services/budgets/budgets.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { key as anyKey } from '../../harness/gateway.ts';
import { eventIdAt, rowsJson, usageRecord } from '../../harness/usage-rows.ts';

/** The state of one process. */
interface Process {
  readonly store: MemoryLimitStore;
  readonly book: BudgetCache;
  readonly service: BudgetsService;
}

const plans = readPlans(parseConfig('sluice.yaml', '', {}));
const monthly = { amount: '1', period: 'MONTH' } as const;
/** Not close to the end of a day or month. */
const clock = new FakeClock();

describeWithDatabase('the budget cache', (databases) => {
  let database: Database;
  let accountId: string;
  let memberId: string;
  let keyId: string;
  let key: KeyRecord;

  beforeEach(async () => {
    database = await databases.open();
    const em = database.em();
    const account = em.create(Account, { name: 'A', createdAt: new Date() });
    const user = em.create(User, {
      email: `${randomUUID()}@example.com`,
      name: 'U',
      passwordHash: 'x',
      createdAt: new Date(),
    });
    const membership = em.create(Membership, { user, account, role: 'developer', createdAt: new Date() });
    const row = em.create(ApiKey, {
      account,
      name: 'k',
      hint: 'k',
      secretHmac: Buffer.from(randomUUID()),
      createdAt: new Date(),
    });
    await em.persist([account, user, membership, row]).flush();
    [accountId, memberId, keyId] = [account.id, user.id, row.id];
    key = Object.freeze({ ...anyKey, id: keyId, accountId, memberId });
  });

  async function start(dependencies: Partial<BudgetCacheDependencies> = {}): Promise<Process> {
    const store = new MemoryLimitStore(clock);
    const given = {
      clock,
      database,
      store,
      drain: () => Promise.resolve(),
      reserveDeferred: () => Promise.resolve(),
      idOf: budgetId,
      plans: () => plans,
      onFault: () => undefined,
      ...dependencies,
    };
    const book = new BudgetCache(given);
    await book.start(false);
    return { store, book, service: new BudgetsService({ database, cache: book, store }) };
  }

  async function spend(nano: bigint, values: Partial<UsageRecord> = {}): Promise<void> {
    const store = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
    const began = new Date(clock.now() - 5_000);
    const record = usageRecord({
      event_id: eventIdAt(began),
      began_at: began.toISOString(),
      duration_ms: 1_000,
      account_id: accountId,
      api_key_id: keyId,
      member_id: memberId,
      cost_nano: String(nano),
      ...values,
    });
    await store.store(rowsJson([record]));
  }

  async function setKeyBudget({ service }: Process, amount: string): Promise<void> {
    await service.withKey(accountId, { amount, period: 'MONTH' }, async (along) => {
      await database.em().transactional(async (em) => along?.(em, await em.findOneOrFail(ApiKey, { id: keyId })));
    });
  }

  async function spentOf({ service }: Process): Promise<Record<string, bigint>> {
    return Object.fromEntries(
      (await service.list(accountId)).map((view) => [view.known.budget.subject, view.spentNano]),
    );
  }

  it('returns a key without limits unchanged, without a query', async () => {
    const { book } = await start({ database: { ...database, em: () => expect.fail('the database is asked') } });
    expect(book.isRebuilt).toBe(true);
    expect(book.of(key)).toBe(key);
  });

  it('adds all budgets to a key, as the same object until they change', async () => {
    const one = await start();
    await setKeyBudget(one, '0.5');
    await one.service.set(accountId, memberId, { amount: '2', period: 'DAY' });
    await one.service.set(accountId, null, { amount: '3.000000001', period: 'TOTAL' });
    const record = await one.book.of(key);
    expect(record.budgets).toMatchObject([
      { id: `key:${keyId}`, subject: 'key', amountNano: 500_000_000n, period: 'MONTH', timeZone: 'UTC' },
      { id: `member:${accountId}:${memberId}`, amountNano: 2_000_000_000n, period: 'DAY' },
      { id: `account:${accountId}`, amountNano: 3_000_000_001n, period: 'TOTAL' },
    ]);
    expect(one.book.of(key)).toBe(record);
    await one.book.changed(accountId);
    expect(one.book.of(key)).toBe(record);
    // Another key without a member has only the account's budget.
    const other = Object.freeze({ ...key, id: randomUUID(), memberId: null });
    expect((await one.book.of(other)).budgets.map(({ subject }) => subject)).toEqual(['account']);
    await one.service.set(accountId, memberId, { amount: '4', period: 'DAY' });
    const changed = await one.book.of(key);
    expect(changed).not.toBe(record);
    expect(changed.budgets[1]?.amountNano).toBe(4_000_000_000n);
  });

  it('counts what was spent in the period before a budget was opened', async () => {
    const one = await start();
    await spend(1n);
    await spend(20n, { api_key_id: randomUUID() });
    await spend(300n, { api_key_id: randomUUID(), member_id: null });
    await spend(4_000n, { account_id: randomUUID() });
    const long = new Date(clock.now() - 45 * 86_400_000);
    await spend(50_000n, { event_id: eventIdAt(long), began_at: long.toISOString() });
    await setKeyBudget(one, '1');
    await one.service.set(accountId, memberId, { amount: '1', period: 'TOTAL' });
    await one.service.set(accountId, null, { amount: '1', period: 'TOTAL' });
    expect(await spentOf(one)).toEqual({ key: 1n, member: 50_021n, account: 50_321n });
  });

  it('counts each request once when a budget is opened, including late rows', async () => {
    const now = clock.now();
    // The duration counts from the arrival of the request: receiving the body took five of six seconds.
    const came = new Date(now - 6_100);
    const began = new Date(now - 1_100);
    const ended = { event_id: eventIdAt(came), began_at: began.toISOString(), duration_ms: 6_000 };
    const open = {
      event_id: eventIdAt(new Date(now - 1_000)),
      began_at: new Date(now - 1_000).toISOString(),
      duration_ms: 60_000,
    };
    // A deferred charge is due when its work is done, long after it began.
    const bill = {
      event_id: eventIdAt(new Date(now - 60_000)),
      began_at: new Date(now - 1_000).toISOString(),
      duration_ms: 59_000,
    };
    const one = await start({
      drain: async () => {
        await spend(1n, ended);
        await spend(20n, open);
        await spend(300n, bill);
      },
    });
    await one.service.set(accountId, null, monthly);
    expect(await spentOf(one)).toEqual({ account: 301n });
    one.store.charge({ accountId, keyId, memberId, hasAllowance: false }, 20n, now - 1_000);
    expect(await spentOf(one)).toEqual({ account: 321n });
  });

  it('opens existing budgets at the start, and is not ready before', async () => {
    await (await start()).service.set(accountId, null, monthly);
    await spend(7n);
    const drained = Promise.withResolvers<void>();
    const next = await start({ drain: () => drained.promise });
    expect(next.book.isRebuilt).toBe(false);
    const waiting = next.book.of(key);
    expect(waiting).toBeInstanceOf(Promise);
    drained.resolve();
    expect((await waiting).budgets).toHaveLength(1);
    await expect.poll(() => next.book.isRebuilt).toBe(true);
    expect(await spentOf(next)).toEqual({ account: 7n });
  });

  it('reads an account once for concurrent requests', async () => {
    await (await start()).service.set(accountId, null, monthly);
    let drains = 0;
    const next = await start({ drain: async () => void drains++ });
    const records = await Promise.all(Array.from({ length: 50 }, () => next.book.of(key)));
    expect(new Set(records).size).toBe(1);
    expect(drains).toBe(1);
  });

  it('rejects requests while the amount spent is not known, and recovers', async () => {
    await (await start()).service.set(accountId, null, monthly);
    await spend(7n);
    let away = true;
    const next = await start({ drain: () => (away ? Promise.reject(new Error('away')) : Promise.resolve()) });
    await expect(Promise.resolve(next.book.of(key))).rejects.toMatchObject({ code: 'database_unavailable' });
    away = false;
    await next.book.of(key);
    expect(await spentOf(next)).toEqual({ account: 7n });
  });

  it('removes a budget immediately, and counts earlier spending in a new one', async () => {
    const one = await start();
    const { known } = await one.service.set(accountId, null, monthly);
    await spend(7n);
    one.store.charge({ accountId, keyId, memberId, hasAllowance: false }, 7n, clock.now());
    await one.service.remove(accountId, known.rowId);
    expect(one.book.of(key)).toBe(key);
    expect(one.store.state(known.budget)).toBeNull();
    await expect(one.service.remove(accountId, known.rowId)).rejects.toMatchObject({ code: 'not_found' });
    const again = await one.service.set(accountId, null, monthly);
    expect(again.known.rowId).not.toBe(known.rowId);
    expect(again.spentNano).toBe(7n);
  });

  it('retains the amount spent when the amount changes, and recounts when the period does', async () => {
    const one = await start();
    const { known } = await one.service.set(accountId, null, { ...monthly, alertAt: [50] });
    await spend(7n);
    one.store.charge({ accountId, keyId, memberId, hasAllowance: false }, 7n, clock.now());
    const more = await one.service.set(accountId, null, { amount: '9', period: 'MONTH' });
    expect(more.known).toMatchObject({ rowId: known.rowId, alertAt: [50], budget: { amountNano: 9_000_000_000n } });
    expect(more.spentNano).toBe(7n);
    const total = await one.service.set(accountId, null, { amount: '9', period: 'TOTAL', alertAt: [] });
    expect(total).toMatchObject({ spentNano: 7n, known: { rowId: known.rowId, alertAt: [] } });
  });

  it('follows changes by other processes', async () => {
    const [one, other] = [await start(), await start()];
    await one.book.poll();
    const { known } = await other.service.set(accountId, null, monthly);
    expect(one.book.of(key)).toBe(key);
    await one.book.poll();
    expect((await one.book.of(key)).budgets).toHaveLength(1);
    await other.service.remove(accountId, known.rowId);
    await one.book.poll();
    expect(one.book.of(key)).toBe(key);
  });

  it('follows the time zone of its account, also when another process changed it', async () => {
    const [one, other] = [await start(), await start()];
    await one.service.set(accountId, null, { amount: '1', period: 'DAY' });
    const plansService = new PlansService({
      database,
      plans: () => plans,
      changed: () => undefined,
      budgetsChanged: (changed) => one.book.changed(changed),
      applyAt: () => Promise.resolve(),
    });
    await other.book.poll();
    for (const timeZone of ['Asia/Kathmandu', 'UTC']) {
      await plansService.updateAccount(accountId, { timeZone });
      await other.book.poll();
      for (const { book, service } of [one, other]) {
        expect((await book.of(key)).budgets).toMatchObject([{ timeZone }]);
        const { start: from } = calendarPeriod('DAY', timeZone, clock.now());
        expect(await service.list(accountId)).toMatchObject([{ period: { start: from } }]);
      }
    }
  });

  it('reopens a budget that the store lost', async () => {
    let lose: () => void = () => undefined;
    const store = Object.assign(new MemoryLimitStore(clock), {
      onLost: (listener: (accountId: string) => void) => {
        lose = () => {
          for (const { budget } of book.open()) {
            store.close(budget);
            listener(budget.accountId);
          }
        };
      },
    });
    const book = new BudgetCache({
      clock,
      database,
      store,
      drain: () => Promise.resolve(),
      reserveDeferred: () => Promise.resolve(),
      idOf: budgetId,
      plans: () => plans,
      onFault: () => undefined,
    });
    await book.start(false);
    const service = new BudgetsService({ database, cache: book, store });
    const { known } = await service.set(accountId, null, monthly);
    await spend(7n);
    lose();
    await book.of(key);
    expect(store.state(known.budget)).toMatchObject({ spentNano: 7n });
  });

  it('lets keys without a budget go on while those that the store lost are counted again', async () => {
    let onLost: (accountId: string) => void = () => undefined;
    const store = Object.assign(new MemoryLimitStore(clock), {
      onLost: (listener: (accountId: string) => void) => (onLost = listener),
    });
    let drained = Promise.resolve();
    const book = new BudgetCache({
      clock,
      database,
      store,
      drain: () => drained,
      reserveDeferred: () => Promise.resolve(),
      idOf: budgetId,
      plans: () => plans,
      onFault: () => undefined,
    });
    await book.start(false);
    await setKeyBudget({ store, book, service: new BudgetsService({ database, cache: book, store }) }, '1');
    const unbounded = Object.freeze({ ...key, id: randomUUID() });
    const counted = Promise.withResolvers<void>();
    drained = counted.promise;
    for (const { budget } of book.open()) store.close(budget);
    onLost(accountId);
    expect(book.of(unbounded)).toBe(unbounded);
    const waiting = book.of(key);
    expect(waiting).toBeInstanceOf(Promise);
    counted.resolve();
    expect((await waiting).budgets).toHaveLength(1);
    expect(book.of(unbounded)).toBe(unbounded);
  });

  it('lets the keys of an account without budgets go on where usage of another instance cannot be counted', async () => {
    const away = (): never => {
      throw new Error('away');
    };
    const { book } = await start({ database: { ...database, em: away } });
    await expect(book.recount(accountId)).rejects.toThrow();
    expect(book.of(key)).toBe(key);
  });

  describe('while a changed budget cannot be counted', () => {
    /** Another key with a budget, beside that of `key`. */
    async function another(one: Process, amount: string): Promise<KeyRecord> {
      const em = database.em();
      const row = em.create(ApiKey, {
        account: em.getReference(Account, accountId),
        name: 'other',
        hint: 'k',
        secretHmac: Buffer.from(randomUUID()),
        createdAt: new Date(),
      });
      await em.persist(row).flush();
      await one.service.withKey(accountId, { amount, period: 'MONTH' }, async (along) => {
        await database.em().transactional(async (em) => along?.(em, await em.findOneOrFail(ApiKey, { id: row.id })));
      });
      return Object.freeze({ ...key, id: row.id, memberId: null });
    }

    it('lets keys without a change go on, and refuses those with one', async () => {
      const other = await start();
      await setKeyBudget(other, '1');
      let drain = (): Promise<void> => Promise.resolve();
      const one = await start({ drain: () => drain() });
      await expect.poll(() => one.book.isRebuilt).toBe(true);
      await one.book.poll();
      const known = await one.book.of(key);
      expect(known.budgets).toHaveLength(1);
      const away = Promise.withResolvers<void>();
      drain = () => away.promise;
      const changed = await another(other, '2');
      const polling = one.book.poll();
      const waits = (): boolean => {
        const found = one.book.of(changed);
        if (found instanceof Promise) found.catch(() => undefined);
        return found instanceof Promise;
      };
      await expect.poll(waits).toBe(true);
      expect(one.book.of(key)).toBe(known);
      const waiting = one.book.of(changed);
      away.reject(new Error('away'));
      await expect(waiting).rejects.toMatchObject({ code: 'database_unavailable' });
      await polling;
      drain = () => Promise.reject(new Error('still away'));
      expect(one.book.of(key)).toBe(known);
      await expect(Promise.resolve(one.book.of(changed))).rejects.toMatchObject({ code: 'database_unavailable' });
      drain = () => Promise.resolve();
      expect((await one.book.of(changed)).budgets).toMatchObject([{ amountNano: 2_000_000_000n }]);
      expect(one.book.of(key)).toEqual(known);
    });

    it('refuses those whose budget the same load finds changed', async () => {
      const other = await start();
      await setKeyBudget(other, '1');
      let drain = (): Promise<void> => Promise.resolve();
      const one = await start({ drain: () => drain() });
      await one.book.of(key);
      const changed = await another(other, '2');
      await setKeyBudget(other, '0.5');
      drain = () => Promise.reject(new Error('away'));
      // Of the other key's budget only.
      await one.book.changed(accountId, [`key:${changed.id}`]);
      await expect(Promise.resolve(one.book.of(key))).rejects.toMatchObject({ code: 'database_unavailable' });
      drain = () => Promise.resolve();
      expect((await one.book.of(key)).budgets).toMatchObject([{ amountNano: 500_000_000n }]);
    });

    it('lets all keys of an account go on whose first budget it is, but that one', async () => {
      const other = await start();
      const one = await start({ drain: () => Promise.reject(new Error('away')) });
      const changed = await another(other, '2');
      await one.book.poll();
      expect(one.book.of(key)).toBe(key);
      await expect(Promise.resolve(one.book.of(changed))).rejects.toMatchObject({ code: 'database_unavailable' });
    });
  });

  it('drops the budget of a revoked key', async () => {
    const one = await start();
    await setKeyBudget(one, '1');
    await database.em().nativeUpdate(ApiKey, { id: keyId }, { revokedAt: new Date() });
    expect(await spentOf(await start())).toEqual({});
  });

  it.each([
    { amount: '0' },
    { amount: '-1' },
    { amount: '0.0000000001' },
    { amount: '1000000000' },
    { alertAt: [0] },
    { alertAt: [101] },
    { alertAt: [1.5] },
  ])('rejects %j', async (input) => {
    const { service } = await start();
    await expect(service.set(accountId, null, { ...monthly, ...input })).rejects.toMatchObject({
      code: 'bad_user_input',
    });
    expect(await service.list(accountId)).toEqual([]);
  });

  it('finds no budget and no member of another account', async () => {
    const { service } = await start();
    const { known } = await service.set(accountId, null, monthly);
    await expect(service.remove(randomUUID(), known.rowId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(service.set(accountId, randomUUID(), monthly)).rejects.toMatchObject({ code: 'not_found' });
    expect(await service.list(randomUUID())).toEqual([]);
  });
});
