import type { ReadDatabase } from '../../../database/read-database.ts';
import { UsageLog } from '../../../database/entities/usage-log.entity.ts';
import { mapDatabaseErrors } from '../../database-availability.ts';
import { partsAsTable, partsOf } from './rolled-up-parts.ts';
import {
  figures,
  histograms,
  intervalsOf,
  totalsOf,
  completeQuarters,
  type FigureRow,
  type UsageGroup,
  type UsageReport,
} from './usage-report.ts';
import { hasUsage } from './usage-figures.ts';
import type { Slot, UsageInterval } from './usage-slots.ts';

export interface KeyUsageQuery {
  /** Rounded down to a quarter hour. */
  readonly from: Date;
  readonly to: Date;
  readonly interval: UsageInterval | null;
  /** Whether percentiles are requested. */
  readonly latency: boolean;
}

interface KeyRow extends FigureRow {
  readonly api_key_id: string;
  /** Null in the row with the total. */
  readonly slot: number | null;
}

/** Usage of many keys of one account, with one statement per kind of data. */
export class UsageByKey {
  readonly #database: ReadDatabase;

  constructor(database: ReadDatabase) {
    this.#database = database;
  }

  /** One report per key, in the given order. @throws SluiceError bad_user_input | database_unavailable */
  async reports(
    account: { readonly id: string; readonly timeZone: string },
    keyIds: readonly string[],
    query: KeyUsageQuery,
  ): Promise<UsageReport[]> {
    const { interval, latency } = query;
    const range = completeQuarters(query);
    const fullRange: Slot = { start: range.from, ...range };
    const slots = interval === null ? [fullRange] : intervalsOf(interval, account.timeZone, fullRange);
    const rows = await this.#sums(account.id, keyIds, slots, latency);
    const byKey = Map.groupBy(rows, (row) => row.api_key_id);
    return keyIds.map((keyId) => {
      const own = byKey.get(keyId) ?? [];
      const groups = own.flatMap((row) => {
        const slot = row.slot === null ? undefined : slots[row.slot];
        return slot === undefined || interval === null ? [] : [groupOf(row, slot, keyId)];
      });
      return {
        from: new Date(range.from),
        to: new Date(range.to),
        coveredFrom: new Date(range.from),
        timeZone: account.timeZone,
        total: totalsOf(own.find(({ slot }) => slot === null)),
        groups,
        truncated: false,
      };
    });
  }

  /** The latest rows of each key, newest first, in the given order of keys. @throws SluiceError database_unavailable */
  async lastLogs(accountId: string, keyIds: readonly string[], first: number): Promise<UsageLog[][]> {
    const rows = await mapDatabaseErrors(() =>
      this.#database.read(async (em) => {
        const found = await em.execute<Record<string, unknown>[]>(
          // Each key's rows are one range of the index by key, scanned backwards.
          `select log.* from unnest(array[${keyIds.map(() => '?::uuid').join(', ')}]) as wanted(id)
         cross join lateral (
           select * from usage_logs where api_key_id = wanted.id and account_id = ?
           order by began_at desc, event_id desc limit ?
         ) as log`,
          [...keyIds, accountId, first],
        );
        return found.map((row) => em.map(UsageLog, row));
      }),
    );
    const byKey = Map.groupBy(rows, ({ apiKeyId }) => apiKeyId);
    return keyIds.map((keyId) =>
      (byKey.get(keyId) ?? []).toSorted(
        (a, b) => b.beganAt.getTime() - a.beganAt.getTime() || (a.eventId < b.eventId ? 1 : -1),
      ),
    );
  }

  #sums(accountId: string, keyIds: readonly string[], slots: readonly Slot[], latency: boolean): Promise<KeyRow[]> {
    return mapDatabaseErrors(async () =>
      this.#database.query<KeyRow>(
        `select api_key_id, slot, ${latency ? `${figures}, ${histograms}` : figures}
         from ${partsAsTable}
         cross join lateral (
           select * from usage_rollups
           where account_id = $1 and by_key and span = part_span and bucket >= part_from and bucket < part_to
           -- Each part is a stretch of the index: nothing else is to be thought of.
           offset 0
         ) as counted
         where api_key_id = any($7::uuid[])
         group by grouping sets ((api_key_id), (api_key_id, slot)) having ${hasUsage}
         order by slot`,
        [accountId, ...(await partsOf(this.#database, accountId, slots)), keyIds],
      ),
    );
  }
}

function groupOf(row: KeyRow, slot: Slot, apiKeyId: string): UsageGroup {
  const others = { model: null, provider: null, capability: null, memberId: null };
  const nothingElse = { ...others, tag: null, endUser: null, errorCode: null };
  return { ...totalsOf(row), start: new Date(slot.start), apiKeyId, ...nothingElse };
}
