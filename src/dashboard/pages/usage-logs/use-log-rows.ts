import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useConnection } from '../../data/graphql/hooks.ts';
import { toFailure, type Failure } from '../../data/failure.ts';
import { PackedRows, type Rows } from '../../data/packed-rows.ts';
import {
  UsageLogPageDocument,
  type LogRowFragment,
  type UsageLogFilter,
  type UsageLogPageQuery,
} from '../../generated/graphql.ts';

const PAGE_SIZE = 100;

interface Loaded {
  readonly rows: PackedRows<LogRowFragment>;
  readonly endCursor: string | null;
  readonly isComplete: boolean;
}

const noRows: Loaded = { rows: PackedRows.empty(), endCursor: null, isComplete: false };

export interface LogRows {
  readonly rows: Rows<LogRowFragment>;
  readonly isComplete: boolean;
  readonly fetching: boolean;
  readonly failure: Failure | null;
  /** Loads the next page, unless the last load failed. */
  fetchMore(): void;
  /** Loads the failed page again. */
  retry(): void;
  /** Reloads from the first page. */
  refetch(): void;
}

/** Filtered requests, the newest first, loaded by page. Not cached, because there may be 100,000 rows. */
export function useLogRows(filter: UsageLogFilter): LogRows {
  const { rows: client } = useConnection();
  const given = JSON.stringify(filter);
  const [reloads, setReloads] = useState(0);
  const [state, setState] = useState<Loaded & { readonly queryKey: string }>({ ...noRows, queryKey: '' });
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
    const variables = { filter: JSON.parse(given), first: PAGE_SIZE, after: endCursor };
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
    setState({
      queryKey,
      rows: rows.with(nodes),
      endCursor: pageInfo.endCursor ?? null,
      isComplete: !pageInfo.hasNextPage,
    });
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
  return useMemo(
    () => ({ rows: loaded.rows, isComplete: loaded.isComplete, fetching, failure, fetchMore, retry, refetch }),
    [loaded.rows, loaded.isComplete, fetching, failure, fetchMore, retry, refetch],
  );
}
