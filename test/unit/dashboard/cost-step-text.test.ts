import { expect, it } from 'vitest';
import { quantityText, rateText } from '../../../src/dashboard/pages/usage-logs/details/cost-step-text.ts';

it.each([
  ['1200', 'token', '1,200 tokens'],
  ['1', 'image', '1 image'],
  ['0.4', 'audio_second', '0.4 audio seconds'],
  ['1.049', 'megapixel', '1.049 megapixels'],
  ['3', 'search', '3 searches'],
  ['12.5', 'percent', '12.5%'],
])('shows a quantity of %s %s as %s', (quantity, unit, text) => {
  expect(quantityText({ quantity, unit })).toBe(text);
});

it.each([
  [{ rate: '2.5', per: 1_000_000, unit: 'token' }, '$2.50 / 1M tokens'],
  [{ rate: '0.6', per: 60, unit: 'audio_second' }, '$0.01 / audio second'],
  [{ rate: '0.01', per: 1, unit: 'search' }, '$0.01 / search'],
  [{ rate: '15', per: 1_000_000, unit: 'character' }, '$15.00 / 1,000,000 characters'],
  [{ rate: '0.02', per: 100, unit: 'percent' }, 'of $0.02'],
])('shows the price of %j as %s', (step, text) => {
  expect(rateText(step, '1M')).toBe(text);
});
