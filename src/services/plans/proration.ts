import type { Period } from '../../calendar/period.ts';

const SECOND_MS = 1_000;

/** A fee or an allowance, and the full period that it is for. */
export interface Charge {
  readonly amountNano: bigint;
  readonly period: Period;
}

/**
 * The amount that a change of plans makes due, in nano-USD: the new fee's share for the rest of its period, less the old fee's
 * share. Exact to the second and rounded once, half away from zero, so that a change and its reverse have the same amount.
 * Negative if more is refunded than charged. A period that starts at this very time is charged in full, as every period is at
 * its start, and is not included here.
 */
export function proratedNano(from: Charge, to: Charge, at: number): bigint {
  const old = shareLeft(from, at);
  const next = shareLeft(to, at);
  return roundedQuotient(next.part * old.whole - old.part * next.whole, next.whole * old.whole);
}

/** The share for the rest of its period, in nano-USD: the full amount at the period's start. */
export function restNano(charge: Charge, at: number): bigint {
  const { amountNano, period } = charge;
  return at <= period.start ? amountNano : proratedNano({ amountNano: 0n, period }, charge, at);
}

/** An amount times the remaining seconds, divided by the seconds of the period. */
function shareLeft({ amountNano, period: { start, end } }: Charge, at: number): { part: bigint; whole: bigint } {
  const whole = Math.max(1, Math.round((end - start) / SECOND_MS));
  const left = Math.min(whole, Math.max(0, Math.floor((end - at) / SECOND_MS)));
  return { part: at > start ? amountNano * BigInt(left) : 0n, whole: BigInt(whole) };
}

function roundedQuotient(part: bigint, whole: bigint): bigint {
  const half = whole / 2n;
  return part < 0n ? -((-part + half) / whole) : (part + half) / whole;
}
