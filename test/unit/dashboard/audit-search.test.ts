import { describe, expect, it } from 'vitest';
import { auditSearch, startOfDay } from '../../../src/dashboard/pages/audit/search.ts';

describe('the filters of the audit log', () => {
  it.each([
    ['2026-03-04', false, new Date(2026, 2, 4)],
    ['2026-03-04', true, new Date(2026, 2, 5)],
    ['2026-01-31', true, new Date(2026, 1, 1)],
    ['2026-12-31', true, new Date(2027, 0, 1)],
  ])('convert the day %s, as an end %s, in the browser’s time zone', (day, isEnd, moment) => {
    expect(startOfDay(day, isEnd)).toBe(moment.toISOString());
  });

  it('have no bound without a day', () => {
    expect(startOfDay(undefined)).toBeUndefined();
  });

  it('ignore invalid days', () => {
    const given = { since: '2026-02-01', until: '2026-13-01', actor: 'ada', action: '', target: 7, entry: undefined };
    expect(auditSearch(given)).toMatchObject({ since: '2026-02-01', until: undefined, actor: 'ada' });
    expect(auditSearch({ ...given, since: 'yesterday' }).since).toBeUndefined();
  });
});
