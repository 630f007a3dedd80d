import type { UsageStatus } from '../../gateway/usage-record.ts';

/** What requests must have in common; each that is given narrows. Rows, sums and exports are filtered alike. */
export interface UsageLogFilter {
  readonly apiKeyId?: string | undefined;
  /** Its whole name. */
  readonly model?: string | undefined;
  /** A part of its name, whatever its case. */
  readonly modelContains?: string | undefined;
  readonly provider?: string | undefined;
  readonly capability?: string | undefined;
  readonly status?: UsageStatus | undefined;
  readonly endUser?: string | undefined;
  /** Of any value where `value` is absent. */
  readonly tag?: { readonly name: string; readonly value?: string | null | undefined } | undefined;
  /** Of one request. */
  readonly eventId?: string | undefined;
  /** From this moment on. */
  readonly from?: Date | undefined;
  /** Before this moment. */
  readonly to?: Date | undefined;
}

/** A condition on a row of `usage_logs`; each `?` stands for the next of `values`. */
export interface UsageCondition {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** @returns null where no request can have it all: an id that is none */
export function usageConditions(filter: UsageLogFilter): UsageCondition[] | null {
  const { apiKeyId, model, modelContains, provider, capability, status, endUser, tag, eventId, from, to } = filter;
  if (apiKeyId !== undefined && !UUID.test(apiKeyId)) return null;
  const conditions: UsageCondition[] = [];
  const add = (sql: string, ...values: readonly unknown[]): void => void conditions.push({ sql, values });
  if (eventId !== undefined) {
    const began = beginOf(eventId);
    if (began === null) return null;
    add('event_id = ?::uuid and began_at >= ? and began_at < ?', eventId, began.$gte, began.$lt);
  }
  if (apiKeyId !== undefined) add('api_key_id = ?::uuid', apiKeyId);
  if (model !== undefined) add('model = ?', model);
  if (modelContains !== undefined) add('model ilike ?', containing(modelContains));
  if (provider !== undefined) add('provider = ?', provider);
  if (capability !== undefined) add('capability = ?', capability);
  if (status !== undefined) add('status = ?', status);
  if (endUser !== undefined) add('end_user = ?', endUser);
  if (tag !== undefined && tag.value == null) add('tags ->> ? is not null', tag.name);
  else if (tag !== undefined) add('tags @> ?::jsonb', JSON.stringify({ [tag.name]: tag.value }));
  if (from) add('began_at >= ?', comparable(from));
  if (to) add('began_at < ?', comparable(to));
  return conditions;
}

/** Joined for a statement that has its own parameters, which are given; the conditions' values are added to them. */
export function numbered(conditions: readonly UsageCondition[], parameters: unknown[]): string {
  return conditions
    .map(({ sql, values }) => {
      const rest = [...values];
      return ` and ${sql.replaceAll('?', () => `$${parameters.push(rest.shift())}`)}`;
    })
    .join('');
}

/** A pattern of PostgreSQL's `like` for names with this part. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CLOCK_SLACK_MS = 60_000;
/** Between the id and the begin lies the time in which the body is received. */
const MAX_BODY_MS = 15 * 60_000;
/** Later years have a form that PostgreSQL does not read. */
const MAX_MS = Date.UTC(9999, 11, 31);

/** An id holds the time it was made, shortly before the request began: one partition is looked at, or two. Null for none. */
export function beginOf(eventId: string): { readonly $gte: Date; readonly $lt: Date } | null {
  if (!UUID.test(eventId)) return null;
  const madeAt = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
  if (madeAt > MAX_MS) return null;
  return { $gte: new Date(madeAt - CLOCK_SLACK_MS), $lt: new Date(madeAt + MAX_BODY_MS) };
}

/** The nearest moment that the database can compare with; no request began before 1970 or will after 9999. */
export function comparable(moment: Date): Date {
  return new Date(Math.min(Math.max(moment.getTime(), 0), MAX_MS));
}
