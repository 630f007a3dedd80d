import type { SqlQueries } from '../../../database/sql.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { ArchiveRecords, type ArchiveRecord } from './archive-records.ts';

export interface LogCoverage {
  /** Retention removed earlier rows of the account; null if it removed none. */
  readonly keptFrom: Date | null;
  /** `2026-10`, oldest first. */
  readonly archivedMonths: readonly string[];
}

export type CompleteArchive = ArchiveRecord & { readonly storedBefore: Date; readonly archivedAt: Date };

/** What the usage log still has, and what is archived. */
export class LogCoverageReader {
  readonly #database: SqlQueries;
  readonly #records: ArchiveRecords;

  constructor(database: SqlQueries) {
    this.#database = database;
    this.#records = new ArchiveRecords(database);
  }

  /** @throws SluiceError database_unavailable */
  async of(accountId: string): Promise<LogCoverage> {
    const text =
      'select (extract(epoch from kept_from) * 1000)::bigint::text as kept_ms from usage_retention where account_id = $1';
    const [mark] = await mapDatabaseErrors(() => this.#database.query<{ kept_ms: string }>(text, [accountId]));
    return {
      keptFrom: mark === undefined ? null : new Date(Number(mark.kept_ms)),
      archivedMonths: (await this.archives()).map(({ month }) => month),
    };
  }

  /** Oldest first. @throws SluiceError database_unavailable */
  async archives(): Promise<CompleteArchive[]> {
    const records = await mapDatabaseErrors(() => this.#records.all());
    return records.flatMap((record) => {
      const { storedBefore, archivedAt } = record;
      return storedBefore === null || archivedAt === null ? [] : [{ ...record, storedBefore, archivedAt }];
    });
  }
}
