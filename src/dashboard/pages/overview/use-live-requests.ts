import { useCallback, useEffect, useRef, useState } from 'react';
import { useSubscription } from '../../data/graphql/hooks.ts';
import type { Failure } from '../../data/failure.ts';
import { LiveDocument, type LiveSubscription } from '../../generated/graphql.ts';

/** The current state of one request. */
export interface LiveRequest {
  readonly requestId: string;
  readonly model: string;
  readonly at: string;
  readonly state: 'running' | 'finished' | 'failed';
  readonly text: string;
  readonly tokens: number | null;
  readonly durationMs: number | null;
  readonly cost: string | null;
  readonly error: string | null;
}

export interface LiveRequests {
  readonly requests: readonly LiveRequest[];
  readonly isPaused: boolean;
  pause(paused: boolean): void;
  readonly hasGap: boolean;
  readonly failure: Failure | null;
}

const MAX_REQUESTS = 50;
const MAX_TEXT_LENGTH = 160;
/** Usage totals contain a settled request within a second. */
const SETTLEMENT_DELAY_MS = 1_200;
/** Minimum interval between two reads of the totals. */
const MIN_REFRESH_INTERVAL_MS = 5_000;

/**
 * The account's live requests, the newest first. Events are applied once per animation frame, and queued while paused.
 * @param onSettled called when the totals contain the usage of ended requests
 */
export function useLiveRequests(onSettled: () => void): LiveRequests {
  const [requests, setRequests] = useState<readonly LiveRequest[]>([]);
  const [isPaused, setPaused] = useState(false);
  const [hasGap, setHasGap] = useState(false);
  const waiting = useRef<LiveSubscription['liveCompletions'][]>([]);
  const paused = useRef(false);
  const frame = useRef<number | null>(null);
  const settling = useRef<ReturnType<typeof setTimeout> | null>(null);
  const refreshed = useRef(0);
  const settled = useRef(onSettled);
  useEffect(() => {
    settled.current = onSettled;
  });
  useEffect(
    () => () => {
      if (frame.current !== null) cancelAnimationFrame(frame.current);
      if (settling.current !== null) clearTimeout(settling.current);
    },
    [],
  );

  const flush = useCallback(() => {
    frame.current = null;
    if (paused.current) return;
    const events = waiting.current;
    waiting.current = [];
    setRequests((before) => events.reduce(withEvent, before).slice(0, MAX_REQUESTS));
  }, []);
  const schedule = useCallback(() => {
    frame.current ??= requestAnimationFrame(flush);
  }, [flush]);

  const failure = useSubscription(LiveDocument, {}, ({ liveCompletions: event }) => {
    const kind = event.event.__typename;
    if (kind === 'EventGap') setHasGap(true);
    else {
      waiting.current.push(event);
      schedule();
    }
    if (kind === 'CompletionFinished' || kind === 'CompletionFailed')
      settling.current ??= setTimeout(
        () => {
          settling.current = null;
          refreshed.current = Date.now();
          settled.current();
        },
        Math.max(SETTLEMENT_DELAY_MS, refreshed.current + MIN_REFRESH_INTERVAL_MS - Date.now()),
      );
    return event.cursor;
  });

  const pause = useCallback(
    (next: boolean) => {
      paused.current = next;
      setPaused(next);
      if (!next) schedule();
    },
    [schedule],
  );
  return { requests, isPaused, pause, hasGap, failure };
}

function withEvent(
  before: readonly LiveRequest[],
  { requestId, model, at, event }: LiveSubscription['liveCompletions'],
): readonly LiveRequest[] {
  if (requestId == null) return before;
  const index = before.findIndex((each) => each.requestId === requestId);
  const known: LiveRequest = before[index] ?? {
    requestId,
    model: model ?? '',
    at,
    state: 'running',
    text: '',
    tokens: null,
    durationMs: null,
    cost: null,
    error: null,
  };
  const next = { ...known, model: model ?? known.model, ...changesFrom(known, event) };
  return index < 0 ? [next, ...before] : before.with(index, next);
}

function changesFrom(known: LiveRequest, event: LiveSubscription['liveCompletions']['event']): Partial<LiveRequest> {
  switch (event.__typename) {
    case 'CompletionDelta':
      return { text: (known.text + event.text).slice(-MAX_TEXT_LENGTH) };
    case 'CompletionFinished':
      return {
        state: 'finished',
        tokens: event.usage.inputTokens + event.usage.outputTokens,
        durationMs: event.durationMs,
        cost: event.cost.amount,
      };
    case 'CompletionFailed':
      return { state: 'failed', error: event.message };
    default:
      return {};
  }
}
