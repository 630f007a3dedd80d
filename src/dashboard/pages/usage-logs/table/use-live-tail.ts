import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import type { Failure } from '../../../data/failure.ts';
import { useConnection, useSubscription } from '../../../data/graphql/hooks.ts';
import {
  NewRequestsDocument,
  UsageLogPageDocument,
  type UsageLogFilter,
  type UsageLogPageQuery,
} from '../../../generated/graphql.ts';
import type { LogRow } from '../log-columns.tsx';
import { newestFirst, type LogRows } from '../use-log-rows.ts';
import { startOf } from '../filter.ts';

/** The log has a request within a second after its end. */
const SETTLEMENT_DELAY_MS = 1_200;
/** Rejected requests have no event: they are looked for at this interval. */
const RECHECK_MS = 10_000;
/** Rows are read until they are older than the last read by this: requests of other instances are stored later. */
const OVERLAP_MS = 10_000;
const PAGE_SIZE = 100;
/** After more new rows than these pages have, the log is loaded again. */
const MAX_PAGES = 5;
/** How often an ended request is looked for; it may not match the filter. */
const MAX_LOOKS = 3;

export interface LiveTail {
  /** New rows that are not shown yet, while the table is held. */
  readonly waiting: number;
  /** Whether the log must be loaded again, because events or too many rows were missed. */
  readonly hasGap: boolean;
  readonly failure: Failure | null;
  /** Shows the rows that wait. */
  show(): void;
}

/** What is known between two reads. */
interface Tail {
  /** Ended requests that are not found yet, with the number of reads since. */
  readonly ended: Map<string, number>;
  readonly waiting: Map<string, LogRow>;
  readAt: number;
  /** The next read. */
  timer: ReturnType<typeof setTimeout> | null;
  dueAt: number;
  isReading: boolean;
  hasGap: boolean;
}

/**
 * Inserts new requests into a log that is sorted by time, the newest first. Each is read from the log itself, so that its row
 * is complete and matches the filter.
 * @param isHeld whether new rows wait, because the table is being read
 */
export function useLiveTail(
  filter: UsageLogFilter,
  logs: LogRows,
  { isOn, isHeld, withFeedback }: { readonly isOn: boolean; readonly isHeld: boolean; readonly withFeedback: boolean },
): LiveTail {
  const { rows: client } = useConnection();
  const given = JSON.stringify({ filter, withFeedback });
  const [shown, setShown] = useState({ waiting: 0, hasGap: false });
  const tail = useRef<Tail>(newTail());
  const latest = useRef({ logs, isHeld });
  useEffect(() => {
    latest.current = { logs, isHeld };
  });

  const show = useCallback(() => {
    const { waiting, hasGap } = tail.current;
    if (hasGap) latest.current.logs.refetch();
    else latest.current.logs.insert([...waiting.values()].toSorted(newestFirst));
    waiting.clear();
    tail.current.hasGap = false;
    setShown({ waiting: 0, hasGap: false });
  }, []);

  const read = useCallback(async () => {
    const state = tail.current;
    state.timer = null;
    state.isReading = true;
    const startedAt = Date.now();
    const until = Math.min(state.readAt - OVERLAP_MS, ...[...state.ended.keys()].map(startOf));
    // Nothing can be inserted before the first page is there.
    const found = latest.current.logs.isLoaded ? await readRows(client, JSON.parse(given), until) : null;
    if (tail.current !== state) return;
    state.isReading = false;
    if (found !== null) {
      state.readAt = startedAt;
      if (!found.isComplete) state.hasGap = true;
      lookedFor(state.ended, found.rows);
      for (const row of latest.current.logs.missing(found.rows)) state.waiting.set(row.id, row);
    }
    if (state.waiting.size > 0 || state.hasGap) {
      if (latest.current.isHeld) setShown({ waiting: state.waiting.size, hasGap: state.hasGap });
      else show();
    }
    schedule(state, read, found === null || state.ended.size > 0 ? SETTLEMENT_DELAY_MS : RECHECK_MS);
  }, [client, given, show]);

  useEffect(() => {
    if (!isOn) return undefined;
    const state = newTail();
    tail.current = state;
    setShown({ waiting: 0, hasGap: false });
    // What ended before the events came is in no event.
    schedule(state, read, SETTLEMENT_DELAY_MS);
    return () => {
      if (state.timer !== null) clearTimeout(state.timer);
      tail.current = newTail();
    };
  }, [isOn, read]);

  useEffect(() => {
    if (!isHeld && (tail.current.waiting.size > 0 || tail.current.hasGap)) show();
  }, [isHeld, show]);

  return { ...shown, failure: useEnded(tail, read, isOn), show };
}

/** Notes the requests that end. @returns why that is not possible */
function useEnded(tail: RefObject<Tail>, read: () => Promise<void>, isOn: boolean): Failure | null {
  return useSubscription(
    NewRequestsDocument,
    {},
    ({ liveCompletions: { cursor, requestId, event } }) => {
      const state = tail.current;
      const hasEnded = event.__typename === 'CompletionFinished' || event.__typename === 'CompletionFailed';
      if (event.__typename === 'EventGap') state.hasGap = true;
      else if (!hasEnded || requestId == null) return cursor;
      else state.ended.set(requestId, 0);
      if (!state.isReading) schedule(state, read, SETTLEMENT_DELAY_MS);
      return cursor;
    },
    { pause: !isOn },
  );
}

function newTail(): Tail {
  return {
    ended: new Map(),
    waiting: new Map(),
    readAt: Date.now(),
    timer: null,
    dueAt: 0,
    isReading: false,
    hasGap: false,
  };
}

/** Removes those that are found, and those that were looked for often enough. */
function lookedFor(ended: Map<string, number>, found: readonly LogRow[]): void {
  for (const { requestId } of found) ended.delete(requestId);
  for (const [requestId, looks] of ended)
    if (looks + 1 >= MAX_LOOKS) ended.delete(requestId);
    else ended.set(requestId, looks + 1);
}

/** Unless a read is due before. */
function schedule(state: Tail, read: () => Promise<void>, delayMs: number): void {
  const dueAt = Date.now() + delayMs;
  if (state.timer !== null && state.dueAt <= dueAt) return;
  if (state.timer !== null) clearTimeout(state.timer);
  state.dueAt = dueAt;
  state.timer = setTimeout(() => void read(), delayMs);
}

/** The newest rows until one began before `until`, in ms. Null if they cannot be read. */
async function readRows(
  client: ReturnType<typeof useConnection>['rows'],
  given: object,
  until: number,
): Promise<{ readonly rows: readonly LogRow[]; readonly isComplete: boolean } | null> {
  const rows: LogRow[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const { data } = await client
      .query<UsageLogPageQuery, object>(UsageLogPageDocument.toString(), { ...given, first: PAGE_SIZE, after })
      .toPromise();
    if (data === undefined) return null;
    const { nodes, pageInfo }: UsageLogPageQuery['usageLogs'] = data.usageLogs;
    rows.push(...nodes);
    const last = nodes.at(-1);
    if (!pageInfo.hasNextPage || last === undefined || Date.parse(last.createdAt) < until)
      return { rows, isComplete: true };
    after = pageInfo.endCursor ?? null;
  }
  return { rows, isComplete: false };
}
