import { describe, expect, it } from 'vitest';
import { ContentBudget } from '../../../../src/gateway/content/content-budget.ts';

/** Takes as much as there is. @returns how much */
function fill(budget: ContentBudget, accountId: string): number {
  let taken = 0;
  while (budget.shareOf(accountId).take(1)) taken++;
  return taken;
}

describe('the memory for content', () => {
  it('leaves memory to others where accounts take as much as they can', () => {
    const budget = new ContentBudget(1_024);
    expect(fill(budget, 'one')).toBe(768);
    expect(fill(budget, 'two')).toBe(192);
    expect(fill(budget, 'three')).toBe(48);
    expect(budget.used).toBe(1_008);
  });

  it('is there again once it is released', () => {
    const budget = new ContentBudget(1_024);
    const share = budget.shareOf('one');
    expect([share.take(500), share.take(500), budget.used]).toEqual([true, false, 500]);
    expect([share.take(-200), budget.used]).toEqual([true, 300]);
    share.free(300);
    expect(budget.used).toBe(0);
    expect(fill(budget, 'one')).toBe(768);
  });
});
