import { formatUsd } from '../catalogue/prices/price.ts';
import type { Database } from '../database/database.ts';
import { verifyLedger } from '../services/billing/ledger-check.ts';
import { BadArguments } from './errors/bad-arguments.ts';
import { postManually } from './ledger/post-manually.ts';
import { readLedgerArguments, type LedgerArguments } from './ledger/ledger-arguments.ts';
import { listPostings } from './ledger/list-postings.ts';
import { onlyAccount } from './accounts/oldest-account.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice ledger grant <amount>         grant credit
  sluice ledger top-up <amount>        record a payment into the balance
  sluice ledger refund <amount>        refund the cost of usage
  sluice ledger withdraw <amount>      record a payment out of the balance, which may become negative
  sluice ledger list [--limit <n>]     list the latest postings except usage, newest first (20 by default), and the balance
  sluice ledger check                  verify that the ledger balances and agrees with the usage log

  --account <id>        account of the posting; required if there are several accounts

Options of grant, top-up, refund and withdraw:
  --reference <text>    idempotency reference: a posting is recorded once per reference. Default: generated and printed.
  --note <text>         note for readers of the ledger

An amount is USD, a decimal with up to nine decimal places. Postings are never changed: record the opposite instead. Running
servers apply postings within seconds.
\`check\` prints differences and exits with 1 if it finds any. It reads one consistent snapshot; with server PostgreSQL the
server can run at the same time.

Examples:
  sluice ledger top-up 250 --account 3f0c2c1e-6f0b-4a53-9d6c-0b3a1f4f7f10 --reference "wire of 3 December"
  sluice ledger list --limit 50
`;

/** @returns the exit code */
export async function ledgerCommand(args: readonly string[]): Promise<number> {
  try {
    const given = readLedgerArguments(args);
    if (given?.action === 'help') {
      process.stdout.write(usage);
      return 0;
    }
    return given === null ? refuse(usage) : await run(given);
  } catch (error) {
    if (error instanceof BadArguments) return refuse(`${error.message}\n`);
    throw error;
  }
}

function run(given: LedgerArguments): Promise<number> {
  return withDatabase(async (database) => {
    await database.migrate();
    switch (given.action) {
      case 'help':
        return 0;
      case 'check':
        return check(database);
      case 'list':
        process.stdout.write(await listPostings(database, given.account ?? (await onlyAccount(database)), given.limit));
        return 0;
      default:
        process.stdout.write(await postManually(database, given.action, given));
        return 0;
    }
  });
}

async function check(database: Database): Promise<number> {
  const { postings, accounts, settledNano, faults } = await verifyLedger(database);
  for (const { what, accountId, expectedNano, foundNano } of faults)
    process.stdout.write(
      `MISMATCH: ${what}: account ${accountId ?? 'none'}: ${formatUsd(foundNano)} USD instead of ${formatUsd(expectedNano)} USD\n`,
    );
  process.stdout.write(
    faults.length > 0
      ? `The ledger is inconsistent: ${faults.length} mismatches.\n`
      : `The ledger is consistent: ${postings} postings sum to zero, and the usage of ${accounts} accounts costs ${formatUsd(settledNano)} USD in ledger, roll-ups and log.\n`,
  );
  return faults.length > 0 ? 1 : 0;
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}
