import { describe, expect, it } from 'vitest';
import { isFiringAfter, type Condition } from '../../../../src/services/alerts/condition.ts';

/** The states after each value, from not firing. */
function statesOf(values: readonly (number | null)[], condition: Condition): boolean[] {
  let isFiring = false;
  return values.map((value) => (isFiring = isFiringAfter(isFiring, value, condition)));
}

describe('an alert that fires above its threshold', () => {
  const condition = { kind: 'spend', threshold: 10, resolveThreshold: 8 } as const;

  it('fires at the threshold and stays until the resolve threshold is reached', () => {
    expect(statesOf([9.99, 10, 9, 8.01, 8, 9.99, 10], condition)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  it('changes nothing while the value is not known', () => {
    expect(statesOf([null, 11, null, 7, null], condition)).toEqual([false, true, true, false, false]);
  });

  it('without hysteresis resolves below the threshold, not at it', () => {
    expect(statesOf([10, 10, 9.99], { ...condition, resolveThreshold: 10 })).toEqual([true, true, false]);
  });
});

describe('an alert that fires below its threshold', () => {
  it('fires at the threshold and stays until the value is at the resolve threshold', () => {
    const condition = { kind: 'key_expiring', threshold: 7, resolveThreshold: 10 } as const;
    expect(statesOf([7.1, 7, 3, 9.9, 10, 8], condition)).toEqual([false, true, true, true, false, false]);
  });
});
