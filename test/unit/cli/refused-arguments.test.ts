import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { exportCommand } from '../../../src/cli/export.command.ts';
import { invoicesCommand } from '../../../src/cli/invoices.command.ts';
import { journalCommand } from '../../../src/cli/journal/journal.command.ts';
import { keysCommand } from '../../../src/cli/keys.command.ts';
import { ledgerCommand } from '../../../src/cli/ledger.command.ts';
import { noDatabase, runCommand } from '../../harness/run-command.ts';

const commands = {
  export: exportCommand,
  invoices: invoicesCommand,
  journal: journalCommand,
  keys: keysCommand,
  ledger: ledgerCommand,
};
const id = randomUUID();

const run = (name: keyof typeof commands, ...args: readonly string[]) =>
  runCommand(name, commands[name], noDatabase, args);

describe('sluice keys', () => {
  it.each([
    [['create', 'k', '--scope', 'all'], /^--scope must be one of/],
    [['create', 'k', '--expires', 'soon'], /^--expires must be/],
    [['create', 'k', '--concurrency', 'many'], /^--concurrency must be an integer/],
    [['create', 'k', '--model-limit', 'sandbox/chat'], /^--model-limit must be a name and its limits/],
    [['create', 'k', '--model-limit', 'concurrency=1'], /^--model-limit must be a name and its limits/],
    [['create', 'k', '--model-limit', 'a,concurrency=1,concurrency=2'], /^--model-limit must be a name and its limits/],
    [['create', 'k', '--capability-limit', 'chat,concurrency=many'], /^--concurrency must be an integer/],
    [['rotate', id, '--overlap', 'long'], /^A duration is/],
    [['list', 'something'], /^Usage/],
    [['turn', id], /^Usage/],
    [['create', 'k', '--scope'], /^sluice keys: Option '--scope <value>'/],
    [['list', '--bogus'], /^sluice keys: Unknown option '--bogus'\. `sluice keys --help` lists the options\.\n$/],
  ])('refuses %j', async (args, message) => {
    expect(await run('keys', ...args)).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
  });
});

describe('sluice journal', () => {
  it.each([
    [[], 'Usage:'],
    [['store', '/tmp'], 'Usage:'],
    [['adopt', '/tmp', '/var'], 'Usage:'],
    [['adopt'], 'Specify the data folder: sluice journal adopt <folder>.'],
    [['adopt', '/proc/no-folder'], '/proc/no-folder is not a folder.'],
    [['adopt', '/proc/self/cmdline'], '/proc/self/cmdline is not a folder.'],
    [['adopt', '/bin'], '/bin has no journal: it is not the data folder of an instance.'],
    [['adopt', '/bin', '--wait', 'long'], '--wait must be a number of seconds'],
    [['adopt', '/bin', '--wait', '1e9'], '--wait must be a number of seconds'],
    [['adopt', '/bin', '--force'], "Unknown option '--force'"],
  ])('refuses %j', async (args, message) => {
    expect(await run('journal', ...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });
});

describe('sluice ledger', () => {
  it.each([
    [[], 'Usage:'],
    [['mend'], 'Usage:'],
    [['grant', '--account', id], 'Specify the amount: sluice ledger grant 12.50'],
    [['grant', '5', '--account', 'First'], '--account must be a UUID.'],
    [['grant', '0', '--account', id], 'An amount must be USD above zero'],
    [['grant', '1.0000000001', '--account', id], 'An amount must be USD above zero'],
    [['grant', '1e3', '--account', id], 'An amount must be USD above zero'],
    [['grant', '$5', '--account', id], 'An amount must be USD above zero'],
    [['grant', '-5', '--account', id], 'Unknown option'],
    [['grant', '5', '6', '--account', id], 'Usage:'],
    [['grant', '5', '--account', id, '--reference', ' '], '--reference must be one line'],
    [['grant', '5', '--account', id, '--note', 'two\nlines'], '--note must be one line'],
    [['grant', '5', '--account', id, '--reference', 'invoice:x:payment'], 'are reserved for invoices'],
    [['grant', '5', '--account', id, '--reference', 'stripe:x'], 'and Stripe'],
    [['grant', '5', '--account', id, '--limit', '3'], '--limit is only supported by list'],
    [['list', '--limit', '0'], '--limit must be an integer'],
    [['list', '--note', 'x'], '--reference and --note are only supported by grant, top-up, refund, withdraw.'],
    [['list', id], 'Usage:'],
    [['check', '--account', id], 'check verifies the ledger of all accounts.'],
  ])('refuses %j', async (args, message) => {
    expect(await run('ledger', ...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it.each(['grant', 'top-up', 'refund', 'withdraw', 'list'])('prints help for %s', async (action) => {
    const help = await run('ledger', action, '--help');
    expect(help).toEqual({ code: 0, out: expect.stringContaining(`sluice ledger ${action}`), err: '' });
  });
});

describe('sluice export', () => {
  it.each([
    [[], 'Usage:'],
    [['invoices'], 'Usage:'],
    [['usage', '--format', 'xlsx'], '--format must be one of csv, jsonl, parquet.'],
    [['audit', '--format', 'parquet'], '--format must be one of csv, jsonl.'],
    [['account', '--from', '2026-11-01'], 'An account export is always complete'],
    [['usage', '--from', 'monday'], '--from and --to must be a date or a timestamp'],
    [['usage', '--account', "x' or true"], '--account must be a UUID.'],
  ])('refuses %j', async (args, message) => {
    expect(await run('export', ...args)).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  });

  it('prints its help', async () => {
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
