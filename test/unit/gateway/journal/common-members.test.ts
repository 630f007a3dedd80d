import { describe, expect, it } from 'vitest';
import { commonNumber, addCommon } from '../../../../src/gateway/usage/journal/common-members.ts';

const said = (number: number, account: string): string => `{"common":${number},"account_id":"${account}"}`;

describe('shared members of lines', () => {
  it('may be read again unchanged', () => {
    const commons = new Map<number, string>();
    const record = said(commonNumber(1), 'a');
    addCommon(commons, record);
    addCommon(commons, record);
    expect([...commons]).toEqual([[commonNumber(1), record]]);
  });

  it('cannot have two values under one number', () => {
    const commons = new Map([[commonNumber(1), said(commonNumber(1), 'a')]]);
    expect(() => addCommon(commons, said(commonNumber(1), 'b'))).toThrow('the number of shared members');
    expect(commons.get(commonNumber(1))).toBe(said(commonNumber(1), 'a'));
  });

  it.each([
    ['without a number', '{"account_id":"a"}'],
    ['of a number that none has', said(commonNumber(1) + 1, 'a')],
    ['cut off', said(commonNumber(1), 'a').slice(0, -1)],
  ])('are rejected %s', (_what, record) => {
    const commons = new Map<number, string>();
    expect(() => addCommon(commons, record)).toThrow();
    expect(commons.size).toBe(0);
  });
});
