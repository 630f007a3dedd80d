import { useCallback, useMemo, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useSubscription } from '../../data/graphql/hooks.ts';
import { usePages } from '../../data/graphql/pages.ts';
import { useReconnect } from '../../data/graphql/reconnect.ts';
import { BatchesDocument, BatchProgressDocument, type BatchPartsFragment } from '../../generated/graphql.ts';
import { later, withUpdates } from './latest.ts';

const PAGE_SIZE = 50;

export interface LiveBatches {
  /** Newest first; null until loaded. */
  readonly nodes: readonly BatchPartsFragment[] | null;
  readonly hasMore: boolean;
  readonly failure: Failure | null;
  /** Why changes are not received. */
  readonly liveFailure: Failure | null;
  fetchMore(): void;
  refetch(): void;
  /** The latest state of a batch that was read apart. */
  live(batch: BatchPartsFragment): BatchPartsFragment;
}

/** The account's batches with their changes as they happen. */
export function useLiveBatches(): LiveBatches {
  const { nodes, hasMore, failure, fetchMore, refetch } = usePages(
    BatchesDocument,
    { first: PAGE_SIZE },
    ({ batches }) => batches,
  );
  const [updates, setUpdates] = useState<ReadonlyMap<string, BatchPartsFragment>>(new Map());
  const liveFailure = useSubscription(BatchProgressDocument, {}, ({ batchProgress }) => {
    setUpdates((before) => new Map(before).set(batchProgress.id, batchProgress));
    return null;
  });
  const reload = useCallback((): void => {
    // Those that were added to the list are read again with it: they may have been deleted.
    const listed = new Set(nodes?.map(({ id }) => id));
    setUpdates((before) => new Map([...before].filter(([id]) => listed.has(id))));
    refetch();
  }, [nodes, refetch]);
  useReconnect(reload);
  return {
    nodes: useMemo(() => nodes && withUpdates(nodes, updates), [nodes, updates]),
    hasMore,
    failure,
    liveFailure,
    fetchMore,
    refetch: reload,
    live: useCallback((batch) => later(batch, updates.get(batch.id) ?? batch), [updates]),
  };
}
