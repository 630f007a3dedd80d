import { SluiceError } from '../errors/index.ts';

/** How many rows a page may have, and has by default. */
export interface PageSizes {
  readonly max: number;
  readonly default: number;
}

const DEFAULT_SIZES: PageSizes = { max: 100, default: 20 };

/** The requested page of a list. */
export interface ListPageRequest {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the last item before the page. */
  readonly after: string | null;
}

/** Reads the query parameters `limit`, `order` and `after`. @throws SluiceError invalid_value | integer_* */
export function readListPage(
  query: Readonly<Record<string, unknown>>,
  sizes: PageSizes = DEFAULT_SIZES,
): ListPageRequest {
  const { limit, order, after } = query;
  if (order !== undefined && order !== 'asc' && order !== 'desc') throw invalid('order', "it must be 'asc' or 'desc'.");
  if (after !== undefined && typeof after !== 'string') throw invalid('after', 'it must be a single value.');
  return { limit: readLimit(limit, sizes), order: order ?? 'desc', after: after ?? null };
}

function readLimit(limit: unknown, sizes: PageSizes): number {
  if (limit === undefined) return sizes.default;
  if (typeof limit !== 'string' || !/^-?\d{1,9}$/.test(limit)) throw invalid('limit', 'it must be a whole number.');
  const rows = Number(limit);
  if (rows < 0) throw new SluiceError('integer_below_min_value', { param: 'limit', values: { limit: 0 } });
  if (rows > sizes.max)
    throw new SluiceError('integer_above_max_value', { param: 'limit', values: { limit: sizes.max } });
  return rows;
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('invalid_value', { param, values: { reason } });
}
