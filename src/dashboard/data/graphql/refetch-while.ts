import { useEffect, useRef } from 'react';
import type { QueryResult } from './hooks.ts';
import { refetchRepeatedly, type RefetchSchedule } from './refetch-loop.ts';

/** For what is usually stored within seconds, and may not exist at all. */
const untilStored: RefetchSchedule = { firstMs: 1_000, backsOff: 'always', totalMs: 600_000 };

/** Fetches again while `isAwaited`. A hidden page does not. */
export function useRefetchWhile(
  isAwaited: boolean,
  query: Pick<QueryResult<unknown>, 'refetch' | 'isInFlight' | 'failure'>,
  { firstMs, backsOff, totalMs }: RefetchSchedule = untilStored,
): void {
  const latest = useRef(query);
  useEffect(() => {
    latest.current = query;
  });
  useEffect(() => {
    if (!isAwaited) return undefined;
    return refetchRepeatedly(
      { firstMs, backsOff, totalMs },
      {
        isReady: () => !document.hidden && !latest.current.isInFlight,
        hasFailed: () => latest.current.failure !== null,
        refetch: () => latest.current.refetch(),
      },
    );
  }, [isAwaited, firstMs, backsOff, totalMs]);
}
