import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Ledger, type CallersPosting, type NewPosting, type Posted } from '../../../src/services/billing/ledger.ts';
import { verifyLedger } from '../../../src/services/billing/ledger-check.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

describeWithDatabase('the ledger', (databases) => {
  let database: Database;
  let ledger: Ledger;

  beforeAll(async () => {
    database = await databases.open();
    ledger = new Ledger(database);
  });

  function post(kind: CallersPosting, posting: NewPosting): Promise<Posted> {
    const methods: Record<CallersPosting, () => Promise<Posted>> = {
      grant: () => ledger.grant(posting),
      top_up: () => ledger.topUp(posting),
      refund: () => ledger.refund(posting),
      fee: () => ledger.fee(posting),
      fee_refund: () => ledger.feeRefund(posting),
      invoice: () => ledger.invoice(posting),
      invoice_void: () => ledger.invoiceVoid(posting),
      payment: () => ledger.payment(posting),
      withdrawal: () => ledger.withdraw(posting),
      reinstatement: () => ledger.reinstate(posting),
    };
    return methods[kind]();
  }

  test('updates wallets and receivables by postings', async () => {
    const accountId = randomUUID();
    const of = (reference: string, amountNano: bigint): NewPosting => ({ accountId, reference, amountNano });
    await ledger.grant(of('welcome', 50n));
    await ledger.topUp(of('card', 100n));
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    await store.store(rowsJson([usageRecord({ account_id: accountId, cost_nano: '400' })]));
    await ledger.refund(of('sorry', 30n));
    expect((await ledger.balances(accountId)).wallet).toBe(-220n);
    await ledger.fee(of('plan', 50n));
    await ledger.feeRefund(of('half of it', 20n));
    await ledger.invoice(of('2026-10', 1n));
    await ledger.invoiceVoid(of('2026-10 void', 1n));
    await ledger.invoice(of('2026-11', 250n));
    await ledger.payment(of('2026-11 paid', 230n));
    await ledger.withdraw(of('card refunded', 100n));
    await ledger.reinstate(of('card not refunded', 100n));
    expect(await ledger.balances(accountId)).toEqual({
      wallet: 0n,
      usage: 370n,
      fees: 30n,
      grants: -50n,
      receivable: -20n,
      cash: -330n,
    });
  });

  test('sums to zero after any postings, and agrees with its balances', async () => {
    const accounts = [randomUUID(), randomUUID()];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...accounts),
        fc.constantFrom<CallersPosting>(
          'grant',
          'top_up',
          'refund',
          'fee',
          'invoice',
          'invoice_void',
          'payment',
          'withdrawal',
          'reinstatement',
        ),
        fc.bigInt({ min: 1n, max: 2n ** 55n }),
        async (accountId, kind, amountNano) => {
          await post(kind, { accountId, amountNano, reference: randomUUID() });
          const balances = Object.values(await ledger.balances(accountId));
          expect(balances.reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
        },
      ),
      { numRuns: 20 },
    );
    expect((await verifyLedger(database)).faults).toEqual([]);
  });

  test('posts a reference once for concurrent calls', async () => {
    const posting = { accountId: randomUUID(), amountNano: 7n, reference: 'once' };
    const before = Date.now();
    const told = await Promise.all(Array.from({ length: 8 }, () => ledger.grant(posting)));
    expect(told.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(new Set(told.map(({ id, createdAt }) => `${id} ${createdAt.toISOString()}`)).size).toBe(1);
    const createdAt = told[0]?.createdAt.getTime() ?? 0;
    // The database's clock may differ by this much.
    expect(createdAt).toBeGreaterThan(before - 60_000);
    expect(createdAt).toBeLessThan(Date.now() + 60_000);
    expect((await ledger.balances(posting.accountId)).wallet).toBe(7n);
    // The same reference of another account is a different one.
    expect((await ledger.grant({ ...posting, accountId: randomUUID() })).repeated).toBe(false);
  });

  test('rejects a reference that was used for another posting', async () => {
    const posting = { accountId: randomUUID(), amountNano: 7n, reference: 'mine' };
    await ledger.grant(posting);
    const reused = { code: 'ledger_reference_reused' };
    await expect(ledger.grant({ ...posting, amountNano: 8n })).rejects.toMatchObject(reused);
    await expect(ledger.topUp(posting)).rejects.toMatchObject(reused);
    await expect(ledger.payment(posting)).rejects.toMatchObject(reused);
    expect((await ledger.balances(posting.accountId)).wallet).toBe(7n);
  });

  test.each([0n, -1n, 2n ** 63n])('refuses the amount %s', async (amountNano) => {
    await expect(ledger.grant({ accountId: randomUUID(), amountNano, reference: 'x' })).rejects.toMatchObject({
      code: 'invalid_value',
      param: 'amount',
    });
  });

  test('is rolled back with its transaction', async () => {
    const posting = { accountId: randomUUID(), amountNano: 7n, reference: 'undone' };
    const undone = database.transaction(async (client) => {
      await ledger.grant(posting, client);
      expect((await ledger.balances(posting.accountId, client)).wallet).toBe(7n);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await ledger.balances(posting.accountId)).wallet).toBe(0n);
  });

  test.each([
    ['update ledger_entries set amount_nano = 0'],
    ['delete from ledger_entries'],
    ['truncate ledger_entries'],
    ["update ledger_postings set kind = 'grant'"],
    ['delete from ledger_postings'],
    ['truncate ledger_postings'],
  ])('rejects %s', async (sql) => {
    await expect(database.query(sql)).rejects.toThrow('append-only');
  });

  test('rejects an unbalanced posting', async () => {
    const unbalanced =
      "with posted as (insert into ledger_postings (account_id, kind) values ($1, 'grant') returning id) insert into ledger_entries (posting_id, book, account_id, amount_nano) select id, 'wallet', $1, 5 from posted";
    await expect(database.query(unbalanced, [randomUUID()])).rejects.toThrow('do not sum to zero');
  });
});

