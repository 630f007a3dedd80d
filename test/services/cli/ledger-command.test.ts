import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { ledgerCommand } from '../../../src/cli/ledger.command.ts';
import { openDatabase, type Database, type OpenDatabaseOptions } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { runCommand } from '../../harness/run-command.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

const [first, second] = [randomUUID(), randomUUID()];

describeWithDatabase('sluice ledger', (databases) => {
  let place: OpenDatabaseOptions;

  beforeAll(async () => {
    place = await databases.place();
    await withDatabase(async (database) => {
      const em = database.em();
      em.persist(em.create(Account, { id: first, name: 'First', createdAt: new Date(0) }));
      em.persist(em.create(Account, { id: second, name: 'Second' }));
      await em.flush();
    });
  });

  async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const database = await openDatabase(place);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  }

  const run = (...args: readonly string[]) => runCommand('ledger', ledgerCommand, place, args);

  it('records and lists postings of each kind', async () => {
    const of = (...args: string[]) => run(...args, '--account', second);
    expect(await of('top-up', '250', '--reference', 'wire 17', '--note', 'of 3 December')).toEqual({
      code: 0,
      out: 'Recorded: top-up of 250 USD, reference "wire 17".\nThe balance of "Second" is 250 USD.\n',
      err: '',
    });
    expect((await of('grant', '0.000000001')).out).toMatch(
      /^Recorded: grant of 0\.000000001 USD, reference "by-hand:[0-9a-f-]{36}"\.\nThe balance of "Second" is 250\.000000001 USD\.\n$/,
    );
    expect((await of('refund', '1.5', '--reference=sorry')).out).toContain('is 251.500000001 USD.');
    expect((await of('withdraw', '300', '--reference', 'back')).out).toContain('is -48.499999999 USD.');
    const { out } = await of('list');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^WHEN +KIND +USD +BALANCE +REFERENCE +NOTE$/);
    expect(lines.at(-1)).toBe(`The balance of account ${second} is -48.499999999 USD.`);
    expect(lines.slice(1, -1).map((line) => line.slice(24).trim().split(/ {2,}/))).toEqual([
      ['withdrawal', '300', '-300', 'back'],
      ['refund', '1.5', '+1.5', 'sorry'],
      ['grant', '0.000000001', '+0.000000001', expect.stringMatching(/^by-hand:/)],
      ['top_up', '250', '+250', 'wire 17', '"of 3 December"'],
    ]);
    expect((await of('list', '--limit', '1')).out.trimEnd().split('\n')).toHaveLength(3);
    expect(await run('list', '--account', first)).toEqual({
      code: 0,
      out: `There are no postings except usage.\nThe balance of account ${first} is 0 USD.\n`,
      err: '',
    });
    expect((await run('check')).code).toBe(0);
    await withDatabase(async (database) => {
      const entries = await database.query(
        "select actor_kind, account_id from audit_entries where action = 'account.money_booked'",
      );
      expect(entries).toEqual(Array.from({ length: 4 }, () => ({ actor_kind: 'cli', account_id: second })));
    });
  });

  it('records a reference once, and reports a repeated one', async () => {
    const book = (...args: string[]) => run(...args, '--account', first, '--reference', 'welcome');
    await book('grant', '5');
    const again = await book('grant', '5.00');
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Already recorded at \d{4}-.+Nothing was changed/),
    });
    expect(again.out).toContain('The balance of "First" is 5 USD.');
    for (const other of [
      ['grant', '6'],
      ['top-up', '5'],
    ]) {
      const { code, err } = await book(...other);
      expect(code).toBe(2);
      expect(err).toMatch(
        /^The reference "welcome" belongs to a grant of 5 USD, recorded at .+ Choose another reference/,
      );
    }
  });

  it('refuses an unknown account', async () => {
    const nobody = await run('grant', '5', '--account', randomUUID());
    expect(nobody).toMatchObject({ code: 1, out: '', err: expect.stringContaining('account') });
  });

  it.each([
    [['grant', '5'], `Specify one with --account <id>:\n  ${first}  "First"\n  ${second}  "Second"\n`],
    [['list'], 'There are several accounts.'],
  ])('refuses %j without an account if there are several', async (args, message) => {
    expect(await run(...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it('reports a consistent ledger, and each mismatch of an inconsistent one', async () => {
    await withDatabase(async (database) => {
      const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
      const of = (account_id: string) => usageRecord({ account_id, cost_nano: '1500000001' });
      await store.store(rowsJson([of(first), of(first), of(second)]));
    });
    expect(await run('check')).toEqual({
      code: 0,
      out: expect.stringMatching(
        /^The ledger is consistent: \d+ postings sum to zero, and the usage of 2 accounts costs 4\.500000003 USD in ledger, roll-ups and log\.\n$/,
      ),
      err: '',
    });
    await withDatabase(async (database) => {
      await database.query('update ledger_balances set amount_nano = amount_nano + 1 where account_id = $1', [first]);
    });
    const { code, out } = await run('check');
    expect(code).toBe(1);
    expect(out).toContain(`MISMATCH: a balance is the sum of its entries: account ${first}: `);
  });
});
