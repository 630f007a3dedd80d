import { describe, expect, it } from 'vitest';
import { fileSize, localDate, money, scorePercent } from '../../../src/dashboard/design/format.ts';

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

describe('a score', () => {
  it.each([
    [0, '0%'],
    [0.0004, '<0.1%'],
    [0.005, '0.5%'],
    [0.29, '29%'],
    [0.57, '57%'],
    [0.996, '99.6%'],
    [0.9999, '99.9%'],
    [1, '100%'],
  ])('of %s reads %s, so that only the best one is 100%%', (score, text) => {
    expect(scorePercent(score)).toBe(text);
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

describe('the size of a file', () => {
  it.each([
    [0, '0 B'],
    [1_023, '1,023 B'],
    [1_024, '1 KB'],
    [1_536, '1.5 KB'],
    [1_048_575, '1 MB'],
    [512 * 1_024 ** 2, '512 MB'],
    [10_240 * 1_024 ** 2, '10 GB'],
    [2_048 * 1_024 ** 4, '2,048 TB'],
  ])('of %d bytes is %s', (bytes, text) => {
    expect(fileSize(bytes)).toBe(text);
  });
});
