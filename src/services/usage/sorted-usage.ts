import type { ReadDatabase } from '../../database/read-database.ts';
import type { SqlQueries } from '../../database/sql.ts';
import { UsageLog } from '../../database/entities/usage-log.entity.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { numbered, type RowCondition } from '../row-condition.ts';
import { latestMatches } from './latest-matches.ts';
import { usageConditions, type UsageLogFilter } from './usage-conditions.ts';
import { figureSql, MAX_SORTED, type FigureOrder } from './usage-order.ts';

/** A row's position in a log that is sorted by a figure. */
export interface SortedPosition {
  /** Nano-USD, milliseconds or tokens: a whole number in decimal. */
  readonly figure: string;
  readonly beganAt: Date;
  readonly eventId: string;
  /** The latest request when the first page was read: later ones would move others out of what is sorted. */
  readonly until: Date;
}

export interface SortedPage {
  /** In the requested direction. */
  readonly rows: readonly { readonly row: UsageLog; readonly position: SortedPosition }[];
  readonly hasMore: boolean;
}

interface FoundRow {
  readonly event_id: string;
  readonly began_ms: string;
  readonly until_ms: string;
  readonly figure: string;
}

const milliseconds = (time: string): string => `(extract(epoch from ${time}) * 1000)::bigint`;

/** Reads the usage log of one account by cost, duration or tokens. */
export class SortedUsage {
  readonly #database: ReadDatabase;

  constructor(database: ReadDatabase) {
    this.#database = database;
  }

  /**
   * A page of the latest `MAX_SORTED` requests that match, by the figure; from its end if `backwards`.
   * @param from null for the first page
   * @throws SluiceError database_unavailable
   */
  async page(
    accountId: string,
    filter: UsageLogFilter,
    order: FigureOrder,
    { limit, from, backwards }: { limit: number; from: SortedPosition | null; backwards: boolean },
  ): Promise<SortedPage> {
    const { figure, descends } = figureSql(order);
    const [beyond, direction] = descends === backwards ? ['>', 'asc'] : ['<', 'desc'];
    return mapDatabaseErrors(async () => {
      const conditions = await sortedConditions(this.#database, accountId, filter, from?.until);
      if (conditions === null) return { rows: [], hasMore: false };
      const values: unknown[] = [accountId, limit + 1];
      const narrowing = numbered(conditions, values);
      const start =
        from === null
          ? ''
          : ` where (figure, began_at, event_id) ${beyond} ($${values.push(from.figure)}::bigint, $${values.push(from.beganAt)}, $${values.push(from.eventId)}::uuid)`;
      const found = await this.#database.query<FoundRow>(
        `with latest as materialized (
           select event_id, began_at, ${figure} as figure from usage_logs
           where account_id = $1${narrowing}
           order by began_at desc, event_id desc limit ${MAX_SORTED}
         )
         select event_id, ${milliseconds('began_at')} as began_ms, figure,
           ${milliseconds('(select max(began_at) from latest)')} as until_ms
         from latest${start}
         order by figure ${direction}, began_at ${direction}, event_id ${direction} limit $2`,
        values,
      );
      const listed = found.slice(0, limit);
      const rows = await this.#rows(accountId, listed);
      return {
        rows: listed.flatMap(({ event_id: eventId, began_ms, until_ms, figure: value }) => {
          const row = rows.get(eventId);
          const position = {
            figure: String(value),
            beganAt: dateOf(began_ms),
            eventId,
            until: from?.until ?? dateOf(until_ms),
          };
          return row === undefined ? [] : [{ row, position }];
        }),
        hasMore: found.length > limit,
      };
    });
  }

  async #rows(accountId: string, found: readonly FoundRow[]): Promise<ReadonlyMap<string, UsageLog>> {
    if (found.length === 0) return new Map();
    const beganAt = { $in: [...new Set(found.map(({ began_ms }) => Number(began_ms)))].map((at) => new Date(at)) };
    const eventId = { $in: found.map(({ event_id }) => event_id) };
    const rows = await this.#database.read((em) =>
      em.find(UsageLog, { accountId, eventId, beganAt }, { disableIdentityMap: true }),
    );
    return new Map(rows.map((row) => [row.eventId, row]));
  }
}

/**
 * Conditions of the requests that a figure sorts: the latest `MAX_SORTED` of those that meet them. Null if no request can match.
 * @param until the latest that is sorted, inclusive
 */
export async function sortedConditions(
  database: SqlQueries,
  accountId: string,
  { text, ...filter }: UsageLogFilter,
  until?: Date,
): Promise<readonly RowCondition[] | null> {
  const to =
    until === undefined ? filter.to : new Date(Math.min(until.getTime() + 1, filter.to?.getTime() ?? Infinity));
  const range = { from: filter.from, to };
  if (text === undefined) return usageConditions(accountId, { ...filter, ...range });
  const conditions = usageConditions(accountId, { ...filter, from: undefined, to: undefined });
  if (conditions === null) return null;
  return (await latestMatches(database, { accountId, words: text }, range, conditions, MAX_SORTED)).conditions;
}

function dateOf(ms: string): Date {
  return new Date(Number(ms));
}
