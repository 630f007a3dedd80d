import { formatUsd } from '../../catalogue/prices/price.ts';
import type { Database } from '../../database/database.ts';
import { Ledger } from '../../services/billing/ledger.ts';
import { latestPostings, type LatestPosting } from '../../services/billing/latest-postings.ts';

const head = ['WHEN', 'KIND', 'USD', 'BALANCE', 'REFERENCE', 'NOTE'];
/** Numeric columns are right-aligned. */
const isNumber = [false, false, true, true, false, false];

/** The latest postings of an account as a table, newest first, and its balance. @throws SluiceError database_unavailable */
export async function listPostings(database: Database, accountId: string, limit: number): Promise<string> {
  const postings = await latestPostings(database, accountId, { limit });
  const { wallet } = await new Ledger(database).balances(accountId);
  const balance = `The balance of account ${accountId} is ${formatUsd(wallet)} USD.\n`;
  if (postings.length === 0) return `There are no postings except usage.\n${balance}`;
  const rows = [head, ...postings.map(cells)];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return `${rows.map((row) => `${line(row, widths)}\n`).join('')}${balance}`;
}

function cells({ createdAt, kind, amountNano, balanceNano, reference, description }: LatestPosting): string[] {
  const sign = balanceNano > 0n ? '+' : '';
  return [
    createdAt.toISOString(),
    kind,
    formatUsd(amountNano),
    `${sign}${formatUsd(balanceNano)}`,
    reference ?? '-',
    description === null ? '' : JSON.stringify(description),
  ];
}

function line(row: readonly string[], widths: readonly number[]): string {
  const padded = row.map((cell, column) => {
    const width = widths[column] ?? 0;
    return isNumber[column] ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join('  ').trimEnd();
}
