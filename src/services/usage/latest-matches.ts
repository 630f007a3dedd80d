import type { SqlQueries } from '../../database/sql.ts';
import { searchWindows } from '../content-search/search-windows.ts';
import type { TextSearch } from '../content-search/text-conditions.ts';
import { numbered, type RowCondition } from '../row-condition.ts';

/** The latest requests whose content has some words, in order of their time. */
export interface LatestMatches {
  /** Conditions that these requests meet, and no others. */
  readonly conditions: readonly RowCondition[];
  /** When the first and the last of them began; null if there are none. */
  readonly began: { readonly first: Date; readonly last: Date } | null;
  /** Whether earlier requests match as well. */
  readonly hasMore: boolean;
}

/** Statistics of one window; the IDs as PostgreSQL writes an array, so that they return as they came. */
interface WindowRow {
  readonly ids: string | null;
  readonly found: string;
  readonly first_ms: string | null;
  readonly last_ms: string | null;
}

/**
 * The latest `limit` requests of an account that match: the work is bounded by that number where words are frequent, and by the
 * number of matches where they are rare.
 * @param conditions of the requests, besides the text and the range
 */
export async function latestMatches(
  database: SqlQueries,
  search: TextSearch,
  range: { readonly from?: Date | undefined; readonly to?: Date | undefined },
  conditions: readonly RowCondition[],
  limit: number,
): Promise<LatestMatches> {
  const ids: string[] = [];
  let [found, first, last, hasMore]: [number, number | null, number | null, boolean] = [0, null, null, false];
  const wish = { descends: true, isNarrowed: conditions.length > 0, wanted: { limit, found: () => found } };
  for await (const window of searchWindows(database, search, range, wish)) {
    const values: unknown[] = [search.accountId, limit - found];
    const narrowing = numbered([...conditions, ...window], values);
    const [row] = await database.query<WindowRow>(
      // One row more than wanted shows whether there are more.
      `with matching as materialized (
         select event_id, began_at from usage_logs where account_id = $1${narrowing}
         order by began_at desc, event_id desc limit $2::bigint + 1
       ), listed as (select * from matching order by began_at desc, event_id desc limit $2)
       select array_agg(event_id)::text as ids, (select count(*) from matching) as found,
         (extract(epoch from min(began_at)) * 1000)::bigint as first_ms,
         (extract(epoch from max(began_at)) * 1000)::bigint as last_ms
       from listed`,
      values,
    );
    if (row === undefined) continue;
    if (row.ids !== null && row.ids !== '{}') {
      ids.push(row.ids.slice(1, -1));
      first = Number(row.first_ms);
      last ??= Number(row.last_ms);
    }
    hasMore = Number(row.found) > limit - found;
    found += Number(row.found);
    if (hasMore) break;
  }
  if (first === null || last === null) return { conditions: [{ sql: 'false', values: [] }], began: null, hasMore };
  const began = { first: new Date(first), last: new Date(last) };
  const listed = { sql: 'event_id = any(?::uuid[])', values: [`{${ids.join(',')}}`] };
  return {
    conditions: [{ sql: 'began_at >= ? and began_at <= ?', values: [began.first, began.last] }, listed],
    began,
    hasMore,
  };
}
