import { assert, constantFrom, integer, option, property, record, type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRates, costNano, explainCost, formatUsd } from '../../src/catalogue/price.ts';
import type { PricedTokens, RateBand, TokenRates } from '../../src/catalogue/token-rates.ts';

const rate: Arbitrary<string> = record({
  whole: integer({ min: 0, max: 1_000 }),
  places: integer({ min: 0, max: 12 }),
  digits: integer({ min: 0, max: 2 ** 31 - 1 }),
}).map(({ whole, places, digits }) =>
  places === 0 ? `${whole}` : `${whole}.${String(digits).padStart(places, '0').slice(0, places)}`,
);
const band = record({ input: rate, output: rate, cachedInput: option(rate, { nil: undefined }) });
const rates: Arbitrary<TokenRates> = record({
  base: band,
  long: option(record({ band, aboveTokens: integer({ min: 0, max: 300_000 }) }), { nil: undefined }),
}).map(({ base, long }) => (long ? { ...base, longInput: { ...long.band, aboveTokens: long.aboveTokens } } : base));
const tokens: Arbitrary<PricedTokens> = record({
  input: integer({ min: 0, max: 2_000_000 }),
  share: integer({ min: 0, max: 100 }),
  output: integer({ min: 0, max: 500_000 }),
}).map(({ input, share, output }) => ({
  input,
  cached: Math.floor((input * share) / 100),
  output,
  reasoning: output >> 1,
}));

/** A non-negative rational number, kept whole: numerator and denominator. */
type Rational = readonly [bigint, bigint];

function rational(decimal: string): Rational {
  const [whole = '', fraction = ''] = decimal.split('.');
  return [BigInt(whole + fraction), 10n ** BigInt(fraction.length)];
}

const plus = ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d];
const times = ([a, b]: Rational, factor: number): Rational => [a * BigInt(factor), b];

/** The cost by fractions, from the decimals alone: slow, exact, and rounded half up at the end. */
function exactCostNano(given: TokenRates, used: PricedTokens): bigint {
  const long = given.longInput;
  const at: RateBand = long && used.input > long.aboveTokens ? long : given;
  const perMillion = [
    times(rational(at.input), used.input - used.cached),
    times(rational(at.cachedInput ?? at.input), used.cached),
    times(rational(at.output), used.output),
  ].reduce(plus);
  const [numerator, denominator] = [perMillion[0] * 1_000n, perMillion[1]];
  return (2n * numerator + denominator) / (2n * denominator);
}

const withInput = (input: number): PricedTokens => ({ input, cached: 0, output: 100, reasoning: 0 });

describe('the cost of a request', () => {
  it('is the exact sum, rounded half up once', () => {
    assert(
      property(rates, tokens, (given, used) => {
        expect(costNano(compileRates(given), used)).toBe(exactCostNano(given, used));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is explained by steps that sum to it', () => {
    assert(
      property(rates, tokens, (given, used) => {
        const steps = explainCost(given, used);
        expect(steps.reduce((sum, step) => sum + step.amountNano, 0n)).toBe(costNano(compileRates(given), used));
        expect(steps.reduce((sum, step) => sum + step.tokens, 0)).toBe(used.input + used.output);
        expect(steps.every((step) => step.amountNano >= 0n && step.tokens > 0)).toBe(true);
      }),
    );
  });

  const published: TokenRates = { input: '1.25', cachedInput: '0.125', output: '10' };

  it('counts cached tokens once, at their own rate, and reasoning within the output', () => {
    const used = { input: 1_000_000, cached: 400_000, output: 100_000, reasoning: 90_000 };
    expect(formatUsd(costNano(compileRates(published), used))).toBe('1.8');
    expect(explainCost(published, used)).toEqual([
      { label: 'input tokens', tokens: 600_000, rate: '1.25', amountNano: 750_000_000n },
      { label: 'cached input tokens', tokens: 400_000, rate: '0.125', amountNano: 50_000_000n },
      { label: 'output tokens', tokens: 100_000, rate: '10', amountNano: 1_000_000_000n },
    ]);
  });

  it('takes the input rate for cached tokens where there is no other', () => {
    const used = { input: 10, cached: 10, output: 0, reasoning: 0 };
    expect(costNano(compileRates({ input: '2', output: '8' }), used)).toBe(20_000n);
  });

  it('takes the long-input rates for the whole request above their bound, not at it', () => {
    const given: TokenRates = { input: '1', output: '2', longInput: { aboveTokens: 1_000, input: '10', output: '20' } };
    expect(costNano(compileRates(given), withInput(1_000))).toBe(1_200_000n);
    expect(costNano(compileRates(given), withInput(1_001))).toBe(12_010_000n);
    expect(explainCost(given, withInput(1_001))[0]?.label).toBe('input tokens (input above 1000 tokens)');
  });

  it('is never below zero where a provider reports more cached tokens than input', () => {
    const used = { input: 10, cached: 1_000, output: 0, reasoning: 0 };
    expect(costNano(compileRates(published), used)).toBe(1_250n);
  });

  it.each([
    ['0.0004', 0n],
    ['0.0005', 1n],
    ['0.0014999', 1n],
    ['0.0015', 2n],
  ])('of one token at %s is %s nano-USD', (input, expected) => {
    const used = { input: 1, cached: 0, output: 0, reasoning: 0 };
    expect(costNano(compileRates({ input, output: '0' }), used)).toBe(expected);
  });

  it.each(['', '-1', '1e3', '.5', '1.', '1,5', 'NaN', '0.0000000000001'])('refuses %j as a rate', (input) => {
    expect(() => compileRates({ input, output: '1' })).toThrow(RangeError);
  });
});

describe('an amount of USD', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000001'],
    [123_000n, '0.000123'],
    [1_500_000_000n, '1.5'],
    [-20_000_000n, '-0.02'],
    [9_007_199_254_740_993_000_000_001n, '9007199254740993.000000001'],
  ])('of %s nano-USD is written %s', (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
  });

  it('has every digit of the integer', () => {
    assert(
      property(integer(), constantFrom(1n, 1_000n, 1_000_000_007n), (value, factor) => {
        const nano = BigInt(value) * factor;
        const [whole = '', fraction = ''] = formatUsd(nano).replace('-', '').split('.');
        const magnitude = BigInt(whole + fraction.padEnd(9, '0'));
        expect(nano < 0n ? -magnitude : magnitude).toBe(nano);
      }),
    );
  });
});
