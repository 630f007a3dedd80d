/** The context of a span, as `traceparent` and `tracestate` carry it: https://www.w3.org/TR/trace-context/. */
export interface RemoteContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const SAMPLED_FLAG = 1;
/** Whether the trace ID is random. Level 2 of the specification. */
const RANDOM_FLAG = 2;
const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** What a participant has to pass on, in characters. */
const MAX_STATE_LENGTH = 512;
const statePattern = /^[\x20-\x7e]+$/;

/** @returns null for a header that must be ignored */
export function readTraceparent(traceparent: string | undefined): RemoteContext | null {
  if (traceparent === undefined) return null;
  const [, version, traceId = '', spanId = '', flags = '', further] = form.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && further !== undefined)) return null;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** @returns null for none that can be passed on */
export function readTracestate(tracestate: string | undefined): string | null {
  if (tracestate === undefined || tracestate.length > MAX_STATE_LENGTH) return null;
  return statePattern.test(tracestate) ? tracestate : null;
}

/** Headers of a request to a provider: names and values in turn. */
export function contextHeaders({ traceId, spanId, flags }: RemoteContext, state: string | null): readonly string[] {
  const parent = ['traceparent', `00-${traceId}-${spanId}-${flags < 16 ? '0' : ''}${flags.toString(16)}`];
  return state === null ? parent : [...parent, 'tracestate', state];
}

/** The flags of a span. @param parentFlags of its parent; null for a new trace, whose ID is random */
export function flagsOf(isSampled: boolean, parentFlags: number | null): number {
  const random = parentFlags === null ? RANDOM_FLAG : parentFlags & RANDOM_FLAG;
  return random | (isSampled ? SAMPLED_FLAG : 0);
}
