import { parseArgs } from 'node:util';
import { formatUsd } from '../catalogue/prices/price.ts';
import { invoiceStatuses, type Invoice, type InvoiceLine } from '../database/entities/index.ts';
import { InvoicesService } from '../services/billing/invoices/invoices.service.ts';
import { Ledger } from '../services/billing/ledger.ts';
import { isUuid } from '../services/uuid.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice invoices list [--account <id>] [--status open|paid|void]
  sluice invoices show <number>
  sluice invoices pay <number> [--reference <text>]
  sluice invoices void <number> [--forgive]

The server issues an invoice when the billing period of an account ends. \`pay\` records a payment; --reference describes it.
\`void\` cancels the invoice and charges the amount to the balance of the account, to be settled by later top-ups; with
--forgive the amount is written off. Repeating a command has no effect.
`;

type Work = (invoices: InvoicesService) => Promise<string>;

/** @returns the exit code */
export async function invoicesCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean' },
      account: { type: 'string' },
      status: { type: 'string' },
      reference: { type: 'string' },
      forgive: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const { account, reference, forgive } = values;
  const [action = '', number, ...more] = positionals;
  const status = invoiceStatuses.find((each) => each === values.status);
  if (values.status !== undefined && status === undefined) return refuse('--status must be one of open, paid, void.\n');
  if (account !== undefined && !isUuid(account)) return refuse('--account must be a UUID.\n');
  const one: Readonly<Record<string, (wanted: string) => Work>> = {
    show: (wanted) => (invoices) => show(invoices, wanted),
    pay: (wanted) => async (invoices) => {
      await invoices.pay(wanted, reference ?? null);
      return show(invoices, wanted);
    },
    void: (wanted) => async (invoices) => {
      await invoices.void(wanted, forgive);
      return show(invoices, wanted);
    },
  };
  if (more.length > 0) return refuse(usage);
  const made = Object.hasOwn(one, action) ? one[action] : undefined;
  if (made !== undefined && number !== undefined) return run(made(number));
  if (action !== 'list' || number !== undefined) return refuse(usage);
  return run(async (invoices) => listing(await invoices.list({ accountId: account, status })));
}

function run(work: Work): Promise<number> {
  return withDatabase(async (database) => {
    await database.migrate();
    process.stdout.write(await work(new InvoicesService(database, new Ledger(database))));
    return 0;
  });
}

function listing(invoices: readonly Invoice[]): string {
  if (invoices.length === 0) return 'No invoices.\n';
  return invoices.map((invoice) => `${summary(invoice)}\n`).join('');
}

function summary({ number, status, periodStart, periodEnd, totalNano, accountId, accountName }: Invoice): string {
  const period = `${periodStart.toISOString()} to ${periodEnd.toISOString()}`;
  const amount = `${formatUsd(totalNano)} USD`.padStart(18);
  return `${number}  ${status.padEnd(4)}  ${amount}  ${period}  ${accountId}  ${JSON.stringify(accountName)}`;
}

async function show(invoices: InvoicesService, number: string): Promise<string> {
  const { invoice, lines } = await invoices.byNumber(number);
  const { paidAt, paymentReference, planName, timeZone, dueAt, collectedAt } = invoice;
  const paid = paidAt === null ? '' : `paid ${paidAt.toISOString()} ${JSON.stringify(paymentReference ?? '')}\n`;
  const collected =
    collectedAt === null
      ? ''
      : `sent to the payment provider ${collectedAt.toISOString()}: if you record a payment here, cancel the collection there\n`;
  const head = `plan ${JSON.stringify(planName)}, time zone ${timeZone}, due ${dueAt.toISOString()}\n${paid}${collected}`;
  return `${summary(invoice)}\n${head}${lines.map((line) => `${lineText(line)}\n`).join('')}`;
}

function lineText({ kind, description, quantity, unit, amountNano }: InvoiceLine): string {
  const counted = quantity === null ? '' : `${quantity} ${unit ?? ''}`;
  return `  ${kind.padEnd(11)}${formatUsd(amountNano).padStart(18)} USD  ${JSON.stringify(description)}  ${counted}`.trimEnd();
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}
