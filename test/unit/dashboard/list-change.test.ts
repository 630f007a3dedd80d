import { describe, expect, it } from 'vitest';
import { listChange, textOf } from '../../../src/dashboard/pages/audit/list-change.ts';

describe('values of the audit log', () => {
  it('are shown as readable text', () => {
    expect(
      textOf({ requestsPerMinute: 1_200, concurrency: null, perModel: [{ model: 'a/b', requestsPerDay: 3 }] }),
    ).toBe('Requests per minute: 1,200\nPer model: Model: a/b, Requests per day: 3');
    expect([true, false, 1_500, 0.5, 'text', []].map(textOf)).toEqual(['Yes', 'No', '1,500', '0.5', 'text', 'None']);
  });

  it('differ by the members of an object or the items of a list', () => {
    expect(listChange({ requestsPerMinute: 1, concurrency: 2 }, { requestsPerMinute: 5, concurrency: 2 })).toEqual({
      removed: ['Requests per minute: 1'],
      added: ['Requests per minute: 5'],
      unchanged: 1,
    });
    expect(listChange(['a', 'b'], ['b', 'c'])).toEqual({ removed: ['a'], added: ['c'], unchanged: 1 });
    expect(listChange('a', ['a'])).toBeNull();
  });
});
