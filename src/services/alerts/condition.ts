import type { AlertKind } from '../../database/entities/index.ts';
import { kindTraits } from './alert-kinds.ts';

export interface Condition {
  readonly kind: AlertKind;
  readonly threshold: number;
  /** On the other side of the threshold, or equal to it. */
  readonly resolveThreshold: number;
}

/**
 * Whether an alert fires, with hysteresis: it fires at the threshold, and resolves when the value is back on the other side of
 * it and has reached the resolve threshold.
 * @param value null if it is not known, which changes nothing
 */
export function isFiringAfter(wasFiring: boolean, value: number | null, condition: Condition): boolean {
  if (value === null) return wasFiring;
  const { kind, threshold, resolveThreshold } = condition;
  const isAbove = kindTraits[kind].firesWhen === 'above';
  const hasReached = isAbove ? value >= threshold : value <= threshold;
  if (hasReached || !wasFiring) return hasReached;
  return isAbove ? value > resolveThreshold : value < resolveThreshold;
}
