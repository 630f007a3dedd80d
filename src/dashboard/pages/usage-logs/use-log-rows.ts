import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type Dispatch,
  type RefObject,
  type SetStateAction,
} from 'react';
import { useConnection } from '../../data/graphql/hooks.ts';
import { toFailure, type Failure } from '../../data/failure.ts';
import { PackedRows, type Rows } from '../../data/packed-rows.ts';
import {
  UsageLogPageDocument,
  type UsageLogFilter,
  type UsageLogOrder,
  type UsageLogPageQuery,
} from '../../generated/graphql.ts';

import type { LogRow } from './log-columns.tsx';

const PAGE_SIZE = 100;

interface Loaded {
  readonly rows: PackedRows<LogRow>;
  /** IDs of the rows that were inserted last. */
  readonly arrived: ReadonlySet<string>;
  readonly endCursor: string | null;
  readonly isComplete: boolean;
}

const noRows: Loaded = { rows: PackedRows.empty(), arrived: new Set(), endCursor: null, isComplete: false };

export interface LogRows {
  readonly rows: Rows<LogRow>;
  /** IDs of the rows that were inserted last. */
  readonly arrived: ReadonlySet<string>;
  readonly isComplete: boolean;
  /** Whether the first page is loaded. */
  readonly isLoaded: boolean;
  readonly fetching: boolean;
  readonly failure: Failure | null;
  /** Loads the next page, unless the last load failed. */
  fetchMore(): void;
  /** Loads the failed page again. */
  retry(): void;
  /** Reloads from the first page. */
  refetch(): void;
  /** Of these rows, newest first, those that belong among the loaded ones and are not there. */
  missing(rows: readonly LogRow[]): readonly LogRow[];
  /** Inserts such rows. */
  insert(rows: readonly LogRow[]): void;
}

/** The newest first; the order of the log. */
export function newestFirst(one: LogRow, other: LogRow): number {
  if (one.requestId === other.requestId) return 0;
  const difference = Date.parse(other.createdAt) - Date.parse(one.createdAt);
  return difference || (one.requestId < other.requestId ? 1 : -1);
}

/** Filtered requests, loaded by page. Not cached, because there may be 100,000 rows. */
export function useLogRows(filter: UsageLogFilter, orderBy: UsageLogOrder, withFeedback: boolean): LogRows {
  const { rows: client } = useConnection();
  const given = JSON.stringify({ filter, orderBy, withFeedback });
  const [reloads, setReloads] = useState(0);
  const [state, setState] = useState<Keyed>({ ...noRows, queryKey: '' });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [fetching, setFetching] = useState(false);
  const queryKey = `${reloads} ${given}`;
  const loaded = state.queryKey === queryKey ? state : { ...noRows, queryKey };
  const current = useRef(loaded);
  const isBusy = useRef<string | null>(null);
  // A layout effect runs before the effects of the list, which may load more rows.
  useLayoutEffect(() => {
    current.current = loaded;
  });

  const load = useCallback(async () => {
    const { isComplete, endCursor, rows } = current.current;
    if (isComplete || isBusy.current === queryKey || current.current.queryKey !== queryKey) return;
    isBusy.current = queryKey;
    setFetching(true);
    setFailure(null);
    const variables = { ...JSON.parse(given), first: PAGE_SIZE, after: endCursor };
    const { data, error } = await client
      .query<UsageLogPageQuery, typeof variables>(UsageLogPageDocument.toString(), variables)
      .toPromise();
    if (isBusy.current !== queryKey) return;
    isBusy.current = null;
    setFetching(false);
    if (error || data === undefined) {
      setFailure(toFailure(error));
      return;
    }
    const { nodes, pageInfo } = data.usageLogs;
    setState((before) => ({
      queryKey,
      // Rows may have been inserted in the meantime.
      rows: (before.queryKey === queryKey ? before.rows : rows).with(nodes),
      arrived: noRows.arrived,
      endCursor: pageInfo.endCursor ?? null,
      isComplete: !pageInfo.hasNextPage,
    }));
  }, [client, queryKey, given]);

  useEffect(() => {
    void load();
    return () => {
      isBusy.current = null;
    };
  }, [load]);

  const hasFailed = failure !== null;
  const fetchMore = useCallback(() => {
    if (current.current.rows.length > 0 && !hasFailed) void load();
  }, [load, hasFailed]);
  const retry = useCallback(() => void load(), [load]);
  const refetch = useCallback(() => setReloads((before) => before + 1), []);
  const { missing, insert } = useInsertion(current, queryKey, setState);
  return useMemo(
    () => ({
      rows: loaded.rows,
      arrived: loaded.arrived,
      isComplete: loaded.isComplete,
      isLoaded: loaded.isComplete || loaded.rows.length > 0,
      fetching,
      failure,
      fetchMore,
      retry,
      refetch,
      missing,
      insert,
    }),
    [loaded.rows, loaded.arrived, loaded.isComplete, fetching, failure, fetchMore, retry, refetch, missing, insert],
  );
}

type Keyed = Loaded & { readonly queryKey: string };

function useInsertion(
  current: RefObject<Keyed>,
  queryKey: string,
  setState: Dispatch<SetStateAction<Keyed>>,
): Pick<LogRows, 'missing' | 'insert'> {
  const missing = useCallback((rows: readonly LogRow[]) => missingFrom(current.current, rows), [current]);
  const insert = useCallback(
    (rows: readonly LogRow[]) =>
      setState((before) => (before.queryKey === queryKey ? { ...before, ...withInserted(before, rows) } : before)),
    [queryKey, setState],
  );
  return { missing, insert };
}

function withInserted(loaded: Loaded, found: readonly LogRow[]): Loaded {
  const missed = missingFrom(loaded, found);
  if (missed.length === 0) return loaded;
  return {
    ...loaded,
    rows: loaded.rows.inserted(missed, newestFirst),
    arrived: new Set(missed.map(({ id }) => id)),
  };
}

/** Rows after the last loaded one come with their page. */
function missingFrom({ rows, isComplete }: Loaded, found: readonly LogRow[]): readonly LogRow[] {
  const last = rows.slice(rows.length - 1, rows.length)[0];
  if (last === undefined && !isComplete) return [];
  return found.filter(
    (row) =>
      (isComplete || last === undefined || newestFirst(row, last) < 0) && rows.inserted([row], newestFirst) !== rows,
  );
}