describeWithDatabase('the ledger check', (databases) => {
  test.each([
    ['a balance', 'update ledger_balances set amount_nano = amount_nano + 1', 'a balance is the sum of its entries'],
    [
      'a changed roll-up',
      'update usage_rollups set cost_nano = cost_nano + 1 where span = 15 and by_key',
      'each kind of roll-up sums to what was settled',
    ],
    ['a changed row', 'update usage_logs set cost_nano = cost_nano + 1', 'the usage log of a day sums to its roll-ups'],
    ['a missing row', 'delete from usage_logs', 'the usage log of a day sums to its roll-ups'],
    [
      'a changed entry',
      'alter table ledger_entries disable trigger append_only; update ledger_entries set amount_nano = amount_nano + 1',
      'a posting has two entries, which sum to zero',
    ],
    [
      'a missing posting',
      'alter table ledger_postings disable trigger append_only; delete from ledger_postings',
      'an entry belongs to a posting of its account',
    ],
  ])('detects a discrepancy: %s', async (_what, sql, told) => {
    const database = await databases.open();
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const records = ['5', '6', '7'].map((cost_nano) => usageRecord({ cost_nano }));
    // Rows that do not count as one request: aggregated rejections, and charges billed after their request.
    const { account_id } = records[0] ?? {};
    for (const requests of [4, 0]) records.push(usageRecord({ account_id, cost_nano: '0', units: { requests } }));
    for (const record of records) await store.store(rowsJson([record]));
    const before = await verifyLedger(database);
    expect(before).toEqual({ postings: 3, accounts: 3, settledNano: 18n, faults: [] });
    for (const statement of sql.split('; ')) await database.query(statement);
    expect((await verifyLedger(database)).faults.map(({ what }) => what)).toContain(told);
  });
});
