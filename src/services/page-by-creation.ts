/** A row's position in the order of creation. */
export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageRequest {
  readonly limit: number;
  /** The position after which the page starts, in its direction; the end of the list where absent. */
  readonly from?: Position | undefined;
  /** From the end to the start of the list. */
  readonly backwards?: boolean | undefined;
}

export interface Page<Row> {
  /** In the requested direction. */
  readonly rows: readonly Row[];
  /** Whether there are more rows in that direction. */
  readonly hasMore: boolean;
}

interface Bound {
  /** Lets an index scan start at the position: `or` alone would scan from the end. */
  readonly createdAt: object;
  readonly $or: [{ createdAt: object }, { id: object }];
}

interface Order {
  readonly orderBy: [{ createdAt: 'asc' | 'desc' }, { id: 'asc' | 'desc' }];
  readonly limit: number;
}

/** A page in the order of creation, oldest first unless `newestFirst`; its cost does not grow with the page number. */
export async function pageOf<Row>(
  { limit, from, backwards = false }: PageRequest,
  find: (conditions: Bound[], order: Order) => Promise<Row[]>,
  newestFirst = false,
): Promise<Page<Row>> {
  const ascends = newestFirst === backwards;
  const direction = ascends ? 'asc' : 'desc';
  const conditions = from ? [beyond(from, ascends ? '$gt' : '$lt')] : [];
  const rows = await find(conditions, { orderBy: [{ createdAt: direction }, { id: direction }], limit: limit + 1 });
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

function beyond({ createdAt, id }: Position, way: '$gt' | '$lt'): Bound {
  return {
    createdAt: { [`${way}e`]: createdAt },
    $or: [{ createdAt: { [way]: createdAt } }, { id: { [way]: id } }],
  };
}
