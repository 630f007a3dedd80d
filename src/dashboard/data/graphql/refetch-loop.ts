/** When a query is fetched again. */
export interface RefetchSchedule {
  readonly firstMs: number;
  /** Each wait is twice the one before: always, or after a failed response only. */
  readonly backsOff: 'always' | 'after-failure';
  /** Ends after waits of this length together; null for never. */
  readonly totalMs: number | null;
}

export interface Refetched {
  /** False while a response is awaited, or nobody looks. */
  isReady(): boolean;
  /** Whether the last response was a failure. */
  hasFailed(): boolean;
  refetch(): void;
}

const MAX_MS = 30_000;

/** Fetches again and again, one request at a time. @returns ends it */
export function refetchRepeatedly({ firstMs, backsOff, totalMs }: RefetchSchedule, query: Refetched): () => void {
  let delayMs = firstMs;
  let waitedMs = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => {
    timer = setTimeout(() => {
      if (query.isReady()) {
        waitedMs += delayMs;
        delayMs = backsOff === 'always' || query.hasFailed() ? Math.min(delayMs * 2, MAX_MS) : firstMs;
        query.refetch();
      }
      if (totalMs === null || waitedMs < totalMs) wait();
    }, delayMs);
  };
  wait();
  return () => clearTimeout(timer);
}
