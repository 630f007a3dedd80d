/** Part of a request's time. */
export interface Bar {
  readonly name: string;
  readonly note: string;
  /** Milliseconds since the request began. */
  readonly from: number;
  readonly ms: number;
  readonly kind: 'failed' | 'waiting' | 'responding';
}

interface Attempt {
  readonly model: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

interface TimedRequest {
  readonly model: string;
  readonly status: string;
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  readonly attempts: readonly Attempt[];
}

export function barsOf(log: TimedRequest): Bar[] {
  const bars: Bar[] = [];
  let at = 0;
  const failed = log.attempts.slice(0, -1);
  for (const attempt of failed) {
    bars.push({
      name: attempt.model,
      note: attempt.error ?? (attempt.status == null ? 'no response' : `HTTP ${attempt.status}`),
      from: at,
      ms: attempt.durationMs,
      kind: 'failed',
    });
    at += attempt.durationMs;
  }
  const last = log.attempts.at(-1);
  const note = last?.error ?? (last?.status == null ? '' : `HTTP ${last.status}`);
  const rest = Math.max(0, log.durationMs - at);
  const wait = log.firstTokenMs == null ? null : Math.max(0, log.firstTokenMs - at);
  const name = last?.model ?? log.model;
  const kind = log.status === 'FAILED' ? 'failed' : 'responding';
  if (wait === null || wait >= rest) return [...bars, { name, note, from: at, ms: rest, kind }];
  return [
    ...bars,
    { name: 'Time to first token', note: name, from: at, ms: wait, kind: 'waiting' },
    { name: 'Response', note, from: at + wait, ms: rest - wait, kind },
  ];
}
