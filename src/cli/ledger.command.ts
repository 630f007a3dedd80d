import { parseArgs } from 'node:util';
import { formatUsd } from '../catalogue/price.ts';
import { verifyLedger } from '../services/billing/ledger-check.ts';
import { withDatabase } from './with-database.ts';

const usage = `Usage:
  sluice ledger check    proves that the ledger balances, and that it agrees with the usage log

Exits with 1 where it does not, and says where. Reads one snapshot of everything: on server PostgreSQL the server may run
meanwhile. With the embedded database, stop the server first.
`;

/** @returns the exit code */
export async function ledgerCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (positionals.length !== 1 || positionals[0] !== 'check') {
    process.stderr.write(usage);
    return 2;
  }
  const { postings, accounts, settledNano, faults } = await withDatabase(async (database) => {
    await database.migrate();
    return verifyLedger(database);
  });
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
