import { SluiceError } from '../errors/index.ts';

const MAX_ROWS = 100;
const DEFAULT_ROWS = 20;

/** The requested page of a list. */
export interface ListPageRequest {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the last item before the page. */
  readonly after: string | null;
}

/** Reads the query parameters `limit`, `order` and `after`. @throws SluiceError invalid_value | integer_* */
export function readListPage(query: Readonly<Record<string, unknown>>): ListPageRequest {
  const { limit, order, after } = query;
  if (order !== undefined && order !== 'asc' && order !== 'desc') throw invalid('order', "it must be 'asc' or 'desc'.");
  if (after !== undefined && typeof after !== 'string') throw invalid('after', 'it must be a single value.');
  return { limit: readLimit(limit), order: order ?? 'desc', after: after ?? null };
}

function readLimit(limit: unknown): number {
  if (limit === undefined) return DEFAULT_ROWS;
  if (typeof limit !== 'string' || !/^-?\d{1,9}$/.test(limit)) throw invalid('limit', 'it must be a whole number.');
  const rows = Number(limit);
  if (rows < 0) throw new SluiceError('integer_below_min_value', { param: 'limit', values: { limit: 0 } });
  if (rows > MAX_ROWS)
    throw new SluiceError('integer_above_max_value', { param: 'limit', values: { limit: MAX_ROWS } });
  return rows;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
