import { duration } from '../../../design/format.ts';

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
  /** Since the request began; null where it was not recorded: it followed the attempt before. */
  readonly startedMs: number | null;
  /** From its start to the head of a streamed response. */
  readonly headMs: number | null;
  readonly durationMs: number;
}

/** Shorter pauses between attempts are part of no bar. */
const MIN_PAUSE_MS = 2;

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
  for (const [index, attempt] of failed.entries()) {
    at = begin(bars, attempt, at, index);
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
  if (last !== undefined) at = begin(bars, last, at, failed.length);
  const note = last?.error ?? (last?.status == null ? '' : `HTTP ${last.status}`);
  const rest = Math.max(0, log.durationMs - at);
  const wait = log.firstTokenMs == null ? null : Math.max(0, log.firstTokenMs - at);
  const name = last?.model ?? log.model;
  const kind = log.status === 'FAILED' ? 'failed' : 'responding';
  if (wait === null || wait >= rest) return [...bars, { name, note, from: at, ms: rest, kind }];
  return [
    ...bars,
    { name: 'Time to first token', note: withHead(name, last?.headMs ?? null), from: at, ms: wait, kind: 'waiting' },
    { name: 'Response', note, from: at + wait, ms: rest - wait, kind },
  ];
}

/** Adds a bar for what passed before an attempt: admission, or the wait before a retry. @returns when the attempt started */
function begin(bars: Bar[], { startedMs }: Attempt, after: number, index: number): number {
  const from = Math.max(after, startedMs ?? after);
  const name = index === 0 ? 'Admission' : 'Wait';
  const note = index === 0 ? 'limits and routing' : 'before the next attempt';
  if (from - after >= MIN_PAUSE_MS) bars.push({ name, note, from: after, ms: from - after, kind: 'waiting' });
  return from;
}

function withHead(name: string, headMs: number | null): string {
  return headMs === null ? name : `${name}, headers after ${duration(headMs)}`;
}
