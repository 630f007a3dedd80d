import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, ApiKey, PlanChange } from '../../../src/database/entities/index.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { type Reservation, boundsOf } from '../../../src/gateway/limits/limit-store.ts';
import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { JobQueue } from '../../../src/jobs/job-queue.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { applyPlanChanges } from '../../../src/services/plans/jobs.ts';
import type { PlanCatalogue } from '../../../src/services/plans/plan.ts';
import { PlansService } from '../../../src/services/plans/plans.service.ts';
import { Arrivals } from '../../harness/arrivals.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);
const defaults = {
  requestsPerMinute: 10_000,
  tokensPerMinute: 10_000_000,
  requestsPerDay: Infinity,
  concurrency: 1_000,
};
const usd = (dollars: number): bigint => BigInt(dollars) * 1_000_000_000n;
const book = (yaml = ''): PlanCatalogue => readPlans(parseConfig('sluice.yaml', yaml, {}));

describeWithDatabase('account plans', (databases) => {
  let database: Database;
  let directory: MemoryKeyDirectory;
  let keys: KeysService;
  let service: PlansService;
  let plans: PlanCatalogue;
  const clock = new FakeClock();
  let scheduled: Date[];

  beforeEach(async () => {
    database ??= await databases.open();
    plans = book('plans: { enterprise: { monthly_fee: 200, allowance: 200, offered: true } }');
    scheduled = [];
    directory = new MemoryKeyDirectory({ database, pepper, defaults: () => defaults, plans: () => plans });
    keys = new KeysService({ database, pepper, directory });
    service = servicePlans();
  });

  function servicePlans(): PlansService {
    return new PlansService({
      database,
      plans: () => plans,
      changed: (accountId) => directory.evictAccount(accountId),
      budgetsChanged: () => Promise.resolve(),
      applyAt: async (moment) => void scheduled.push(moment),
      clock,
    });
  }

  async function newAccount(plan: string, begun: string, timeZone = 'UTC'): Promise<string> {
    const em = database.em();
    clock.setNow(Date.parse(begun));
    const [planSince, createdAt] = [new Date(clock.now()), new Date(clock.now())];
    const account = em.create(Account, { name: 'A', plan, planSince, createdAt, timeZone });
    await em.persist(account).flush();
    return account.id;
  }

  const read = (id: string): Promise<Account> => database.em().findOneOrFail(Account, { id });
  const recorded = (id: string): Promise<PlanChange[]> =>
    database.em().find(PlanChange, { account: id }, { orderBy: { effectiveAt: 'asc', createdAt: 'asc' } });

  it('apply an upgrade immediately and charge the difference for the rest of the month', async () => {
    const id = await newAccount('pro', '2026-11-01T00:00:00Z');
    clock.setNow(Date.parse('2026-11-11T00:00:00Z'));
    const done = await service.change(id, null, 'enterprise');
    expect(done).toMatchObject({ pending: false, amountNano: usd(120), from: { id: 'pro' }, to: { id: 'enterprise' } });
    expect(await read(id)).toMatchObject({ plan: 'enterprise', pendingPlan: null });
    expect(await recorded(id)).toMatchObject([
      {
        fromPlan: 'pro',
        toPlan: 'enterprise',
        fromFeeNano: usd(20),
        toFeeNano: usd(200),
        amountNano: usd(120),
        effectiveAt: new Date('2026-11-11T00:00:00Z'),
        periodStart: new Date('2026-11-01T00:00:00Z'),
        periodEnd: new Date('2026-12-01T00:00:00Z'),
      },
    ]);
    expect(scheduled).toEqual([]);
  });

  it('are previewed without being changed', async () => {
    const id = await newAccount('free', '2026-11-16T00:00:00Z');
    const renewsAt = new Date('2026-12-01T00:00:00Z');
    const up = { pending: false, amountNano: usd(10), at: new Date('2026-11-16T00:00:00Z'), renewsAt };
    expect(await service.preview(id, 'pro')).toMatchObject({ ...up, from: { id: 'free' }, to: { id: 'pro' } });
    expect(await read(id)).toMatchObject({ plan: 'free', pendingPlan: null });
    expect(await service.change(id, null, 'pro')).toMatchObject({ amountNano: usd(10) });
    expect(await service.preview(id, 'free')).toMatchObject({ pending: true, amountNano: 0n, at: renewsAt });
    expect(await read(id)).toMatchObject({ plan: 'pro', pendingPlan: null });
    expect(await recorded(id)).toHaveLength(1);
  });

  it('that are not offered end with the period, unless the change is cancelled', async () => {
    plans = book();
    const id = await newAccount('enterprise', '2026-11-10T00:00:00Z');
    const end = new Date('2026-12-01T00:00:00Z');
    expect(await service.preview(id, 'pro')).toMatchObject({ pending: true, amountNano: 0n, at: end });
    expect(await service.change(id, null, 'pro')).toMatchObject({ pending: true, amountNano: 0n, at: end });
    expect(await read(id)).toMatchObject({ plan: 'enterprise', pendingPlan: 'pro', pendingPlanAt: end });
    await service.cancelChange(id);
    expect(await read(id)).toMatchObject({ plan: 'enterprise', pendingPlan: null });
    expect(await recorded(id)).toEqual([]);
  });

  it('are upgraded once by concurrent requests', async () => {
    const id = await newAccount('free', '2026-11-16T00:00:00Z');
    const amounts = await Promise.all(Array.from({ length: 5 }, () => service.change(id, null, 'pro')));
    expect(amounts.map(({ amountNano }) => amountNano).toSorted()).toEqual([0n, 0n, 0n, 0n, usd(10)]);
    expect(await recorded(id)).toHaveLength(1);
  });

  it('of 30 days become monthly in the account’s time zone, starting at the end of the free period', async () => {
    const id = await newAccount('free', '2026-11-16T12:00:00.500Z', 'America/New_York');
    clock.setNow(Date.parse('2026-12-16T05:00:00Z'));
    expect(service.periodOf(await read(id))).toEqual({
      start: Date.parse('2026-11-16T12:00:00.500Z'),
      end: Date.parse('2026-12-16T12:00:00.500Z'),
    });
    // 16 of December's 31 days are left in New York.
    const { amountNano } = await service.change(id, null, 'pro');
    expect(amountNano).toBe((usd(20) * 16n * 2n + 31n) / (31n * 2n));
    const account = await read(id);
    expect(service.periodOf(account)).toEqual({ start: clock.now(), end: Date.parse('2027-01-01T05:00:00Z') });
    clock.setNow(Date.parse('2027-01-01T05:00:00Z'));
    expect(service.periodOf(account)).toEqual({ start: clock.now(), end: Date.parse('2027-02-01T05:00:00Z') });
  });

  it('apply a downgrade once, at the end of the month in the account’s time zone', async () => {
    const id = await newAccount('enterprise', '2028-02-10T00:00:00Z', 'Asia/Kathmandu');
    const done = await service.change(id, null, 'free');
    // Midnight after the leap day.
    const end = new Date('2028-02-29T18:15:00Z');
    expect(done).toMatchObject({ pending: true, amountNano: 0n, at: end });
    expect(scheduled).toEqual([end]);
    expect(await read(id)).toMatchObject({ plan: 'enterprise', pendingPlan: 'free', pendingPlanAt: end });
    clock.setNow(end.getTime() - 1);
    await service.applyDue();
    expect(await read(id)).toMatchObject({ plan: 'enterprise', pendingPlan: 'free' });
    clock.setNow(end.getTime() + 90_000);
    await Promise.all([service.applyDue(), servicePlans().applyDue(), service.applyDue()]);
    await service.applyDue();
    const account = await read(id);
    expect(account).toMatchObject({ plan: 'free', pendingPlan: null, pendingPlanAt: null, planSince: end });
    expect(await recorded(id)).toMatchObject([
      { fromPlan: 'enterprise', toPlan: 'free', amountNano: 0n, effectiveAt: end, changedBy: null },
    ]);
    // Afterwards every 30 days.
    expect(service.periodOf(account)).toEqual({ start: end.getTime(), end: Date.parse('2028-03-30T18:15:00Z') });
  });

  it('apply due changes before any other request', async () => {
    const id = await newAccount('enterprise', '2026-11-10T00:00:00Z');
    await service.change(id, null, 'pro');
    clock.setNow(Date.parse('2026-12-16T12:00:00Z'));
    // Half of December is left, of 180 USD.
    expect(await service.change(id, null, 'enterprise')).toMatchObject({ from: { id: 'pro' }, amountNano: usd(90) });
    expect(await recorded(id)).toMatchObject([
      { fromPlan: 'enterprise', toPlan: 'pro', amountNano: 0n, effectiveAt: new Date('2026-12-01T00:00:00Z') },
      { fromPlan: 'pro', toPlan: 'enterprise', amountNano: usd(90) },
    ]);
  });

  it('apply changes by the caller’s time if this clock is behind', async () => {
    const id = await newAccount('enterprise', '2026-11-10T00:00:00Z');
    const { at } = await service.change(id, null, 'pro');
    clock.setNow(at.getTime() - 5_000);
    await service.applyDue(at.getTime());
    expect(await read(id)).toMatchObject({ plan: 'pro', planSince: new Date('2026-11-10T00:00:00Z') });
  });

  it('are unchanged when a change is cancelled, also by an upgrade', async () => {
    const id = await newAccount('pro', '2026-11-10T00:00:00Z');
    await service.change(id, null, 'free');
    expect(await service.cancelChange(id)).toMatchObject({ plan: 'pro', pendingPlan: null });
    await service.change(id, null, 'free');
    expect(await service.change(id, null, 'pro')).toMatchObject({ pending: false, amountNano: 0n });
    await service.change(id, null, 'free');
    await service.change(id, null, 'enterprise');
    clock.setNow(Date.parse('2027-01-10T00:00:00Z'));
    await service.applyDue();
    expect(await read(id)).toMatchObject({ plan: 'enterprise', pendingPlan: null });
    expect(await recorded(id)).toHaveLength(1);
  });

  it('change later if a new time zone ends the month later', async () => {
    const id = await newAccount('pro', '2026-11-10T00:00:00Z');
    await service.change(id, null, 'free');
    expect((await read(id)).pendingPlanAt).toEqual(new Date('2026-12-01T00:00:00Z'));
    await service.updateAccount(id, { timeZone: 'America/Los_Angeles' });
    expect((await read(id)).pendingPlanAt).toEqual(new Date('2026-12-01T08:00:00Z'));
    expect(scheduled.at(-1)).toEqual(new Date('2026-12-01T08:00:00Z'));
    await expect(service.updateAccount(id, { timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
      code: 'bad_user_input',
      param: 'timeZone',
    });
    expect((await read(id)).timeZone).toBe('America/Los_Angeles');
  });

  it('change only to offered plans, and only for existing accounts', async () => {
    plans = book('plans: { enterprise: { offered: false }, special: { monthly_fee: 5 } }');
    const id = await newAccount('free', '2026-11-10T00:00:00Z');
    await expect(service.change(id, null, 'enterprise')).rejects.toMatchObject({ code: 'plan_not_offered' });
    await expect(service.change(id, null, 'gold')).rejects.toThrow(
      /there is no plan "gold"; there are free, pro, special/,
    );
    await expect(service.change(randomUUID(), null, 'pro')).rejects.toMatchObject({ code: 'not_found' });
    expect(service.listFor({ plan: 'free' }).map((plan) => plan.id)).toEqual(['free', 'pro', 'special']);
    expect(service.listFor({ plan: 'enterprise' }).map((plan) => plan.id)).toContain('enterprise');
    expect(await service.change(id, null, 'special')).toMatchObject({ pending: false });
  });

  it('are changed by the durable queue when due', async () => {
    const queue = new JobQueue(database);
    const changes = new Arrivals<string>();
    let applyAt: (at: Date) => Promise<void> = () => Promise.reject(new Error('not ready'));
    const applying = new PlansService({
      database,
      plans: () => plans,
      changed: (accountId) => void changes.push(accountId),
      budgetsChanged: () => Promise.resolve(),
      applyAt: (moment) => applyAt(moment),
      clock,
    });
    applyAt = applyPlanChanges(queue, applying);
    try {
      await queue.start();
      const id = await newAccount('pro', '2026-01-10T00:00:00Z');
      // The service's clock is in January; the queue uses the database's clock.
      await applying.change(id, null, 'free');
      await changes.whenResult(async () => ((await read(id)).plan === 'free' ? id : null));
    } finally {
      await queue.stop();
    }
  });

  describe('keys of an account', () => {
    const limitsOf = async (secret: string): Promise<KeyRecord['limits']> => (await directory.find(secret)).limits;

    it('have limits within the plan, regardless of their own', async () => {
      const id = await newAccount('free', '2026-11-10T00:00:00Z');
      const own = await keys.create(id, null, { name: 'k', limits: { concurrency: 3, tokensPerMinute: 900_000_000 } });
      const record = await directory.find(own.secret);
      expect(record.limits).toEqual({
        requestsPerMinute: 120,
        tokensPerMinute: 500_000,
        requestsPerDay: 5_000,
        concurrency: 3,
      });
      expect(record.accountLimits).toBeNull();
      expect(record.plan).toBe(plans.defaultPlan.terms);
      expect(Object.isFrozen(record.plan)).toBe(true);
    });

    it('have separate limits, and shared ones only if the plan has them', async () => {
      plans = book(
        'plans: { free: { requests_per_minute: 2 }, team: { requests_per_minute: 2, account_limits: { requests_per_minute: 3 } } }',
      );
      const store = new MemoryLimitStore(clock);
      const admittedOf = async (plan: string) => {
        const account = await newAccount(plan, '2026-11-10T00:00:00Z');
        const admitted: number[] = [];
        for (const name of ['one', 'another']) {
          const record = await directory.find((await keys.create(account, null, { name })).secret);
          const hold = { at: clock.now(), bounds: boundsOf(record), tokens: 1, costNano: 0n };
          const holds = [1, 2, 3].map((attempt) => ({ ...hold, eventId: `${plan} ${name} ${attempt}` }));
          admitted.push(holds.filter((each) => isAdmitted(store, record, each)).length);
        }
        return admitted;
      };
      expect(await admittedOf('free')).toEqual([2, 2]);
      expect(await admittedOf('team')).toEqual([2, 1]);
    });

    it('follow a plan change immediately, also during a lookup', async () => {
      const id = await newAccount('free', '2026-11-10T00:00:00Z');
      const { secret } = await keys.create(id, null, { name: 'k' });
      const other = await keys.create(id, null, { name: 'other' });
      expect((await limitsOf(secret)).requestsPerMinute).toBe(120);
      const looking = directory.find(other.secret);
      await service.change(id, null, 'pro');
      await looking;
      expect((await directory.find(secret)).plan.id).toBe('pro');
      expect((await limitsOf(secret)).requestsPerMinute).toBe(3_000);
      expect((await directory.find(other.secret)).plan.id).toBe('pro');
    });

    it('of the dashboard follow a plan change too', async () => {
      const id = await newAccount('free', '2026-11-10T00:00:00Z');
      const em = database.em();
      const account = em.getReference(Account, id);
      const dashboard = { account, name: 'dashboard', hint: 'dashboard', kind: 'dashboard' as const };
      await em.persist(em.create(ApiKey, { ...dashboard, createdAt: new Date() })).flush();
      expect((await directory.dashboardKey(id)).plan.id).toBe('free');
      await service.change(id, null, 'pro');
      expect(await directory.dashboardKey(id)).toMatchObject({ plan: { id: 'pro' }, limits: { concurrency: 200 } });
      plans = book('plans: { pro: { concurrency: 2 } }');
      expect((await directory.dashboardKey(id)).limits.concurrency).toBe(2);
    });

    it('follow a configuration change without a database query, and retain their own limits', async () => {
      const id = await newAccount('pro', '2026-11-10T00:00:00Z');
      const { secret } = await keys.create(id, null, { name: 'k', limits: { concurrency: 150 } });
      expect(await limitsOf(secret)).toMatchObject({ requestsPerMinute: 3_000, concurrency: 150 });
      plans = book('plans: { pro: { requests_per_minute: 7, concurrency: 100, markup: 2.5, capabilities: [chat] } }');
      const changed = directory.find(secret);
      if (changed instanceof Promise) throw new Error('the database was asked');
      expect(changed.limits).toMatchObject({ requestsPerMinute: 7, concurrency: 100 });
      expect(changed.accountLimits).toBeNull();
      expect(changed.plan).toMatchObject({ id: 'pro', markupPpm: 25_000, capabilities: new Set(['chat']) });
      expect(directory.find(secret)).toBe(changed);
      plans = book('plans: { pro: { concurrency: null, requests_per_minute: null } }');
      expect(await limitsOf(secret)).toMatchObject({ requestsPerMinute: 10_000, concurrency: 150 });
      plans = book('plans: { pro: { account_limits: { requests_per_minute: 50 } } }');
      const none = { tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: Infinity };
      expect((await directory.find(secret)).accountLimits).toEqual({ requestsPerMinute: 50, ...none });
      plans = book('plans: { pro: { account_limits: { requests_per_minute: null } } }');
      expect((await directory.find(secret)).accountLimits).toBeNull();
    });

    it('have the limits of the default plan if their plan is no longer configured', async () => {
      plans = book('plans: { gold: { requests_per_minute: 5000 } }');
      const id = await newAccount('gold', '2026-11-10T00:00:00Z');
      const { secret } = await keys.create(id, null, { name: 'k' });
      expect((await limitsOf(secret)).requestsPerMinute).toBe(5_000);
      plans = book('default_plan: pro');
      expect(await directory.find(secret)).toMatchObject({ plan: { id: 'pro' }, limits: { requestsPerMinute: 3_000 } });
    });
  });
});

function isAdmitted(store: MemoryLimitStore, key: KeyRecord, hold: Reservation): boolean {
  try {
    store.reserve(key, 'sandbox/chat', hold);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'rate_limit_requests' });
    return false;
  }
}
