import { raw, type FilterQuery } from '@mikro-orm/core';
import type { Database } from '../../database/database.ts';
import { UsageLog } from '../../database/entities/usage-log.entity.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
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
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
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
      const [beyond, orAt, order] = backwards ? (['$gt', '$gte', 'asc'] as const) : (['$lt', '$lte', 'desc'] as const);
      const narrowing = usageConditions(filter);
      if (narrowing === null) return { rows: [], hasMore: false };
      const conditions: FilterQuery<UsageLog>[] = [
        { accountId },
        ...narrowing.map(({ sql, values }) => ({ [raw(sql, [...values])]: [] })),
      ];
      if (from)
        conditions.push(
          { beganAt: { [orAt]: from.beganAt } },
          { $or: [{ beganAt: { [beyond]: from.beganAt } }, { eventId: { [beyond]: from.eventId } }] },
        );
      const rows = await this.#database
        .em()
        .find(
          UsageLog,
          { $and: conditions },
          { orderBy: [{ beganAt: order }, { eventId: order }], limit: limit + 1, disableIdentityMap: true },
        );
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    });
  }

  /** A row by its event id; null if the account has none. */
  async log(accountId: string, eventId: string): Promise<UsageLog | null> {
    const [row = null] = await this.byIds(accountId, [eventId]);
    return row;
  }

  /** The account's rows among these events. */
  byIds(accountId: string, eventIds: readonly string[]): Promise<UsageLog[]> {
    const $or = eventIds.flatMap((eventId) => {
      const beganAt = beginOf(eventId);
      return beganAt === null ? [] : [{ eventId, beganAt }];
    });
    return mapDatabaseErrors(async () =>
      $or.length === 0 ? [] : this.#database.em().find(UsageLog, { accountId, $or }, { disableIdentityMap: true }),
    );
  }
}
