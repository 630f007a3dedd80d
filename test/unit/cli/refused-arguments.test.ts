import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { exportCommand } from '../../../src/cli/export.command.ts';
import { invoicesCommand } from '../../../src/cli/invoices.command.ts';
import { keysCommand } from '../../../src/cli/keys.command.ts';
import { ledgerCommand } from '../../../src/cli/ledger.command.ts';
import { noDatabase, runCommand } from '../../harness/run-command.ts';

const commands = { export: exportCommand, invoices: invoicesCommand, keys: keysCommand, ledger: ledgerCommand };
const id = randomUUID();

const run = (name: keyof typeof commands, ...args: readonly string[]) =>
  runCommand(name, commands[name], noDatabase, args);

describe('sluice keys', () => {
  it.each([
    [['create', 'k', '--scope', 'all'], /^A scope is/],
    [['create', 'k', '--expires', 'soon'], /^--expires takes/],
    [['create', 'k', '--concurrency', 'many'], /^--concurrency takes a whole number/],
    [['create', 'k', '--model-limit', 'sandbox/chat'], /^--model-limit takes a name and its limits/],
    [['create', 'k', '--model-limit', 'concurrency=1'], /^--model-limit takes a name and its limits/],
    [['create', 'k', '--model-limit', 'a,concurrency=1,concurrency=2'], /^--model-limit takes a name and its limits/],
    [['create', 'k', '--capability-limit', 'chat,concurrency=many'], /^--concurrency takes a whole number/],
    [['rotate', id, '--overlap', 'long'], /^A time span is/],
    [['list', 'something'], /^Usage/],
    [['turn', id], /^Usage/],
    [['create', 'k', '--scope'], /^sluice keys: Option '--scope <value>'/],
    [
      ['list', '--bogus'],
      /^sluice keys: Unknown option '--bogus'\. `sluice keys --help` tells which options there are\.\n$/,
    ],
  ])('refuses %j', async (args, told) => {
    expect(await run('keys', ...args)).toEqual({ code: 2, out: '', err: expect.stringMatching(told) });
  });
});

describe('sluice ledger', () => {
  it.each([
    [[], 'Usage:'],
    [['mend'], 'Usage:'],
    [['grant', '--account', id], 'Name what to book: sluice ledger grant 12.50'],
    [['grant', '5', '--account', 'First'], 'An account’s id is a UUID.'],
    [['grant', '0', '--account', id], 'An amount is USD above zero'],
    [['grant', '1.0000000001', '--account', id], 'An amount is USD above zero'],
    [['grant', '1e3', '--account', id], 'An amount is USD above zero'],
    [['grant', '$5', '--account', id], 'An amount is USD above zero'],
    [['grant', '-5', '--account', id], 'Unknown option'],
    [['grant', '5', '6', '--account', id], 'Usage:'],
    [['grant', '5', '--account', id, '--reference', ' '], '--reference takes a line'],
    [['grant', '5', '--account', id, '--note', 'two\nlines'], '--note takes a line'],
    [['grant', '5', '--account', id, '--reference', 'invoice:x:payment'], 'are those of invoices'],
    [['grant', '5', '--account', id, '--reference', 'stripe:x'], 'and of Stripe'],
    [['grant', '5', '--account', id, '--limit', '3'], '--limit belongs to list'],
    [['list', '--limit', '0'], '--limit takes a whole number'],
    [['list', '--note', 'x'], '--reference and --note belong to grant, top-up, refund, withdraw.'],
    [['list', id], 'Usage:'],
    [['check', '--account', id], 'check reads the ledger of all accounts.'],
  ])('refuses %j', async (args, told) => {
    expect(await run('ledger', ...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(told) });
  });

  it.each(['grant', 'top-up', 'refund', 'withdraw', 'list'])('explains %s', async (action) => {
    const explained = await run('ledger', action, '--help');
    expect(explained).toEqual({ code: 0, out: expect.stringContaining(`sluice ledger ${action}`), err: '' });
  });
});

describe('sluice export', () => {
  it.each([
    [[], 'Usage:'],
    [['invoices'], 'Usage:'],
    [['usage', '--format', 'xlsx'], 'A format is csv, jsonl, parquet.'],
    [['audit', '--format', 'parquet'], 'A format is csv, jsonl.'],
    [['account', '--from', '2026-11-01'], 'An account is exported whole'],
    [['usage', '--from', 'monday'], 'A time is a day or a moment'],
    [['usage', '--account', "x' or true"], 'An account’s id is a UUID.'],
  ])('refuses %j', async (args, told) => {
    expect(await run('export', ...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(told) });
  });

  it('explains itself', async () => {
    expect(await run('export', '--help')).toEqual({
      code: 0,
      out: expect.stringContaining('sluice export usage'),
      err: '',
    });
  });
});

describe('sluice invoices', () => {
  it.each([[['pay']], [['list', '--status', 'lost']]])('refuses %j', async (args) => {
    expect(await run('invoices', ...args)).toMatchObject({ code: 2, out: '' });
  });
});
