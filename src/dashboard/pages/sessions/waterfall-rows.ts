import type { SessionEntryFragment } from '../../generated/graphql.ts';

/** The heading of a step, above its requests. */
export interface StepRow {
  readonly kind: 'step';
  readonly key: string;
  readonly name: string;
}

/** A request with its place on the time axis, in parts of the session's duration. */
export interface TimedRequest {
  readonly kind: 'request';
  readonly key: string;
  readonly entry: SessionEntryFragment;
  readonly start: number;
  readonly width: number;
  /** The part of `width` before the first token of a streamed response. */
  readonly waited: number;
}

/** In ms. The charge of a video counts as no request and is dated at the end of the video. */
function beginOf({ createdAt, durationMs, requests }: SessionEntryFragment['request']): number {
  return Date.parse(createdAt) - (requests === 0 ? durationMs : 0);
}

export function rowsOf(entries: readonly SessionEntryFragment[]): (StepRow | TimedRequest)[] {
  const begins = entries.map(({ request }) => beginOf(request));
  const from = Math.min(...begins);
  const ends = entries.map(({ request }, index) => (begins[index] ?? from) + request.durationMs);
  const totalMs = Math.max(Math.max(...ends) - from, 1);
  const rows: (StepRow | TimedRequest)[] = [];
  let step: string | null = null;
  for (const [index, entry] of entries.entries()) {
    const { request, depth } = entry;
    if (depth === 0) step = null;
    if (entry.step != null && entry.step !== step) {
      step = entry.step;
      rows.push({ kind: 'step', key: `step ${step}`, name: step });
    }
    const { durationMs, firstTokenMs, streamed } = request;
    rows.push({
      kind: 'request',
      key: request.id,
      entry,
      start: ((begins[index] ?? from) - from) / totalMs,
      width: durationMs / totalMs,
      waited: !streamed || firstTokenMs == null || durationMs === 0 ? 0 : Math.min(firstTokenMs / durationMs, 1),
    });
  }
  return rows;
}
