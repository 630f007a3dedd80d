import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { InvoicesService } from '../../../src/services/billing/invoices/invoices.service.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { UpcomingInvoices } from '../../../src/services/billing/invoices/upcoming-invoice.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const plans = readPlans(parseConfig('sluice.yaml', '', {}));
const usd = (dollars: number): bigint => BigInt(dollars) * 1_000_000_000n;

describeWithDatabase('the upcoming invoice', (databases) => {
  let database: Database;
  let ledger: Ledger;

  beforeAll(async () => {
    database = await databases.open();
    ledger = new Ledger(database);
  });

  it('equals the invoice until its period is closed, then previews the next one', async () => {
    const begun = new Date('2026-11-01T00:00:00Z');
    const em = database.em();
    const account = em.create(Account, { name: 'A', plan: 'pro', planSince: begun, createdAt: begun, timeZone: 'UTC' });
    await em.persist(account).flush();
    const { id } = account;
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const use = async (began_at: string, nano: bigint): Promise<void> => {
      const record = usageRecord({ account_id: id, began_at, cost_nano: String(nano), units: null });
      await store.store(rowsJson([record]));
      await database.query('update usage_logs set settled_at = $2 where event_id = $1', [record.event_id, began_at]);
    };
    const upcoming = new UpcomingInvoices({
      database,
      plans: () => plans,
      clock: new FakeClock(Date.parse('2026-12-02T00:00:00Z')),
    });
    await ledger.topUp({ accountId: id, amountNano: usd(7), reference: 'card' });
    expect(await upcoming.of(id)).toMatchObject({ totalNano: usd(13), planName: 'Pro' });
    await use('2026-11-05T10:00:00Z', usd(21) + 4n);
    await use('2026-12-01T10:00:00Z', usd(1));
    const told = await upcoming.of(id);
    expect(told).toMatchObject({
      periodStart: begun,
      periodEnd: new Date('2026-12-01T00:00:00Z'),
      totalNano: usd(14),
    });
    const forecast = await upcoming.all(id);
    expect(forecast[0]).toEqual(told);
    const clock = new FakeClock(Date.parse('2026-12-02T00:00:00Z'));
    const applyDue = async (): Promise<void> => undefined;
    await new InvoiceClosing({ database, ledger, plans: () => plans, applyDue, clock }).closeDue();
    const invoices = new InvoicesService(database, ledger);
    const { rows } = await invoices.page(id, 10, null);
    const made = await invoices.linesOf(rows.map((row) => row.id));
    const plain = (lines: readonly { kind: string; description: string; amountNano: bigint }[]) =>
      lines.map(({ kind, description, amountNano }) => [kind, description, amountNano]);
    expect(plain(told.lines)).toEqual(plain(made));
    expect(rows[0]?.totalNano).toBe(told.totalNano);
    const next = await upcoming.of(id);
    expect(plain(next.lines)).toEqual([
      ['plan', 'Pro plan', usd(20)],
      ['usage', expect.any(String), usd(1)],
      ['allowance', 'Included in Pro', -usd(1)],
    ]);
    expect(forecast).toEqual([told, next]);
    // A preview posts nothing.
    expect((await ledger.balances(id)).wallet).toBe(-usd(1));
  });

  it('applies credit once across periods', async () => {
    const begun = new Date('2026-11-01T00:00:00Z');
    const em = database.em();
    const account = em.create(Account, { name: 'C', plan: 'pro', planSince: begun, createdAt: begun, timeZone: 'UTC' });
    await em.persist(account).flush();
    await ledger.topUp({ accountId: account.id, amountNano: usd(30), reference: 'card' });
    const clock = new FakeClock(Date.parse('2026-12-02T00:00:00Z'));
    const upcoming = new UpcomingInvoices({ database, plans: () => plans, clock });
    const forecast = await upcoming.all(account.id);
    expect(forecast.map(({ totalNano }) => totalNano)).toEqual([0n, usd(10)]);
    const applyDue = async (): Promise<void> => undefined;
    await new InvoiceClosing({ database, ledger, plans: () => plans, applyDue, clock }).closeDue();
    expect(await upcoming.all(account.id)).toEqual(forecast.slice(1));
  });

  it('uses the new plan after a change that ends a period without an amount', async () => {
    const [began, changed] = [new Date('2026-11-10T00:00:00Z'), new Date('2026-11-16T00:00:00Z')];
    const em = database.em();
    const account = em.create(Account, {
      name: 'B',
      plan: 'pro',
      planSince: changed,
      createdAt: began,
      timeZone: 'UTC',
    });
    await em.persist(account).flush();
    const amountNano = usd(10);
    await database.query(
      `insert into plan_changes (id, account_id, from_plan, to_plan, from_fee_nano, to_fee_nano, effective_at, period_start, period_end, amount_nano)
      values ($1, $2, 'free', 'pro', 0, $3, $4, $4, '2026-12-01T00:00:00Z', $5)`,
      [randomUUID(), account.id, String(usd(20)), changed, String(amountNano)],
    );
    const clock = new FakeClock(changed.getTime() + 60_000);
    const upcoming = new UpcomingInvoices({ database, plans: () => plans, clock });
    expect(await upcoming.of(account.id)).toMatchObject({
      periodStart: changed,
      periodEnd: new Date('2026-12-01T00:00:00Z'),
      planName: 'Pro',
      lines: [{ kind: 'proration', amountNano }],
      totalNano: amountNano,
    });
  });

  it('is not found for an unknown account', async () => {
    const upcoming = new UpcomingInvoices({
      database,
      plans: () => plans,
      clock: new FakeClock(Date.parse('2026-12-02T00:00:00Z')),
    });
    await expect(upcoming.of(randomUUID())).rejects.toMatchObject({ code: 'not_found' });
  });
});
