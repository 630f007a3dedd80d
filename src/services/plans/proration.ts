import type { Period } from '../../calendar/period.ts';

const SECOND_MS = 1_000;

/** A fee or an allowance, and the whole period that it is for. */
export interface Charge {
  readonly amountNano: bigint;
  readonly period: Period;
}

/**
 * What a change of plans at a moment makes due, in nano-USD: the new fee's share for what is left of its period, less the old
 * one's. To the second, exact, and rounded once, half away from zero: a change and its reverse are the same amount. Negative
 * where more is given back than is due. A period that begins at this very moment is charged whole, as every period is when it
 * begins, and has no part in this.
 */
export function proratedNano(from: Charge, to: Charge, at: number): bigint {
  const old = shareLeft(from, at);
  const next = shareLeft(to, at);
  return roundedQuotient(next.part * old.whole - old.part * next.whole, next.whole * old.whole);
}

/** What of it falls on the rest of its period, in nano-USD: all of it at the period's start. */
export function restNano(charge: Charge, at: number): bigint {
  const { amountNano, period } = charge;
  return at <= period.start ? amountNano : proratedNano({ amountNano: 0n, period }, charge, at);
}

/** An amount times the seconds that are left, over those of the period. */
function shareLeft({ amountNano, period: { start, end } }: Charge, at: number): { part: bigint; whole: bigint } {
  const whole = Math.max(1, Math.round((end - start) / SECOND_MS));
  const left = Math.min(whole, Math.max(0, Math.floor((end - at) / SECOND_MS)));
  return { part: at > start ? amountNano * BigInt(left) : 0n, whole: BigInt(whole) };
}

function roundedQuotient(part: bigint, whole: bigint): bigint {
  const half = whole / 2n;
  return part < 0n ? -((-part + half) / whole) : (part + half) / whole;
}
