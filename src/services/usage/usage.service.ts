import { raw, type FilterQuery } from '@mikro-orm/core';
import type { ReadDatabase } from '../../database/read-database.ts';
import { UsageLog } from '../../database/entities/usage-log.entity.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { searchWindows, type SearchWish } from '../content-search/search-windows.ts';
import type { RowCondition } from '../row-condition.ts';
import { beginOf, usageConditions, type UsageLogFilter } from './usage-conditions.ts';

/** A row's position in the log, newest first. */
export interface UsagePosition {
  readonly beganAt: Date;
  readonly eventId: string;
}

/** In the requested direction. */
export interface UsagePage {
  readonly rows: readonly UsageLog[];
  readonly hasMore: boolean;
}

/** Reads the usage log of one account. */
export class UsageService {
  readonly #database: ReadDatabase;
  readonly #primary: ReadDatabase;

  /** @param primary has rows that `database`, a replica, may not have yet: they are found by their IDs */
  constructor(database: ReadDatabase, primary = database) {
    this.#database = database;
    this.#primary = primary;
  }

  /**
   * Rows after a position, newest first; oldest first if `backwards`. The cost does not grow with the page number.
   * @param from null for the end of the log
   */
  logs(
    accountId: string,
    filter: UsageLogFilter,
    limit: number,
    from: UsagePosition | null,
    backwards = false,
  ): Promise<UsagePage> {
    return mapDatabaseErrors(async () => {
      const { text, ...rest } = filter;
      // A search has the range in each of its windows.
      const conditions = usageConditions(
        accountId,
        text === undefined ? rest : { ...rest, from: undefined, to: undefined },
      );
      if (conditions === null) return { rows: [], hasMore: false };
      const rows: UsageLog[] = [];
      const wanted = { limit, found: () => rows.length };
      const wish = { descends: !backwards, isNarrowed: conditions.length > 0, wanted };
      for await (const window of this.#windows(accountId, filter, from, wish)) {
        rows.push(
          ...(await this.#rows(accountId, [...conditions, ...window], limit + 1 - rows.length, from, backwards)),
        );
        if (rows.length > limit) break;
      }
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /** Conditions to read rows by, one after another until there are enough. */
  async *#windows(
    accountId: string,
    { text, from, to }: UsageLogFilter,
    position: UsagePosition | null,
    wish: SearchWish,
  ): AsyncGenerator<readonly RowCondition[]> {
    if (text === undefined) return yield [];
    const start = position?.beganAt.getTime();
    const backwards = !wish.descends;
    const range = {
      from: backwards && start !== undefined ? new Date(Math.max(start, from?.getTime() ?? 0)) : from,
      to: backwards || start === undefined ? to : new Date(Math.min(start + 1, to?.getTime() ?? Infinity)),
    };
    yield* searchWindows(this.#database, { accountId, words: text }, range, wish);
  }

  #rows(
    accountId: string,
    narrowing: readonly RowCondition[],
    limit: number,
    from: UsagePosition | null,
    backwards: boolean,
  ): Promise<UsageLog[]> {
    const [beyond, orAt, order] = backwards ? (['$gt', '$gte', 'asc'] as const) : (['$lt', '$lte', 'desc'] as const);
    const conditions: FilterQuery<UsageLog>[] = [
      { accountId },
      ...narrowing.map(({ sql, values }) => ({ [raw(sql, [...values])]: [] })),
    ];
    if (from)
      conditions.push(
        { beganAt: { [orAt]: from.beganAt } },
        { $or: [{ beganAt: { [beyond]: from.beganAt } }, { eventId: { [beyond]: from.eventId } }] },
      );
    return this.#database.read((em) =>
      em.find(
        UsageLog,
        { $and: conditions },
        { orderBy: [{ beganAt: order }, { eventId: order }], limit, disableIdentityMap: true },
      ),
    );
  }

  /** A row by its event id; null if the account has none. */
  async log(accountId: string, eventId: string): Promise<UsageLog | null> {
    const [row = null] = await this.byIds(accountId, [eventId]);
    return row;
  }

  /** The account's rows among these events. */
  byIds(accountId: string, eventIds: readonly string[]): Promise<UsageLog[]> {
    return mapDatabaseErrors(async () => {
      const rows = await findByIds(this.#database, accountId, eventIds);
      if (this.#primary === this.#database) return rows;
      const found = new Set(rows.map(({ eventId }) => eventId));
      const missing = eventIds.filter((eventId) => !found.has(eventId));
      return [...rows, ...(await findByIds(this.#primary, accountId, missing))];
    });
  }
}

async function findByIds(database: ReadDatabase, accountId: string, eventIds: readonly string[]): Promise<UsageLog[]> {
  const $or = eventIds.flatMap((eventId) => {
    const beganAt = beginOf(eventId);
    return beganAt === null ? [] : [{ eventId, beganAt }];
  });
  if ($or.length === 0) return [];
  return database.read((em) => em.find(UsageLog, { accountId, $or }, { disableIdentityMap: true }));
}
