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

const PAGE = 100;

interface Loaded {
  readonly rows: PackedRows<LogRowFragment>;
  readonly endCursor: string | null;
  readonly isComplete: boolean;
}

const nothing: Loaded = { rows: PackedRows.empty(), endCursor: null, isComplete: false };

export interface LogRows {
  readonly rows: Rows<LogRowFragment>;
  readonly isComplete: boolean;
  readonly fetching: boolean;
  readonly failure: Failure | null;
  /** Loads the next page, unless the last load failed. */
  more(): void;
  /** Loads the failed page again. */
  retry(): void;
  /** Reloads from the first page. */
  again(): void;
}

/** Filtered requests, the newest first, loaded by page. Not cached, because there may be 100,000 rows. */
export function useLogRows(filter: UsageLogFilter): LogRows {
  const { rows: client } = useConnection();
  const given = JSON.stringify(filter);
  const [reloads, setReloads] = useState(0);
  const [state, setState] = useState<Loaded & { readonly of: string }>({ ...nothing, of: '' });
  const [failure, setFailure] = useState<Failure | null>(null);
  const [fetching, setFetching] = useState(false);
  const of = `${reloads} ${given}`;
  const loaded = state.of === of ? state : { ...nothing, of };
  const current = useRef(loaded);
  const isBusy = useRef<string | null>(null);
  // A layout effect runs before the effects of the list, which may load more rows.
  useLayoutEffect(() => {
    current.current = loaded;
  });

  const load = useCallback(async () => {
    const { isComplete, endCursor, rows } = current.current;
    if (isComplete || isBusy.current === of || current.current.of !== of) return;
    isBusy.current = of;
    setFetching(true);
    setFailure(null);
    const variables = { filter: JSON.parse(given), first: PAGE, after: endCursor };
    const { data, error } = await client
      .query<UsageLogPageQuery, typeof variables>(UsageLogPageDocument.toString(), variables)
      .toPromise();
    if (isBusy.current !== of) return;
    isBusy.current = null;
    setFetching(false);
    if (error || data === undefined) {
      setFailure(toFailure(error));
      return;
    }
    const { nodes, pageInfo } = data.usageLogs;
    setState({ of, rows: rows.with(nodes), endCursor: pageInfo.endCursor ?? null, isComplete: !pageInfo.hasNextPage });
  }, [client, of, given]);

  useEffect(() => {
    void load();
    return () => {
      isBusy.current = null;
    };
  }, [load]);

  const hasFailed = failure !== null;
  const more = useCallback(() => {
    if (current.current.rows.length > 0 && !hasFailed) void load();
  }, [load, hasFailed]);
  const retry = useCallback(() => void load(), [load]);
  const again = useCallback(() => setReloads((before) => before + 1), []);
  return useMemo(
    () => ({ rows: loaded.rows, isComplete: loaded.isComplete, fetching, failure, more, retry, again }),
    [loaded.rows, loaded.isComplete, fetching, failure, more, retry, again],
  );
}
