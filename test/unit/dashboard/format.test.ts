import { describe, expect, it } from 'vitest';
import { localDate, money } from '../../../src/dashboard/design/format.ts';

describe('an amount of money', () => {
  it.each([
    ['0', '$0.00'],
    ['0.1', '$0.10'],
    ['0.5', '$0.50'],
    ['-0.5', '-$0.50'],
    ['0.05', '$0.05'],
    ['0.125', '$0.125'],
    ['0.123456', '$0.123'],
    ['0.012345', '$0.0123'],
    ['0.000123', '$0.000123'],
    ['0.0000001234', '$0.000000123'],
    ['0.000000001', '$0.000000001'],
    ['0.9999', '$1.00'],
    ['1', '$1.00'],
    ['12.3', '$12.30'],
    ['1234.567', '$1,234.57'],
  ])('of %s reads %s', (amount, text) => {
    expect(money(amount)).toBe(text);
  });
});

describe('a day', () => {
  it.each([
    ['Pacific/Kiritimati', '1 Dec 2026'],
    ['America/Los_Angeles', '30 Nov 2026'],
  ])('at %s is %s, wherever the browser is', (timeZone, text) => {
    expect(localDate('2026-11-30T11:00:00Z', timeZone)).toBe(text);
  });
});
