import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/database.ts';
import { Account } from '../../../src/database/entities/index.ts';
import { temporaryDataDir } from '../../harness/databases.ts';

const sluice = fileURLToPath(new URL('../../../dist/cli/sluice.js', import.meta.url));
const [first, second] = [randomUUID(), randomUUID()];
let place: Awaited<ReturnType<typeof temporaryDataDir>>;

beforeAll(async () => {
  place = await temporaryDataDir();
  const database = await openDatabase(place.options);
  const em = database.em();
  em.persist(em.create(Account, { id: first, name: 'First', createdAt: new Date(0) }));
  em.persist(em.create(Account, { id: second, name: 'Second' }));
  await em.flush();
  await database.close();
});
afterAll(() => place.remove());

async function run(...args: string[]) {
  const child = spawn(process.execPath, [sluice, 'ledger', ...args], {
    cwd: place.options.dataDir,
    env: { PATH: process.env.PATH, SLUICE_DATA_DIR: place.options.dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: Number(code), out, err };
}

describe('sluice ledger', () => {
  it('books each kind of money, and lists it', async () => {
    const of = (...args: string[]) => run(...args, '--account', second);
    expect(await of('top-up', '250', '--reference', 'wire 17', '--note', 'of 3 December')).toEqual({
      code: 0,
      out: 'Booked: top-up of 250 USD, reference "wire 17".\nThe balance of "Second" is 250 USD.\n',
      err: '',
    });
    expect((await of('grant', '0.000000001')).out).toMatch(
      /^Booked: grant of 0\.000000001 USD, reference "by-hand:[0-9a-f-]{36}"\.\nThe balance of "Second" is 250\.000000001 USD\.\n$/,
    );
    expect((await of('refund', '1.5', '--reference=sorry')).out).toContain('is 251.500000001 USD.');
    expect((await of('withdraw', '300', '--reference', 'back')).out).toContain('is -48.499999999 USD.');
    const { out } = await of('list');
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^WHEN +KIND +USD +BALANCE +REFERENCE +NOTE$/);
    expect(lines.at(-1)).toBe(`The balance is -48.499999999 USD, of account ${second}.`);
    expect(lines.slice(1, -1).map((line) => line.slice(24).trim().split(/ {2,}/))).toEqual([
      ['withdrawal', '300', '-300', 'back'],
      ['refund', '1.5', '+1.5', 'sorry'],
      ['grant', '0.000000001', '+0.000000001', expect.stringMatching(/^by-hand:/)],
      ['top_up', '250', '+250', 'wire 17', '"of 3 December"'],
    ]);
    expect((await of('list', '--limit', '1')).out.trimEnd().split('\n')).toHaveLength(3);
    expect(await run('list', '--account', first)).toEqual({
      code: 0,
      out: `Nothing is booked but usage.\nThe balance is 0 USD, of account ${first}.\n`,
      err: '',
    });
    expect((await run('check')).code).toBe(0);
    const database = await openDatabase(place.options);
    const told = await database.query(
      "select actor_kind, account_id from audit_entries where action = 'account.money_booked'",
    );
    await database.close();
    expect(told).toEqual(Array.from({ length: 4 }, () => ({ actor_kind: 'cli', account_id: second })));
  });

  it('books a reference once, and says so', async () => {
    const book = (...args: string[]) => run(...args, '--account', first, '--reference', 'welcome');
    await book('grant', '5');
    const again = await book('grant', '5.00');
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Booked already, \d{4}-.+Nothing was changed/),
    });
    expect(again.out).toContain('The balance of "First" is 5 USD.');
    for (const other of [
      ['grant', '6'],
      ['top-up', '5'],
    ]) {
      const { code, err } = await book(...other);
      expect(code).toBe(2);
      expect(err).toMatch(/^The reference "welcome" is that of a grant of 5 USD, booked .+: choose another reference/);
    }
  });

  it('knows whose money it is', async () => {
    const nobody = await run('grant', '5', '--account', randomUUID());
    expect(nobody).toMatchObject({ code: 1, out: '', err: expect.stringContaining('account') });
  });

  it.each([
    [['grant', '--account', first], 'Name what to book: sluice ledger grant 12.50'],
    [['grant', '5'], `Name whose money it is, --account <id>:\n  ${first}  "First"\n  ${second}  "Second"\n`],
    [['list'], 'There are several accounts.'],
    [['grant', '5', '--account', 'First'], 'An account’s id is a UUID.'],
    [['grant', '0', '--account', first], 'An amount is USD above zero'],
    [['grant', '1.0000000001', '--account', first], 'An amount is USD above zero'],
    [['grant', '1e3', '--account', first], 'An amount is USD above zero'],
    [['grant', '$5', '--account', first], 'An amount is USD above zero'],
    [['grant', '-5', '--account', first], 'Unknown option'],
    [['grant', '5', '6', '--account', first], 'Usage:'],
    [['grant', '5', '--account', first, '--reference', ' '], '--reference takes a line'],
    [['grant', '5', '--account', first, '--note', 'two\nlines'], '--note takes a line'],
    [['grant', '5', '--account', first, '--reference', 'invoice:x:payment'], 'are those of invoices'],
    [['grant', '5', '--account', first, '--reference', 'stripe:x'], 'and of Stripe'],
    [['grant', '5', '--account', first, '--limit', '3'], '--limit belongs to list'],
    [['list', '--limit', '0'], '--limit takes a whole number'],
    [['list', '--note', 'x'], '--reference and --note belong to grant, top-up, refund, withdraw.'],
    [['list', first], 'Usage:'],
    [['check', '--account', first], 'check reads the ledger of all accounts.'],
  ])('refuses %j', async (args, told) => {
    const { code, err } = await run(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(told)]);
  });

  it.each(['grant', 'top-up', 'refund', 'withdraw', 'list'])('explains %s', async (action) => {
    expect(await run(action, '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining(`sluice ledger ${action}`),
    });
  });
});
