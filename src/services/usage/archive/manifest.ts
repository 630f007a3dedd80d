import { formatUsd } from '../../../catalogue/prices/price.ts';
import type { UsageMonth } from './usage-months.ts';
import { archiveColumns, typeName } from './archive-columns.ts';
import type { RecordedPart } from './archive-records.ts';

/** Below the place of the archive. Programs that read folders of Parquet files skip names that begin with `_`. */
export const manifestKey = (month: UsageMonth): string => `${folderOf(month)}/_manifest.json`;

export function partKey(month: UsageMonth, number: number): string {
  return `${folderOf(month)}/${partName(number)}`;
}

/** The month is a column for readers that know the layout of Apache Hive. */
const folderOf = (month: UsageMonth): string => `usage/month=${month.name}`;
const partName = (number: number): string => `part-${String(number).padStart(5, '0')}.parquet`;

export interface ManifestFacts {
  readonly month: UsageMonth;
  readonly storedBefore: Date;
  readonly incompleteAccounts: number;
  readonly parts: readonly RecordedPart[];
}

/** Written last: the files that it lists are complete and verified. */
export function manifest({ month, storedBefore, incompleteAccounts, parts }: ManifestFacts): Buffer {
  const total = (of: (part: RecordedPart) => number): number => parts.reduce((sum, part) => sum + of(part), 0);
  const document = {
    version: 1,
    month: month.name,
    format: 'parquet',
    compression: 'zstd',
    stored_before: storedBefore.toISOString(),
    rows: total(({ rows }) => rows),
    cost_usd: formatUsd(parts.reduce((sum, { costNano }) => sum + costNano, 0n)),
    bytes: total(({ bytes }) => bytes),
    accounts_with_removed_rows: incompleteAccounts,
    columns: archiveColumns.map(({ name, type, isNullable }) => ({ name, type: typeName(type), nullable: isNullable })),
    parts: parts.map(({ number, rows, costNano, bytes, sha256, firstAccountId, last, storedBefore: bound }) => ({
      name: partName(number),
      rows,
      cost_usd: formatUsd(costNano),
      bytes,
      sha256,
      first_account_id: firstAccountId,
      last_account_id: last.accountId,
      stored_before: bound.toISOString(),
    })),
  };
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}
