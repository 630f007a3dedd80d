import type { FilterQuery } from '@mikro-orm/core';
import type { Database } from '../../database/database.ts';
import { UsageLog } from '../../database/entities/usage-log.entity.ts';
import type { UsageStatus } from '../../gateway/usage-record.ts';
import { orUnavailable } from '../database-availability.ts';

export interface UsageLogFilter {
  readonly apiKeyId?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly status?: UsageStatus | undefined;
  readonly endUser?: string | undefined;
  readonly tag?: { readonly name: string; readonly value: string } | undefined;
  /** From this moment on. */
  readonly from?: Date | undefined;
  /** Before this moment. */
  readonly to?: Date | undefined;
}

/** A row's place in the order of the log: newest first. */
export interface UsagePosition {
  readonly beganAt: Date;
  readonly eventId: string;
}

/** In the direction that was asked for. */
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
   * Rows behind a position, newest first; oldest first where `backwards`. Its cost does not grow with how far one has paged.
   * @param from null for the end of the log
   */
  logs(
    accountId: string,
    filter: UsageLogFilter,
    limit: number,
    from: UsagePosition | null,
    backwards = false,
  ): Promise<UsagePage> {
    return orUnavailable(async () => {
      const [beyond, orAt, order] = backwards ? (['$gt', '$gte', 'asc'] as const) : (['$lt', '$lte', 'desc'] as const);
      const conditions: FilterQuery<UsageLog>[] = [{ accountId }];
      const { apiKeyId, model, provider, status, endUser, tag, to } = filter;
      if (apiKeyId !== undefined && !UUID.test(apiKeyId)) return { rows: [], hasMore: false };
      if (apiKeyId !== undefined) conditions.push({ apiKeyId });
      if (model !== undefined) conditions.push({ model });
      if (provider !== undefined) conditions.push({ provider });
      if (status !== undefined) conditions.push({ status });
      if (endUser !== undefined) conditions.push({ endUser });
      if (tag !== undefined) conditions.push({ tags: { $contains: { [tag.name]: tag.value } } });
      if (filter.from) conditions.push({ beganAt: { $gte: comparable(filter.from) } });
      if (to) conditions.push({ beganAt: { $lt: comparable(to) } });
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

  /** One row by its event; null where the account has none. */
  async log(accountId: string, eventId: string): Promise<UsageLog | null> {
    const [row = null] = await this.byIds(accountId, [eventId]);
    return row;
  }

  /** Of the events given, the rows that the account has. */
  byIds(accountId: string, eventIds: readonly string[]): Promise<UsageLog[]> {
    const $or = eventIds.flatMap((eventId) => {
      const beganAt = beginOf(eventId);
      return beganAt === null ? [] : [{ eventId, beganAt }];
    });
    return orUnavailable(async () =>
      $or.length === 0 ? [] : this.#database.em().find(UsageLog, { accountId, $or }, { disableIdentityMap: true }),
    );
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CLOCK_SLACK_MS = 60_000;
/** Between the id and the begin lies the time in which the body is received. */
const LONGEST_BODY_MS = 15 * 60_000;
/** Later years have a form that PostgreSQL does not read. */
const MOST_MS = Date.UTC(9999, 11, 31);

/** An id holds the time it was made, shortly before the request began: one partition is looked at, or two. Null for none. */
function beginOf(eventId: string): { readonly $gte: Date; readonly $lt: Date } | null {
  if (!UUID.test(eventId)) return null;
  const madeAt = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
  if (madeAt > MOST_MS) return null;
  return { $gte: new Date(madeAt - CLOCK_SLACK_MS), $lt: new Date(madeAt + LONGEST_BODY_MS) };
}

/** The nearest moment that the database can compare with; no request began before 1970 or will after 9999. */
function comparable(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), 0), MOST_MS));
}
