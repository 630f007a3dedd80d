import { formatUsd } from '../catalogue/price.ts';
import type { Database } from '../database/database.ts';
import { verifyLedger } from '../services/billing/ledger-check.ts';
import { BadArguments } from './bad-arguments.ts';
import { bookByHand } from './book-by-hand.ts';
import { readLedgerArguments, type LedgerArguments } from './ledger-arguments.ts';
import { listPostings } from './list-postings.ts';
import { onlyAccount } from './oldest-account.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice ledger grant <amount>         gives credit
  sluice ledger top-up <amount>        books money that came in, to be spent
  sluice ledger refund <amount>        gives back what usage cost
  sluice ledger withdraw <amount>      books money that went back; the balance may fall below zero
  sluice ledger list [--limit <n>]     what was booked last but usage, newest first (20 postings where absent), and the balance
  sluice ledger check                  proves that the ledger balances, and that it agrees with the usage log

  --account <id>        whose money it is, where there are several accounts

Of what is booked:
  --reference <text>    your own name of it: what is told twice is booked once. One is made, and printed, where absent.
  --note <text>         for people who read the ledger

An amount is USD, a decimal with up to nine places. What is booked is never changed: book the opposite. Servers hear of what was booked within seconds.
\`check\` exits with 1 where the ledger does not agree, and says where. It reads one snapshot of everything: on server PostgreSQL
the server may run meanwhile.

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
        process.stdout.write(await bookByHand(database, given.action, given));
        return 0;
    }
  });
}

async function check(database: Database): Promise<number> {
  const { postings, accounts, settledNano, faults } = await verifyLedger(database);
  for (const { what, accountId, expectedNano, foundNano } of faults)
    process.stdout.write(
      `WRONG: ${what}: account ${accountId ?? 'none'}: ${formatUsd(foundNano)} USD in place of ${formatUsd(expectedNano)}\n`,
    );
  process.stdout.write(
    faults.length > 0
      ? `The ledger does not agree: ${faults.length} faults.\n`
      : `The ledger agrees: ${postings} postings sum to zero, and the usage of ${accounts} accounts cost ${formatUsd(settledNano)} USD by ledger, roll-ups and log.\n`,
  );
  return faults.length > 0 ? 1 : 0;
}

function refuse(text: string): number {
  process.stderr.write(text);
  return 2;
}
