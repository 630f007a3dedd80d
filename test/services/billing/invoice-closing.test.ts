import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, type Invoice, type InvoiceLine } from '../../../src/database/entities/index.ts';
import type { UsageRecord } from '../../../src/gateway/usage/usage-record.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { InvoicesService } from '../../../src/services/billing/invoices/invoices.service.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import type { PlanCatalogue } from '../../../src/services/plans/plan.ts';
import { PlansService } from '../../../src/services/plans/plans.service.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { costOf } from '../usage/arbitrary-usage.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const usd = (dollars: number): bigint => BigInt(Math.round(dollars * 1_000)) * 1_000_000n;
const book = (yaml: string): PlanCatalogue => readPlans(parseConfig('sluice.yaml', yaml, {}));
const usual = book(
  'plans: { enterprise: { offered: true, monthly_fee: 200, allowance: 200 }, plain: { allowance: 0, monthly_fee: 0 } }',
);
const MINUTE = 60_000;

describeWithDatabase('invoice closing', (databases) => {
  let database: Database;
  let ledger: Ledger;
  let store: UsageStore;
  let service: PlansService;
  let invoices: InvoicesService;
  const clock = new FakeClock();
  let plans: PlanCatalogue;

  beforeAll(async () => {
    database = await databases.open();
    ledger = new Ledger(database);
    invoices = new InvoicesService(database, ledger);
    store = new UsageStore(database, (row, error) => expect.fail(`${JSON.stringify(row)} ${String(error)}`));
    service = new PlansService({
      database,
      plans: () => plans,
      changed: () => undefined,
      budgetsChanged: () => Promise.resolve(),
      applyAt: async () => undefined,
      clock,
    });
  });

  // Accounts of other tests are not closed again.
  beforeEach(async () => {
    await database.query('delete from accounts');
    plans = usual;
  });

  const closing = (): InvoiceClosing =>
    new InvoiceClosing({
      database,
      ledger,
      plans: () => plans,
      applyDue: () => service.applyDue(),
      clock,
    });

  const closeAt = (moment: string): Promise<number> => {
    clock.setNow(Date.parse(moment));
    return closing().closeDue();
  };

  async function newAccount(plan: string, begun: string, timeZone = 'UTC'): Promise<string> {
    const em = database.em();
    clock.setNow(Date.parse(begun));
    const [planSince, createdAt] = [new Date(clock.now()), new Date(clock.now())];
    const account = em.create(Account, { name: 'A', plan, planSince, createdAt, timeZone });
    await em.persist(account).flush();
    return account.id;
  }

  async function changeAt(id: string, moment: string, plan: string): Promise<void> {
    clock.setNow(Date.parse(moment));
    await service.change(id, null, plan);
  }

  interface Use {
    readonly beganAt: string;
    readonly nano: bigint;
    /** When it was stored, according to the log. */
    readonly settledAt: string;
    readonly more?: Partial<UsageRecord>;
  }

  async function useAll(id: string, uses: readonly Use[]): Promise<UsageRecord[]> {
    const records = uses.map(({ beganAt, nano, more }) =>
      usageRecord({
        account_id: id,
        began_at: new Date(beganAt).toISOString(),
        model: 'openai/gpt-5.5',
        cost_nano: String(nano),
        units: null,
        ...more,
      }),
    );
    await store.store(rowsJson(records));
    await database.query(
      `update usage_logs set settled_at = stored.at
       from unnest($1::uuid[], $2::timestamptz[]) as stored(event_id, at) where usage_logs.event_id = stored.event_id`,
      [records.map((record) => record.event_id), uses.map(({ settledAt }) => new Date(settledAt))],
    );
    return records;
  }

  async function use(
    id: string,
    beganAt: string,
    nano: bigint,
    settledAt = beganAt,
    more: Partial<UsageRecord> = {},
  ): Promise<UsageRecord | undefined> {
    const [record] = await useAll(id, [{ beganAt, nano, settledAt, more }]);
    return record;
  }

  interface Told {
    readonly invoice: Invoice;
    readonly lines: readonly InvoiceLine[];
  }

  async function invoicesOf(id: string): Promise<Told[]> {
    const { rows } = await invoices.page(id, 100, null);
    const told = rows.toReversed();
    const lines = await invoices.linesOf(told.map((invoice) => invoice.id));
    return told.map((invoice) => ({ invoice, lines: lines.filter((line) => line.invoice.id === invoice.id) }));
  }

  const amountsOf = (told: Told | undefined): [string, bigint][] =>
    (told?.lines ?? []).map(({ kind, amountNano }) => [kind, amountNano]);

  const periodsOf = (told: readonly Told[]): string[] =>
    told.map(({ invoice }) => `${invoice.periodStart.toISOString()} ${invoice.periodEnd.toISOString()}`);

  it('bills the fee and usage of a month, less the allowance and the credit', async () => {
    const id = await newAccount('pro', '2026-11-01T00:00:00Z');
    await ledger.topUp({ accountId: id, amountNano: usd(7), reference: 'card' });
    await use(id, '2026-11-05T10:00:00Z', usd(21.5));
    await use(id, '2026-11-30T23:59:59.999Z', usd(2), '2026-12-01T00:00:30Z', { capability: 'embeddings' });
    await use(id, '2026-12-01T00:00:00Z', usd(100));
    expect(await closeAt('2026-12-01T00:14:59Z')).toBe(0);
    expect(await closeAt('2026-12-01T00:15:00Z')).toBe(1);
    const [told] = await invoicesOf(id);
    expect(amountsOf(told)).toEqual([
      ['plan', usd(20)],
      ['usage', usd(21.5)],
      ['usage', usd(2)],
      ['allowance', -usd(20)],
      ['credit', -usd(7)],
    ]);
    expect(told?.lines[1]).toMatchObject({
      model: 'openai/gpt-5.5',
      capability: 'chat',
      unit: 'token',
      quantity: '46',
      position: 2,
    });
    expect(told?.invoice).toMatchObject({
      number: `${id.replaceAll('-', '').slice(0, 12).toUpperCase()}-0001`,
      status: 'open',
      totalNano: usd(16.5),
      planId: 'pro',
      planName: 'Pro',
      currency: 'USD',
      cutoffAt: new Date('2026-12-01T00:14:00Z'),
      dueAt: new Date('2026-12-15T00:15:00Z'),
      paidAt: null,
    });
    // Only December's usage is owed.
    expect(await ledger.balances(id)).toMatchObject({ wallet: -usd(100), fees: usd(20), receivable: -usd(16.5) });
  });

  it('closes a period once for concurrent and repeated runs', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map(() => newAccount('pro', '2026-10-01T00:00:00Z')));
    for (const id of ids) await use(id, '2026-11-05T10:00:00Z', usd(30));
    clock.setNow(Date.parse('2026-12-01T01:00:00Z'));
    const made = await Promise.all(Array.from({ length: 4 }, () => closing().closeDue()));
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(6);
    expect(await closing().closeDue()).toBe(0);
    for (const id of ids) {
      const told = await invoicesOf(id);
      expect(told.map(({ invoice }) => invoice.totalNano)).toEqual([usd(20), usd(30)]);
      expect(told.map(({ invoice }) => invoice.number.slice(-4))).toEqual(['0001', '0002']);
      expect(await ledger.balances(id)).toMatchObject({ wallet: 0n, receivable: -usd(50) });
    }
  });

  it('bills missed periods, and creates no invoice without an amount', async () => {
    const id = await newAccount('plain', '2026-01-01T00:00:00Z');
    await use(id, '2026-03-05T00:00:00Z', usd(5));
    await use(id, '2026-06-05T00:00:00Z', usd(7));
    await use(id, '2026-07-05T00:00:00Z', 0n);
    expect(await closeAt('2026-08-20T00:00:00Z')).toBe(2);
    const told = await invoicesOf(id);
    expect(periodsOf(told)).toEqual([
      '2026-03-01T00:00:00.000Z 2026-04-01T00:00:00.000Z',
      '2026-06-01T00:00:00.000Z 2026-07-01T00:00:00.000Z',
    ]);
    expect(told.map(({ invoice }) => invoice.totalNano)).toEqual([usd(5), usd(7)]);
  });

  it('bills late usage with the next invoice', async () => {
    const id = await newAccount('plain', '2026-01-01T00:00:00Z');
    await use(id, '2026-01-31T23:00:00Z', usd(5));
    await use(id, '2026-01-31T23:00:00Z', usd(7), '2026-02-01T00:29:00Z');
    expect(await closeAt('2026-02-01T00:30:00Z')).toBe(1);
    await use(id, '2026-01-02T00:00:00Z', usd(11), '2026-02-20T00:00:00Z');
    await use(id, '2026-02-02T00:00:00Z', usd(13));
    expect(await closeAt('2026-03-01T01:00:00Z')).toBe(1);
    const [january, february] = await invoicesOf(id);
    expect(amountsOf(january)).toEqual([['usage', usd(5)]]);
    expect(amountsOf(february)).toEqual([
      ['usage', usd(13)],
      ['late_usage', usd(18)],
    ]);
  });

  it('bills each row exactly once, whenever it began, was stored and was read', async () => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const day = 86_400_000;
    const rows = fc.array(
      fc.record({
        at: fc.nat(120),
        late: fc.nat(60),
        minutes: fc.nat(1_439),
        nano: fc.bigInt({ min: 0n, max: 2n ** 50n }),
      }),
      { minLength: 1, maxLength: 25 },
    );
    const looks = fc.array(fc.nat(190), { maxLength: 8 });
    const plan = fc.constantFrom('free', 'pro', 'plain');
    await fc.assert(
      fc.asyncProperty(rows, looks, plan, async (drawn, days, planId) => {
        await database.query('delete from accounts');
        const id = await newAccount(planId, new Date(start).toISOString(), 'Asia/Kathmandu');
        const events = drawn.map(({ at, late, minutes, nano }) => {
          const beganAt = start + at * day + minutes * MINUTE;
          return { beganAt, settledAt: beganAt + late * day + 1, nano };
        });
        const moments = [...days.map((count) => start + count * day), start + 250 * day].toSorted((a, b) => a - b);
        const waiting = events.toSorted((a, b) => a.settledAt - b.settledAt);
        const used: UsageRecord[] = [];
        for (const moment of moments) {
          const later = waiting.findIndex(({ settledAt }) => settledAt >= moment);
          const stored = waiting.splice(0, later === -1 ? waiting.length : later);
          const uses = stored.map(({ beganAt, settledAt, nano }) => ({
            beganAt: new Date(beganAt).toISOString(),
            settledAt: new Date(settledAt).toISOString(),
            nano,
          }));
          if (uses.length > 0) used.push(...(await useAll(id, uses)));
          clock.setNow(moment);
          await closing().closeDue();
        }
        const told = await invoicesOf(id);
        const lines = told.flatMap((each) => each.lines);
        const billed = lines.filter(({ kind }) => kind === 'usage' || kind === 'late_usage');
        expect(billed.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(costOf(used));
        const tokens = used.filter(({ cost_nano: cost }) => cost !== '0').length * 46;
        expect(billed.reduce((sum, { quantity }) => sum + Number(quantity), 0)).toBe(tokens);
        const { usage, wallet, receivable } = await ledger.balances(id);
        const demanded = told.reduce((sum, { invoice }) => sum + invoice.totalNano, 0n);
        expect([usage, wallet, -receivable]).toEqual([costOf(used), 0n, demanded]);
        for (const { invoice } of told) expect(invoice.totalNano % 10_000_000n).toBe(0n);
        for (const { invoice, lines: own } of told)
          expect(own.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(invoice.totalNano);
      }),
      { numRuns: 15 },
    );
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  it('rounds to cents at the end, and shows the rounding', async () => {
    const sums = [4_999_999n, 5_000_000n, 14_999_999n, 10_000_000n];
    const ids: string[] = [];
    for (const nano of sums) {
      const id = await newAccount('plain', '2026-01-01T00:00:00Z');
      await use(id, '2026-01-05T00:00:00Z', nano);
      ids.push(id);
    }
    await closeAt('2026-02-02T00:00:00Z');
    const told = await Promise.all(ids.map(async (id) => (await invoicesOf(id))[0]));
    expect(told.map((each) => amountsOf(each).slice(1))).toEqual([
      [['rounding', -4_999_999n]],
      [['rounding', 5_000_000n]],
      [['rounding', -4_999_999n]],
      [],
    ]);
    expect(told.map((each) => [each?.invoice.totalNano, each?.invoice.status])).toEqual([
      [0n, 'paid'],
      [10_000_000n, 'open'],
      [10_000_000n, 'open'],
      [10_000_000n, 'open'],
    ]);
    for (const id of ids) expect(await ledger.balances(id)).toMatchObject({ wallet: 0n });
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  it('distinguishes units, and splits a cost of several units', async () => {
    const id = await newAccount('plain', '2026-01-01T00:00:00Z');
    const at = '2026-01-05T00:00:00Z';
    const images = { capability: 'images', model: 'openai/gpt-image-1', input_tokens: 0, output_tokens: 0 };
    await use(id, at, 90n, at, { ...images, units: { media: [{ unit: 'image', quantity: 3 }] }, rates: null });
    await use(id, at, 10n, at, { ...images, units: { media: [{ unit: 'image', quantity: 0.5 }] }, rates: null });
    const searched = {
      input_tokens: 1_000,
      output_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
      rates: { input: '1', output: '1', units: [{ unit: 'search', price: '0.01' }] },
      markup_ppm: 500_000,
    } as const;
    const media = { media: [{ unit: 'search', quantity: 2 }] } as const;
    await use(id, at, 31_500_000n, at, { ...searched, units: media });
    await closeAt('2026-02-02T00:00:00Z');
    const [told] = await invoicesOf(id);
    expect(told?.lines.map(({ model, unit, quantity, amountNano }) => [model, unit, quantity, amountNano])).toEqual([
      ['openai/gpt-5.5', 'search', '2', 30_000_000n],
      ['openai/gpt-5.5', 'token', '1000', 1_500_000n],
      ['openai/gpt-image-1', 'image', '3.5', 100n],
      [null, null, null, -1_500_100n],
    ]);
  });

  it('charges the share of an upgrade within a month, and prorates both allowances', async () => {
    const id = await newAccount('pro', '2026-11-01T00:00:00Z');
    await changeAt(id, '2026-11-16T00:00:00Z', 'enterprise');
    await use(id, '2026-11-20T00:00:00Z', usd(150));
    expect(await closeAt('2027-01-02T00:00:00Z')).toBe(2);
    const [november, december] = await invoicesOf(id);
    expect(amountsOf(november)).toEqual([
      ['plan', usd(20)],
      ['proration', usd(90)],
      ['usage', usd(150)],
      // Half of each plan's allowance, because each fee was paid for half of the month.
      ['allowance', -usd(110)],
    ]);
    expect(november?.lines[1]?.description).toBe('Pro to Enterprise on 2026-11-16');
    expect(november?.lines[3]?.description).toBe('Included in Pro and Enterprise');
    expect(november?.invoice).toMatchObject({ planName: 'Enterprise', totalNano: usd(150) });
    expect(amountsOf(december)).toEqual([['plan', usd(200)]]);
  });

  it('prorates the allowance of a plan that was bought ten minutes before the end of the month', async () => {
    const id = await newAccount('pro', '2026-11-01T00:00:00Z');
    await use(id, '2026-11-20T00:00:00Z', usd(150));
    await changeAt(id, '2026-11-30T23:50:00Z', 'enterprise');
    await closeAt('2026-12-02T00:00:00Z');
    const [november] = await invoicesOf(id);
    // 10 of 43,200 minutes, of 180 USD more.
    const share = (usd(180) * 10n + 21_600n) / 43_200n;
    expect(amountsOf(november).slice(0, 4)).toEqual([
      ['plan', usd(20)],
      ['proration', share],
      ['usage', usd(150)],
      // Each share is rounded separately.
      ['allowance', -usd(20) - share + 1n],
    ]);
  });

  it('prorates the allowance of an account’s first month like its fee', async () => {
    const id = await newAccount('pro', '2026-11-16T00:00:00Z');
    await use(id, '2026-11-20T00:00:00Z', usd(150));
    await closeAt('2026-12-02T00:00:00Z');
    expect((await invoicesOf(id)).map(amountsOf)).toEqual([
      [
        ['plan', usd(10)],
        ['usage', usd(150)],
        ['allowance', -usd(10)],
      ],
    ]);
  });

  describe('a plan that is reconfigured', () => {
    it('is billed as configured at the start of the period', async () => {
      const id = await newAccount('pro', '2026-11-01T00:00:00Z');
      await use(id, '2026-11-20T00:00:00Z', usd(50));
      await use(id, '2026-12-20T00:00:00Z', usd(50));
      expect(await closeAt('2026-11-01T00:23:00Z')).toBe(0);
      plans = book('plans: { pro: { name: Prime, monthly_fee: 90, allowance: 5, period: 30_days } }');
      await closeAt('2026-12-01T00:23:00Z');
      plans = book('plans: { pro: { monthly_fee: 1, allowance: 1 } }');
      await closeAt('2027-01-01T00:23:00Z');
      const told = await invoicesOf(id);
      expect(periodsOf(told)[0]).toBe('2026-11-01T00:00:00.000Z 2026-12-01T00:00:00.000Z');
      expect(told.map(({ invoice }) => invoice.planName)).toEqual(['Pro', 'Prime']);
      expect(amountsOf(told[0])).toEqual([
        ['plan', usd(20)],
        ['usage', usd(50)],
        ['allowance', -usd(20)],
      ]);
      expect(told[1]?.lines.find(({ kind }) => kind === 'usage')?.amountNano).toBe(usd(50));
    });

    it('is charged for the period that began with it after it was removed', async () => {
      plans = book('plans: { gold: { monthly_fee: 70 } }');
      const id = await newAccount('gold', '2026-11-01T00:00:00Z');
      await closeAt('2026-11-01T00:23:00Z');
      plans = usual;
      await closeAt('2027-02-01T00:23:00Z');
      const told = await invoicesOf(id);
      expect(told.map(amountsOf)).toEqual([[['plan', usd(70)]]]);
      expect(told[0]?.lines[0]?.description).toBe('gold plan');
    });

    it('refunds what was charged on an upgrade, and bills the new plan as configured then', async () => {
      const id = await newAccount('pro', '2026-11-01T00:00:00Z');
      await closeAt('2026-11-01T00:23:00Z');
      await use(id, '2026-11-20T00:00:00Z', usd(500));
      plans = book(
        'plans: { pro: { monthly_fee: 90 }, enterprise: { offered: true, monthly_fee: 200, allowance: 200 } }',
      );
      await changeAt(id, '2026-11-16T00:00:00Z', 'enterprise');
      plans = book('plans: { enterprise: { name: Other, monthly_fee: 900, allowance: 900 } }');
      await closeAt('2026-12-01T00:23:00Z');
      const [november] = await invoicesOf(id);
      expect(amountsOf(november)).toEqual([
        ['plan', usd(20)],
        ['proration', usd(90)],
        ['usage', usd(500)],
        ['allowance', -usd(110)],
      ]);
      expect(november?.lines[1]?.description).toBe('Pro to Enterprise on 2026-11-16');
    });
  });

  describe('a deleted account', () => {
    /** As its owner does it. */
    async function deleteAt(id: string, moment: string): Promise<void> {
      const erased = new Date(Date.parse(moment) + 30 * 1_440 * MINUTE);
      await database.query('update accounts set erased_after = $2 where id = $1', [id, erased]);
      await database.query('insert into account_deletions (id, account_id, deleted_at) values ($1, $2, $3)', [
        randomUUID(),
        id,
        new Date(moment),
      ]);
    }

    async function restoreAt(id: string, moment: string): Promise<void> {
      await database.query('update accounts set erased_after = null where id = $1', [id]);
      await database.query(
        'update account_deletions set restored_at = $2 where account_id = $1 and restored_at is null',
        [id, new Date(moment)],
      );
    }

    it('is billed for usage up to the deletion and late usage up to the erasure, without later fees', async () => {
      const id = await newAccount('pro', '2026-11-01T00:00:00Z');
      await use(id, '2026-11-10T00:00:00Z', usd(30));
      await deleteAt(id, '2026-11-20T00:00:00Z');
      expect(await closeAt('2026-12-01T00:23:00Z')).toBe(1);
      await use(id, '2026-11-19T00:00:00Z', usd(2), '2026-12-05T00:00:00Z');
      expect(await closeAt('2026-12-20T00:14:00Z')).toBe(0);
      expect(await closeAt('2026-12-20T00:15:00Z')).toBe(1);
      const told = await invoicesOf(id);
      expect(periodsOf(told)[1]).toBe('2026-12-01T00:00:00.000Z 2026-12-20T00:00:00.000Z');
      expect(told.map(amountsOf)).toEqual([
        [
          ['plan', usd(20)],
          ['usage', usd(30)],
          ['allowance', -usd(20)],
        ],
        [['late_usage', usd(2)]],
      ]);
      expect(await closeAt('2027-05-01T00:00:00Z')).toBe(0);
      expect((await verifyLedger(database)).faults).toEqual([]);
    });

    it('is billed for the rest of the month after it is restored', async () => {
      const id = await newAccount('pro', '2026-11-01T00:00:00Z');
      await deleteAt(id, '2026-11-20T00:00:00Z');
      await closeAt('2026-12-01T00:23:00Z');
      await restoreAt(id, '2026-12-16T12:00:00Z');
      await use(id, '2026-12-20T00:00:00Z', usd(50));
      // Deleted for a day within the month: its fee is due anyway.
      await deleteAt(id, '2026-12-24T00:00:00Z');
      await restoreAt(id, '2026-12-25T00:00:00Z');
      await closeAt('2027-02-01T00:23:00Z');
      expect((await invoicesOf(id)).map(amountsOf)).toEqual([
        [['plan', usd(20)]],
        [
          ['plan', usd(10)],
          ['usage', usd(50)],
          ['allowance', -usd(10)],
        ],
        [['plan', usd(20)]],
      ]);
    });
  });

  it('ends the free plan’s 30 days at an upgrade, and starts monthly periods there', async () => {
    const id = await newAccount('free', '2026-11-06T12:00:00Z');
    await use(id, '2026-11-07T00:00:00Z', usd(3));
    await changeAt(id, '2026-11-21T00:00:00Z', 'pro');
    expect(await closeAt('2027-01-02T00:00:00Z')).toBe(3);
    const told = await invoicesOf(id);
    expect(periodsOf(told)).toEqual([
      '2026-11-06T12:00:00.000Z 2026-11-21T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z 2026-12-01T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z 2027-01-01T00:00:00.000Z',
    ]);
    expect(told.map(amountsOf)).toEqual([
      [
        ['usage', usd(3)],
        ['allowance', -usd(1)],
      ],
      [
        ['proration', (usd(20) + 1n) / 3n],
        ['rounding', 3_333_333n],
      ],
      [['plan', usd(20)]],
    ]);
  });

  it('applies a pending downgrade at the end of the month first', async () => {
    const id = await newAccount('enterprise', '2026-11-01T00:00:00Z');
    await changeAt(id, '2026-11-10T00:00:00Z', 'free');
    await use(id, '2026-12-10T00:00:00Z', usd(2));
    expect(await closeAt('2027-01-15T00:00:00Z')).toBe(2);
    const told = await invoicesOf(id);
    expect(periodsOf(told)).toEqual([
      '2026-11-01T00:00:00.000Z 2026-12-01T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z 2026-12-31T00:00:00.000Z',
    ]);
    expect(told.map(({ invoice }) => [invoice.planId, invoice.totalNano])).toEqual([
      ['enterprise', usd(200)],
      ['free', usd(1)],
    ]);
  });

  it.each([
    ['Europe/Berlin', '2026-03', '2026-02-28T23:00:00.000Z 2026-03-31T22:00:00.000Z'],
    ['America/New_York', '2026-11', '2026-11-01T04:00:00.000Z 2026-12-01T05:00:00.000Z'],
    ['Asia/Kathmandu', '2024-02', '2024-01-31T18:15:00.000Z 2024-02-29T18:15:00.000Z'],
    ['Pacific/Kiritimati', '2026-01', '2025-12-31T10:00:00.000Z 2026-01-31T10:00:00.000Z'],
  ])('follows the account’s time zone: %s, %s', async (timeZone, month, period) => {
    const [start = '', end = ''] = period.split(' ');
    const id = await newAccount('pro', start, timeZone);
    await use(id, start, 1n);
    await use(id, new Date(Date.parse(end) - 1).toISOString(), 2n);
    await use(id, end, 4n);
    expect(await closeAt(new Date(Date.parse(end) + 15 * MINUTE).toISOString())).toBe(1);
    const told = await invoicesOf(id);
    expect(periodsOf(told), month).toEqual([period]);
    expect(amountsOf(told[0])).toEqual([
      ['plan', usd(20)],
      ['usage', 3n],
      ['allowance', -3n],
    ]);
  });

  it.each([
    ['UTC', 'Europe/Berlin'],
    ['Europe/Berlin', 'UTC'],
    ['Pacific/Kiritimati', 'Pacific/Pago_Pago'],
    ['Pacific/Pago_Pago', 'Pacific/Kiritimati'],
  ])('bills each month once without gaps when clocks change from %s to %s', async (from, to) => {
    const begun = {
      UTC: '00:00',
      'Europe/Berlin': '23:00',
      'Pacific/Kiritimati': '10:00',
      'Pacific/Pago_Pago': '11:00',
    };
    const day = from === 'UTC' || from === 'Pacific/Pago_Pago' ? '2026-01-01' : '2025-12-31';
    const id = await newAccount(
      'pro',
      `${day}T${Object.entries(begun).find(([zone]) => zone === from)?.[1]}:00Z`,
      from,
    );
    expect(await closeAt('2026-02-05T00:00:00Z')).toBe(1);
    await database.query('update accounts set time_zone = $2 where id = $1', [id, to]);
    expect(await closeAt('2026-04-05T00:00:00Z')).toBe(2);
    const told = await invoicesOf(id);
    expect(told.map(amountsOf)).toEqual(Array.from({ length: 3 }, () => [['plan', usd(20)]]));
    for (const [index, { invoice }] of told.entries())
      expect(invoice.periodStart).toEqual(told[index - 1]?.invoice.periodEnd ?? invoice.periodStart);
  });

  it('charges an account for the rest of the month in which it was created', async () => {
    const id = await newAccount('pro', '2026-11-16T00:00:00Z');
    await closeAt('2026-12-02T00:00:00Z');
    expect((await invoicesOf(id)).map(amountsOf)).toEqual([[['plan', usd(10)]]]);
  });

  it('adds a refund beyond the amount due to the credit', async () => {
    plans = book('plans: { monthly: { monthly_fee: 30 }, fresh: { period: 30_days, monthly_fee: 30 } }');
    const id = await newAccount('monthly', '2026-11-01T00:00:00Z');
    const em = database.em();
    await em.nativeUpdate(Account, { id }, { plan: 'fresh', planSince: new Date('2026-11-11T00:00:00Z') });
    await database.query(
      `insert into plan_changes (id, account_id, from_plan, to_plan, from_fee_nano, to_fee_nano, effective_at, period_start, period_end, amount_nano)
      values ($1, $2, 'monthly', 'fresh', 0, 0, '2026-11-11T00:00:00Z', '2026-11-11T00:00:00Z', '2026-12-11T00:00:00Z', $3)`,
      [randomUUID(), id, String(-usd(50))],
    );
    clock.setNow(Date.parse('2027-01-15T00:00:00Z'));
    expect(await closing().closeDue()).toBe(3);
    expect((await invoicesOf(id)).map(amountsOf)).toEqual([
      [['plan', usd(30)]],
      [
        ['plan', usd(30)],
        ['proration', -usd(50)],
        ['credit', usd(20)],
      ],
      [
        ['plan', usd(30)],
        ['credit', -usd(20)],
      ],
    ]);
    expect(await ledger.balances(id)).toMatchObject({ wallet: 0n, fees: usd(40), receivable: -usd(40) });
  });

  it('counts top-ups less withdrawals as credit, and does not bill an overdrawn amount', async () => {
    const id = await newAccount('plain', '2026-11-01T00:00:00Z');
    const of = (reference: string, amountNano: bigint) => ({ accountId: id, reference, amountNano });
    await ledger.topUp(of('card', usd(10)));
    await ledger.withdraw(of('refunded', usd(4)));
    await use(id, '2026-11-05T00:00:00Z', usd(8));
    expect(await closeAt('2026-12-01T00:20:00Z')).toBe(1);
    await ledger.withdraw(of('disputed', usd(6)));
    await use(id, '2026-12-05T00:00:00Z', usd(3));
    expect(await closeAt('2027-01-01T00:20:00Z')).toBe(1);
    expect((await invoicesOf(id)).map(amountsOf)).toEqual([
      [
        ['usage', usd(8)],
        ['credit', -usd(6)],
      ],
      [['usage', usd(3)]],
    ]);
    expect(await ledger.balances(id)).toMatchObject({ wallet: -usd(6), receivable: -usd(5), cash: 0n });
    await ledger.topUp(of('card again', usd(6)));
    expect((await ledger.balances(id)).wallet).toBe(0n);
  });

  describe('an issued invoice', () => {
    async function oneOpen(): Promise<{ id: string; number: string }> {
      const id = await newAccount('pro', '2026-11-01T00:00:00Z');
      await closeAt('2026-12-02T00:00:00Z');
      return { id, number: (await invoicesOf(id))[0]?.invoice.number ?? '' };
    }

    it('is paid once', async () => {
      const { id, number } = await oneOpen();
      await Promise.all([invoices.pay(number, 'wire 17'), invoices.pay(number, 'wire 17')]);
      await invoices.pay(number.toLowerCase(), 'wire 18');
      expect(await invoices.byNumber(number, id)).toMatchObject({
        invoice: { status: 'paid', paymentReference: 'wire 17', paidAt: expect.any(Date) },
      });
      expect(await ledger.balances(id)).toMatchObject({ wallet: 0n, receivable: 0n, cash: -usd(20) });
      await expect(invoices.void(number, false)).rejects.toMatchObject({ code: 'invoice_not_open' });
    });

    it('is voided, and owed by the wallet unless it is forgiven', async () => {
      const [owed, forgiven] = [await oneOpen(), await oneOpen()];
      await invoices.void(owed.number, false);
      await invoices.void(owed.number, false);
      await invoices.void(forgiven.number, true);
      expect(await ledger.balances(owed.id)).toMatchObject({ wallet: -usd(20), receivable: 0n });
      expect(await ledger.balances(forgiven.id)).toMatchObject({ wallet: 0n, receivable: 0n, grants: -usd(20) });
      await expect(invoices.pay(owed.number, null)).rejects.toMatchObject({ code: 'invoice_not_open' });
    });

    it('is not found for another account', async () => {
      const { number } = await oneOpen();
      await expect(invoices.byNumber(number, randomUUID())).rejects.toMatchObject({ code: 'not_found' });
      await expect(invoices.pay('NONE-0001', null)).rejects.toMatchObject({ code: 'not_found' });
    });
  });
});
