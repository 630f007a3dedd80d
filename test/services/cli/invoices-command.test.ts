import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { invoicesCommand } from '../../../src/cli/invoices.command.ts';
import { ledgerCommand } from '../../../src/cli/ledger.command.ts';
import { parseConfig } from '../../../src/config/config-file.ts';
import { openDatabase, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { InvoiceClosing } from '../../../src/services/billing/invoices/invoice-closing.ts';
import { Ledger } from '../../../src/services/billing/ledger.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { runCommand } from '../../harness/run-command.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const plans = readPlans(parseConfig('sluice.yaml', 'plans: { enterprise: { monthly_fee: 200, allowance: 200 } }', {}));

describeWithDatabase('sluice invoices', (databases) => {
  let place: OpenDatabaseOptions;
  let numbers: string[];

  /** An account that was created two full months ago, with an invoice for each. */
  beforeAll(async () => {
    place = await databases.place();
    const database = await openDatabase(place);
    const now = new Date();
    const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
    const began = new Date(Date.UTC(year, month - 2));
    // An hour after a month its invoice is due; the current month's is not.
    const closedAt = Math.min(now.getTime() + 3_600_000, Date.UTC(year, month + 1) - 1);
    const id = randomUUID();
    const em = database.em();
    em.persist(em.create(Account, { id, name: 'First', plan: 'enterprise', createdAt: began, planSince: began }));
    await em.flush();
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const began_at = new Date(began.getTime() + 86_400_000).toISOString();
    await store.store(rowsJson([usageRecord({ account_id: id, began_at, cost_nano: '250000000001', units: null })]));
    await database.query("update usage_logs set settled_at = now() - interval '1 hour'");
    const closing = new InvoiceClosing({
      database,
      ledger: new Ledger(database),
      plans: () => plans,
      applyDue: async () => undefined,
      clock: new FakeClock(closedAt),
    });
    expect(await closing.closeDue()).toBe(2);
    const rows = await database.query<{ number: string }>('select number from invoices order by number');
    numbers = rows.map(({ number }) => number);
    await database.close();
  });

  const run = (...args: readonly string[]) => runCommand('invoices', invoicesCommand, place, args);

  it('lists, pays and voids invoices', async () => {
    const [first = '', second = ''] = numbers;
    expect((await run('list', '--status', 'open')).out.trimEnd().split('\n')).toHaveLength(2);
    expect((await run('pay', first, '--reference', 'wire 17')).out).toContain('"wire 17"');
    expect((await run('void', second, '--forgive')).out).toContain(`${second}  void`);
    expect((await run('show', first)).out).toContain('250.000000001 USD  "sandbox/chat, chat"  46 token');
    expect(await run('list', '--status', 'open')).toEqual({ code: 0, out: 'No invoices.\n', err: '' });
    expect((await run('list', '--status', 'paid')).out).toContain(first);
    expect(await run('void', first)).toMatchObject({ code: 1, err: expect.stringContaining('is paid') });
    const check = await runCommand('ledger', ledgerCommand, place, ['check']);
    expect(check.out).toContain('The ledger is consistent');
    expect((await runCommand('ledger', ledgerCommand, place, ['list'])).out).toMatch(
      /The balance of account \S+ is 0 USD/,
    );
  });
});
