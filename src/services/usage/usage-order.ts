/** What the log can be sorted by, beside time: SQL expressions of whole numbers. */
const sortFigures = {
  cost: 'cost_nano',
  duration: 'duration_ms',
  tokens: 'input_tokens::bigint + output_tokens',
} as const;

/** Sort orders of the usage log. */
export const usageOrders = [
  'time_desc',
  'time_asc',
  'cost_desc',
  'cost_asc',
  'duration_desc',
  'duration_asc',
  'tokens_desc',
  'tokens_asc',
] as const;
export type UsageOrder = (typeof usageOrders)[number];

/** Time is sorted over an index. */
export type TimeOrder = 'time_desc' | 'time_asc';
/** Nothing else is indexed: a figure sorts the latest matching requests, at most `MAX_SORTED`. */
export type FigureOrder = Exclude<UsageOrder, TimeOrder>;

/** Requests that are sorted by a figure. */
export const MAX_SORTED = 10_000;

export function isTimeOrder(order: UsageOrder): order is TimeOrder {
  return order === 'time_desc' || order === 'time_asc';
}

/** The SQL of a figure order. */
export function figureSql(order: FigureOrder): { readonly figure: string; readonly descends: boolean } {
  switch (order) {
    case 'cost_desc':
    case 'cost_asc':
      return { figure: sortFigures.cost, descends: order === 'cost_desc' };
    case 'duration_desc':
    case 'duration_asc':
      return { figure: sortFigures.duration, descends: order === 'duration_desc' };
    default:
      return { figure: sortFigures.tokens, descends: order === 'tokens_desc' };
  }
}
