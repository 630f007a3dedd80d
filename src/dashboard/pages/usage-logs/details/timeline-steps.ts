import { duration, words } from '../../../design/format.ts';

/** What happened to a request, and when. */
export interface TimelineStep {
  readonly name: string;
  readonly note: string;
  /** Milliseconds since the request arrived. */
  readonly at: number;
  readonly isFailure: boolean;
}

interface Attempt {
  readonly provider: string;
  readonly model: string;
  readonly status: number | null;
  readonly error: string | null;
  /** Since the request arrived; null for 0, and where it was not recorded: it followed the attempt before. */
  readonly startedMs: number | null;
  readonly headMs: number | null;
  readonly durationMs: number;
}

export interface TimedRequest {
  readonly status: string;
  readonly streamed: boolean;
  readonly durationMs: number;
  readonly firstTokenMs: number | null;
  /** Null where it was not recorded, as by earlier versions. */
  readonly admittedMs: number | null;
  /** Null as above, and for none. */
  readonly lastOutputMs: number | null;
  readonly attempts: readonly Attempt[];
}

/** In the order of time: admission, each attempt with its outcome, the first and the last token, settlement. */
export function timelineOf(request: TimedRequest): TimelineStep[] {
  const { status, streamed, durationMs, firstTokenMs, admittedMs, lastOutputMs, attempts } = request;
  const steps: TimelineStep[] = [step('Received', '', 0)];
  const hasFailed = status === 'FAILED' || status === 'INTERRUPTED';
  const admitted = admittedMs ?? attempts[0]?.startedMs ?? (attempts.length > 0 ? 0 : null);
  if (admitted !== null) steps.push(step('Admitted', 'limits checked, target selected', admitted));
  let before = admitted ?? 0;
  for (const [index, attempt] of attempts.entries()) {
    const isLast = index === attempts.length - 1;
    const at = Math.max(before, attempt.startedMs ?? before);
    steps.push(step(`Attempt ${index + 1} sent`, `${attempt.provider}: ${attempt.model}`, at));
    if (attempt.headMs !== null)
      steps.push(
        step('Response headers', attempt.status === null ? '' : `HTTP ${attempt.status}`, at + attempt.headMs),
      );
    if (isLast && firstTokenMs !== null) steps.push(step('First token', sinceSent(firstTokenMs - at), firstTokenMs));
    before = Math.max(at + attempt.durationMs, (isLast && firstTokenMs) || 0);
    const outputEnd = lastOutputMs ?? (attempt.error === null && status === 'SUCCEEDED' ? before : null);
    if (isLast && outputEnd !== null)
      steps.push(step(streamed ? 'Last token' : 'Response complete', answered(attempt), outputEnd));
    if (attempt.error !== null)
      steps.push({ ...step(`Attempt ${index + 1} failed`, failure(attempt), before), isFailure: true });
  }
  return [
    ...steps,
    { ...step('Settled', words(status).toLowerCase(), Math.max(durationMs, before)), isFailure: hasFailed },
  ];
}

function step(name: string, note: string, at: number): TimelineStep {
  return { name, note, at, isFailure: false };
}

function sinceSent(ms: number): string {
  return ms > 0 ? `${duration(ms)} after it was sent` : '';
}

function failure({ status, error }: Attempt): string {
  return [error, status === null ? 'no response' : `HTTP ${status}`].filter(Boolean).join(', ');
}

function answered({ status }: Attempt): string {
  return status === null ? '' : `HTTP ${status}`;
}
