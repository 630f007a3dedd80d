import type { SqlQueries } from '../../../database/sql.ts';

/** A month in UTC that has a partition of the usage log. */
export interface UsageMonth {
  /** `2026-10` */
  readonly name: string;
  readonly partition: string;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Oldest first. */
export async function usageMonths(database: SqlQueries): Promise<UsageMonth[]> {
  const rows = await database.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'usage_logs'::regclass order by relname`,
  );
  return rows.flatMap(({ name }) => {
    const [, year, month] = /^usage_logs_(\d{4})_(\d{2})$/.exec(name) ?? [];
    return year === undefined || month === undefined ? [] : (parseMonth(`${year}-${month}`) ?? []);
  });
}

/** @param text `2026-10` @returns null if it is no month */
export function parseMonth(text: string): UsageMonth | null {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined || month === undefined) return null;
  const [from, to] = [Date.UTC(Number(year), Number(month) - 1), Date.UTC(Number(year), Number(month))];
  return { name: text, partition: `usage_logs_${year}_${month}`, from, to };
}

/** Whether it is over, by the time of the database. */
export async function isClosed(database: SqlQueries, month: UsageMonth): Promise<boolean> {
  const [row] = await database.query<{ closed: boolean }>('select now() >= $1 as closed', [new Date(month.to)]);
  return row?.closed === true;
}
