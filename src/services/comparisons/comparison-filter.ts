import type { SqlQueries } from '../../database/sql.ts';
import type { ComparisonKind } from '../../gateway/comparisons/lane-state.ts';
import { storableText } from '../../database/storable-text.ts';

const MAX_SEARCH_LENGTH = 200;

export interface ComparisonFilter {
  readonly kind?: ComparisonKind | null | undefined;
  /** A model of the comparison, as requested or as served. */
  readonly model?: string | null | undefined;
  /** Part of its name or its prompt. */
  readonly search?: string | null | undefined;
  readonly memberId?: string | null | undefined;
  readonly isRunning?: boolean | null | undefined;
  readonly isShared?: boolean | null | undefined;
  readonly isVoted?: boolean | null | undefined;
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  /** Comparisons that have finished, although that is not stored yet. */
  readonly endedIds?: readonly string[];
}

/** The ids of an account's comparisons, newest first. @param after the end of the previous page */
export async function findComparisonIds(
  database: SqlQueries,
  accountId: string,
  filter: ComparisonFilter,
  limit: number,
  after: { readonly at: Date; readonly id: string } | null,
  backwards: boolean,
): Promise<string[]> {
  const values: unknown[] = [];
  const value = (given: unknown): string => `$${values.push(given)}`;
  const parts = [`account_id = ${value(accountId)}`, ...conditions(filter, value)];
  const [beyond, order] = backwards ? ['>', 'asc'] : ['<', 'desc'];
  if (after !== null)
    parts.push(`(created_at, id) ${beyond} (${value(after.at)}::timestamptz, ${value(after.id)}::uuid)`);
  const found = await database.query<{ id: string }>(
    `select id from comparisons where ${parts.join(' and ')} order by created_at ${order}, id ${order} limit ${value(limit)}`,
    values,
  );
  return found.map(({ id }) => id);
}

const VOTED = 'exists (select from comparison_votes vote where vote.comparison_id = comparisons.id)';

/** @param value adds a parameter and returns its placeholder */
function conditions(filter: ComparisonFilter, value: (given: unknown) => string): string[] {
  const { kind, memberId, model, search, isRunning, isShared, isVoted, from, to, endedIds = [] } = filter;
  const parts: string[] = [];
  const either = (wanted: boolean | null | undefined, holds: string): void => {
    if (typeof wanted === 'boolean') parts.push(wanted ? holds : `not ${holds}`);
  };
  if (typeof isRunning === 'boolean')
    either(
      isRunning,
      `(ended_at is null and lease_until > clock_timestamp() and id <> all(${value(endedIds)}::uuid[]))`,
    );
  either(isShared, '(shared_at is not null)');
  either(isVoted, VOTED);
  if (kind) parts.push(`kind = ${value(kind)}`);
  if (memberId) parts.push(`member_id = ${value(memberId)}`);
  if (from) parts.push(`created_at >= ${value(from)}`);
  if (to) parts.push(`created_at < ${value(to)}`);
  if (model) {
    const name = value(searchText(model));
    parts.push(
      `exists (select from comparison_lanes lane where lane.comparison_id = comparisons.id and ${name} in (lane.model, lane.served_model))`,
    );
  }
  if (search) {
    const like = `ilike ${value(`%${searchText(search).replace(/[\\%_]/g, '\\$&')}%`)}`;
    const texts = ['name', "question ->> 'prompt'", "question ->> 'messages'", "question ->> 'texts'"];
    parts.push(`(${texts.map((text) => `${text} ${like}`).join(' or ')})`);
  }
  return parts;
}

function searchText(text: string): string {
  return storableText(text.slice(0, MAX_SEARCH_LENGTH));
}
