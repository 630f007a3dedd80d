import { describe, expect, it } from 'vitest';
import type { AnalyticsGroupsQuery } from '../../../src/dashboard/generated/graphql.ts';
import { changeOf, costChange } from '../../../src/dashboard/pages/analytics/change.ts';
import { groupNames } from '../../../src/dashboard/pages/analytics/group-names.ts';
import { groupsCsv } from '../../../src/dashboard/pages/analytics/groups-csv.ts';

const usage = {
  requests: 3,
  errors: 0,
  inputTokens: 1,
  outputTokens: 2,
  cachedTokens: 0,
  cost: { amount: '0.5' },
  outputSpeed: { p50: 41.26, p95: 80 },
  promptCacheSavings: { amount: '-0.02' },
  responseCacheSavings: { amount: '0.1' },
};
type Group = AnalyticsGroupsQuery['groups']['groups'][number];
const group = (model: string): Group =>
  ({ model, provider: null, capability: null, member: null, endUser: null, tag: null, apiKey: null, usage }) as Group;

function csv(truncated: boolean): string {
  const data = {
    byTime: { truncated: false, groups: [] },
    groups: { truncated: false, groups: [group('a/x'), group('b/y')] },
    before: { truncated, groups: [group('a/x')] },
  } as AnalyticsGroupsQuery;
  return groupsCsv(data, 'model', ({ model }) => model ?? '');
}

describe('a change in cost', () => {
  it('is new only if the previous period has every group', () => {
    expect(costChange(5, undefined, false)).toBe('New');
    expect(costChange(5, undefined, true)).toBe('–');
    expect(costChange(6, 5, true)).toBe('+20%');
    expect(costChange(6, 0, false)).toBe('–');
  });

  it('is a factor only of a positive value', () => {
    expect(changeOf(50, 1)).toBe('×50');
    expect(changeOf(50, -1)).not.toContain('×');
    expect(changeOf(50, -1)).toMatch(/^\+/);
  });
});

describe('the names of members', () => {
  const members = new Map([
    ['1', { name: 'Ann', email: 'ann@a.test' }],
    ['2', { name: 'Ann', email: 'ann@b.test' }],
    ['3', { name: 'Bob', email: 'bob@a.test' }],
  ]);
  const named = (isComplete: boolean, ...ids: (string | null)[]): string[] => {
    const groups = ids.map((member) => ({ ...group(''), member }));
    return groups.map(groupNames([...groups, ...groups], 'member', { names: members, isComplete }));
  };
  const of = (...ids: (string | null)[]): string[] => named(true, ...ids);

  it('have the e-mail address where names repeat', () => {
    expect(of('1', '2', '3', null)).toEqual(['Ann (ann@a.test)', 'Ann (ann@b.test)', 'Bob', 'No owner']);
    expect(of('1', '3')).toEqual(['Ann', 'Bob']);
  });

  it('distinguish former members', () => {
    expect(of('1-aaaaaaaa')).toEqual(['Former member']);
    expect(of('1-aaaaaaaa', '1-bbbbbbbb')).toEqual(['Former member (aaaaaaaa)', 'Former member (bbbbbbbb)']);
  });

  it('call nobody a former member where names cannot be read', () => {
    expect(named(false, '1-aaaaaaaa')).toEqual(['Member']);
    expect(named(false, '1-aaaaaaaa', '1-bbbbbbbb')).toEqual(['Member (aaaaaaaa)', 'Member (bbbbbbbb)']);
    expect(named(false, '1')).toEqual(['Ann']);
  });
});

describe('the table of groups as CSV', () => {
  it('has previous values of 0 for a group without any, and none if they were omitted', () => {
    expect(csv(false).split('\r\n').slice(1, 3)).toEqual([
      'a/x,3,0,1,2,0,0.5,41.3,80,-0.02,0.1,3,0.5',
      'b/y,3,0,1,2,0,0.5,41.3,80,-0.02,0.1,0,0',
    ]);
    expect(csv(true).split('\r\n').slice(1, 3)).toEqual([
      'a/x,3,0,1,2,0,0.5,41.3,80,-0.02,0.1,3,0.5',
      'b/y,3,0,1,2,0,0.5,41.3,80,-0.02,0.1,,',
    ]);
  });

  it('has no speed where none was measured', () => {
    const data = {
      byTime: { truncated: false, groups: [] },
      groups: { truncated: false, groups: [{ ...group('-a'), usage: { ...usage, outputSpeed: null } }] },
      before: { truncated: false, groups: [] },
    } as unknown as AnalyticsGroupsQuery;
    const [, line] = groupsCsv(data, 'model', ({ model }) => model ?? '').split('\r\n');
    // A name could be a formula.
    expect(line).toBe("'-a,3,0,1,2,0,0.5,,,-0.02,0.1,0,0");
  });
});
