import type { FilterQuery } from '@mikro-orm/core';
import { formatUsd } from '../../catalogue/prices/price.ts';
import { recordAudit } from '../../database/audit/record.ts';
import type { Database } from '../../database/database.ts';
import { AuditEntry, type AuditChange, type AuditValue } from '../../database/entities/index.ts';
import { csvCell } from '../csv-cell.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { isUuid } from '../uuid.ts';
import { pageOf, type Page, type PageRequest, type Position } from '../page-by-creation.ts';

export interface AuditFilter {
  /** A user or an API key, by id: for a user also the actions of keys that act for them. */
  readonly actorId?: string | undefined;
  /** `api_key.created`, or `api_key.*` for all of a type. */
  readonly action?: string | undefined;
  readonly targetId?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
}

export const auditFormats = ['csv', 'jsonl'] as const;
export type AuditFormat = (typeof auditFormats)[number];

export function isAuditFormat(text: string): text is AuditFormat {
  return auditFormats.some((format) => format === text);
}

const EXPORT_ROWS = 1_000;
const LAST = Date.UTC(9999, 11, 31);
const columns = [
  'id',
  'created_at',
  'action',
  'actor_kind',
  'actor',
  'actor_user_id',
  'actor_api_key_id',
  'target_type',
  'target_id',
  'target',
  'changes',
  'address',
  'user_agent',
  'request_id',
] as const;

/** Reads the audit log of one account. Every method also throws SluiceError database_unavailable. */
export class AuditLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Newest first. */
  list(accountId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    return this.#page(accountId, filter, page, true);
  }

  /** The account's entries among these ids. */
  byIds(accountId: string, ids: readonly string[]): Promise<AuditEntry[]> {
    const id = { $in: ids.filter(isUuid) };
    return mapDatabaseErrors(() => this.#database.em().find(AuditEntry, { id, accountId }));
  }

  /** The file in chunks, oldest entry first. The export itself is recorded in the log. */
  async *file(format: AuditFormat, accountId: string, filter: AuditFilter): AsyncGenerator<Buffer> {
    await this.#recordExport(accountId);
    if (format === 'csv') yield Buffer.from(`${columns.join()}\r\n`);
    let after: Position | undefined;
    for (;;) {
      const { rows, hasMore } = await this.#page(accountId, filter, { limit: EXPORT_ROWS, from: after }, false);
      if (rows.length > 0) yield Buffer.from(rows.map(format === 'csv' ? csvLine : jsonLine).join(''));
      after = rows.at(-1);
      if (!hasMore) return;
    }
  }

  #page(accountId: string, filter: AuditFilter, page: PageRequest, newestFirst: boolean): Promise<Page<AuditEntry>> {
    const where = matching(accountId, filter);
    return mapDatabaseErrors(() => {
      const em = this.#database.em();
      return pageOf(
        page,
        (conditions, order) =>
          em.find(AuditEntry, { $and: [...where, ...conditions] }, { ...order, disableIdentityMap: true }),
        newestFirst,
      );
    });
  }

  async #recordExport(accountId: string): Promise<void> {
    const em = this.#database.em();
    recordAudit(em, {
      accountId,
      action: 'audit_log.exported',
      target: { type: 'account', id: accountId, label: null },
    });
    await mapDatabaseErrors(() => em.flush());
  }
}

function matching(accountId: string, filter: AuditFilter): FilterQuery<AuditEntry>[] {
  const { actorId, action, targetId, since, until } = filter;
  const conditions: FilterQuery<AuditEntry>[] = [{ accountId }];
  if (actorId !== undefined) conditions.push({ $or: [{ actorUserId: actorId }, { actorApiKeyId: actorId }] });
  if (action?.endsWith('*')) conditions.push({ action: { $like: `${escaped(action.slice(0, -1))}%` } });
  else if (action !== undefined) conditions.push({ action: escaped(action, false) });
  if (targetId !== undefined) conditions.push({ targetId });
  if (since) conditions.push({ createdAt: { $gte: comparable(since) } });
  if (until) conditions.push({ createdAt: { $lt: comparable(until) } });
  return conditions;
}

/** No action contains a NUL, and PostgreSQL does not accept one in a parameter. */
function escaped(text: string, pattern = true): string {
  const plain = text.replaceAll('\0', '\u{fffd}');
  return pattern ? plain.replaceAll(/[\\%_]/g, '\\$&') : plain;
}

/** The nearest time that the database can compare with. */
function comparable(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), 0), LAST));
}

/** Money is shown in USD. */
export function shownChanges({ changes }: Pick<AuditEntry, 'changes'>): AuditChange[] {
  return changes.map((change) =>
    change.field.endsWith('Nano')
      ? { field: change.field.slice(0, -'Nano'.length), before: usd(change.before), after: usd(change.after) }
      : change,
  );
}

function usd(value: AuditValue): AuditValue {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? formatUsd(BigInt(value)) : value;
}

function cells(entry: AuditEntry): (string | null | AuditChange[])[] {
  return [
    entry.id,
    entry.createdAt.toISOString(),
    entry.action,
    entry.actorKind,
    entry.actorLabel,
    entry.actorUserId,
    entry.actorApiKeyId,
    entry.targetType,
    entry.targetId,
    entry.targetLabel,
    shownChanges(entry),
    entry.address,
    entry.userAgent,
    entry.requestId,
  ];
}

function csvLine(entry: AuditEntry): string {
  const texts = cells(entry).map((cell) =>
    typeof cell === 'string' ? cell : cell === null ? '' : JSON.stringify(cell),
  );
  return `${texts.map(csvCell).join()}\r\n`;
}

function jsonLine(entry: AuditEntry): string {
  const values = cells(entry);
  return `${JSON.stringify(Object.fromEntries(columns.map((name, index) => [name, values[index]])))}\n`;
}
