import type { Database } from '../../database/database.ts';
import { AlertDelivery, AlertEvent, AlertRule } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { pageOf, type Page, type PageRequest } from '../page-by-creation.ts';
import { isUuid } from '../uuid.ts';

/** Reads an account's alerts. Every method also throws SluiceError database_unavailable. */
export class AlertHistory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Newest first. @param ruleId only those of this rule, if given @throws SluiceError not_found for the rule */
  list(accountId: string, ruleId: string | null, page: PageRequest): Promise<Page<AlertEvent>> {
    return mapDatabaseErrors(async () => {
      const em = this.#database.em();
      if (ruleId !== null && (await em.count(AlertRule, { id: ruleId, account: accountId })) === 0)
        throw new SluiceError('not_found', { values: { what: 'alert rule' } });
      const where = [{ account: accountId }, ...(ruleId === null ? [] : [{ rule: ruleId }])];
      return pageOf(page, (conditions, order) => em.find(AlertEvent, { $and: [...where, ...conditions] }, order), true);
    });
  }

  /** The account's alerts among these ids. */
  byIds(accountId: string, ids: readonly string[]): Promise<AlertEvent[]> {
    const id = { $in: ids.filter(isUuid) };
    return mapDatabaseErrors(() => this.#database.em().find(AlertEvent, { id, account: accountId }));
  }

  /** The notifications of these alerts, of one account. */
  deliveries(accountId: string, eventIds: readonly string[]): Promise<AlertDelivery[]> {
    const where = { event: { id: { $in: [...eventIds] }, account: accountId } };
    const orderBy = { channelName: 'asc', recipient: 'asc', id: 'asc' } as const;
    return mapDatabaseErrors(() => this.#database.em().find(AlertDelivery, where, { orderBy }));
  }
}
