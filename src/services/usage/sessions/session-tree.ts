/** What places a request in its session. */
export interface PlacedRequest {
  readonly eventId: string;
  /** The request ID of another request, or the name of a step. */
  readonly parentId: string | null;
}

/** A request in the tree of its session. */
export interface TreeEntry<Row> {
  readonly row: Row;
  /** Number of requests and steps above it. */
  readonly depth: number;
  /** The event ID of the request that it is a part of; null for none in the session. */
  readonly parentEventId: string | null;
  /** The name of the step that it is a part of; null for none. */
  readonly step: string | null;
}

/**
 * Requests of a session with each request before its parts, and the requests of a step together. Siblings keep their order. A
 * parent in another session counts as none.
 * @param rows in order of time
 */
export function sessionTree<Row extends PlacedRequest>(rows: readonly Row[]): TreeEntry<Row>[] {
  const known = new Map(rows.map(({ eventId }) => [`req_${eventId.replaceAll('-', '')}`, eventId]));
  const children = Map.groupBy(rows, (row) => parentOf(row, known));
  const entries: TreeEntry<Row>[] = [];
  const placed = new Set<string>();
  const place = (row: Row, depth: number, parentEventId: string | null, step: string | null): void => {
    if (placed.has(row.eventId)) return;
    placed.add(row.eventId);
    entries.push({ row, depth, parentEventId, step });
    for (const child of children.get(row.eventId) ?? []) place(child, depth + 1, row.eventId, null);
  };
  const steps = new Set<string>();
  for (const row of children.get(null) ?? []) {
    const step = stepOf(row);
    if (step === null) place(row, 0, null, null);
    else if (!steps.has(step)) {
      steps.add(step);
      for (const other of children.get(null) ?? []) if (stepOf(other) === step) place(other, 1, null, step);
    }
  }
  // Requests that name each other as parents are no part of a tree.
  for (const row of rows) place(row, 0, null, null);
  return entries;
}

const requestIdForm = /^req_[0-9a-f]{32}$/;

function parentOf({ eventId, parentId }: PlacedRequest, known: ReadonlyMap<string, string>): string | null {
  const parent = parentId === null ? null : (known.get(parentId) ?? null);
  return parent === eventId ? null : parent;
}

/** A name that is no request ID. */
function stepOf({ parentId }: PlacedRequest): string | null {
  return parentId !== null && !requestIdForm.test(parentId) ? parentId : null;
}
