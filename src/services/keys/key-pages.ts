import type { EntityManager, FilterQuery } from '@mikro-orm/postgresql';
import { ApiKey } from '../../database/entities/index.ts';

export interface KeyFilter {
  readonly nameContains?: string | undefined;
  /** Revoked keys are omitted where absent. */
  readonly revoked?: boolean | undefined;
}

/** A position in the order of creation, newest first. */
export interface KeyPosition {
  readonly createdAt: Date;
  readonly id: string;
}

export interface KeyPageRequest {
  readonly limit: number;
  readonly after?: KeyPosition | undefined;
  readonly before?: KeyPosition | undefined;
  /** From the end of the list. */
  readonly backwards?: boolean | undefined;
}

export interface KeyPage {
  readonly rows: readonly ApiKey[];
  readonly hasMore: boolean;
}

/** A page of an account's keys, newest first. */
export async function findKeyPage(
  em: EntityManager,
  accountId: string,
  filter: KeyFilter,
  { limit, after, before, backwards = false }: KeyPageRequest,
): Promise<KeyPage> {
  const conditions = matching(accountId, filter);
  if (after) conditions.push(older(after));
  if (before) conditions.push(newer(before));
  const direction = backwards ? 'asc' : 'desc';
  const orderBy = [{ createdAt: direction }, { id: direction }] as const;
  const rows = await em.find(ApiKey, { $and: conditions }, { orderBy: [...orderBy], limit: limit + 1 });
  const shown = rows.slice(0, limit);
  return { rows: backwards ? shown.toReversed() : shown, hasMore: rows.length > limit };
}

export function countKeys(em: EntityManager, accountId: string, filter: KeyFilter): Promise<number> {
  return em.count(ApiKey, { $and: matching(accountId, filter) });
}

function matching(accountId: string, filter: KeyFilter): FilterQuery<ApiKey>[] {
  const conditions: FilterQuery<ApiKey>[] = [{ account: accountId, kind: 'user' }];
  if (filter.nameContains) {
    // No name contains a NUL, and PostgreSQL does not accept one in a parameter.
    const part = filter.nameContains.replaceAll('\0', '\u{fffd}').replace(/[\\%_]/g, '\\$&');
    conditions.push({ name: { $ilike: `%${part}%` } });
  }
  if (filter.revoked !== true) conditions.push({ revokedAt: null });
  return conditions;
}

function older({ createdAt, id }: KeyPosition): FilterQuery<ApiKey> {
  return { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, id: { $lt: id } }] };
}

function newer({ createdAt, id }: KeyPosition): FilterQuery<ApiKey> {
  return { $or: [{ createdAt: { $gt: createdAt } }, { createdAt, id: { $gt: id } }] };
}
