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

  /** Rows after a position, newest first. Its cost does not grow with how far one has paged. */
  logs(accountId: string, filter: UsageLogFilter, first: number, after: UsagePosition | null): Promise<UsagePage> {
    return orUnavailable(async () => {
      const conditions: FilterQuery<UsageLog>[] = [{ accountId }];
      const { apiKeyId, model, provider, status, from, to } = filter;
      if (apiKeyId !== undefined && !UUID.test(apiKeyId)) return { rows: [], hasMore: false };
      if (apiKeyId !== undefined) conditions.push({ apiKeyId });
      if (model !== undefined) conditions.push({ model });
      if (provider !== undefined) conditions.push({ provider });
      if (status !== undefined) conditions.push({ status });
      if (from) conditions.push({ beganAt: { $gte: comparable(from) } });
      if (to) conditions.push({ beganAt: { $lt: comparable(to) } });
      if (after)
        conditions.push(
          { beganAt: { $lte: after.beganAt } },
          { $or: [{ beganAt: { $lt: after.beganAt } }, { eventId: { $lt: after.eventId } }] },
        );
      const rows = await this.#database
        .em()
        .find(
          UsageLog,
          { $and: conditions },
          { orderBy: [{ beganAt: 'desc' }, { eventId: 'desc' }], limit: first + 1, disableIdentityMap: true },
        );
      return { rows: rows.slice(0, first), hasMore: rows.length > first };
    });
  }

  /** One row by its event; null where the account has none. */
  log(accountId: string, eventId: string): Promise<UsageLog | null> {
    return orUnavailable(async () => {
      if (!UUID.test(eventId)) return null;
      // The id holds the time it was made, shortly before the request began: one partition is looked at, or two.
      const madeAt = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
      if (madeAt > MOST_MS) return null;
      const beganAt = { $gte: new Date(madeAt - CLOCK_SLACK_MS), $lt: new Date(madeAt + LONGEST_BODY_MS) };
      return this.#database.em().findOne(UsageLog, { accountId, eventId, beganAt });
    });
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CLOCK_SLACK_MS = 60_000;
/** Between the id and the begin lies the time in which the body is received. */
const LONGEST_BODY_MS = 15 * 60_000;
/** Later years have a form that PostgreSQL does not read. */
const MOST_MS = Date.UTC(9999, 11, 31);

/** The nearest moment that the database can compare with; no request began before 1970 or will after 9999. */
function comparable(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), 0), MOST_MS));
}
