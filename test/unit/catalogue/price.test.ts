import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainCost } from '../../../src/catalogue/prices/explain-cost.ts';
import { compileRates, costNano, formatUsd } from '../../../src/catalogue/prices/price.ts';
import { tokenUsage } from '../../../src/catalogue/prices/priced-usage.ts';
import type { PricedTokens, RateBand, TokenRates } from '../../../src/catalogue/prices/token-rates.ts';
import type { UnitPrice } from '../../../src/catalogue/prices/unit-price.ts';
import { band, counted, kinds, none, rates, type Kinds } from './arbitrary-rates.ts';

/** An exact non-negative rational number: numerator and denominator. */
type Rational = readonly [bigint, bigint];

function rational(decimal: string): Rational {
  const [whole = '', fraction = ''] = decimal.split('.');
  return [BigInt(whole + fraction), 10n ** BigInt(fraction.length)];
}

const plus = ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d];
const times = ([a, b]: Rational, factor: number): Rational => [a * BigInt(factor), b];

/** The cost by fractions, from the decimals alone: slow, exact, and rounded half up at the end. */
function exactCostNano(given: TokenRates, used: Kinds): bigint {
  const { inputTokens, outputTokens } = counted(used);
  const reached = (given.tiers ?? []).filter(({ aboveTokens }) => inputTokens > aboveTokens);
  const at: RateBand = reached.toSorted((a, b) => b.aboveTokens - a.aboveTokens)[0] ?? given;
  const fee = given.request === undefined || inputTokens + outputTokens === 0 ? '0' : given.request;
  const perMillion = [
    times(rational(at.input), used.input),
    times(rational(at.cachedInput ?? at.input), used.cachedInput),
    times(rational(at.cacheWrite ?? at.input), used.cacheWrite),
    times(rational(at.cacheWrite1h ?? at.cacheWrite ?? at.input), used.cacheWrite1h),
    times(rational(at.audioInput ?? at.input), used.audioInput),
    times(rational(at.imageInput ?? at.input), used.imageInput),
    times(rational(at.imageOutput ?? at.output), used.imageOutput),
    times(rational(at.output), used.output),
    times(rational(at.reasoning ?? at.output), used.reasoning),
    times(rational(at.audioOutput ?? at.output), used.audioOutput),
    times(rational(fee), 1_000_000),
  ].reduce(plus);
  const [numerator, denominator] = [perMillion[0] * 1_000n, perMillion[1]];
  return (2n * numerator + denominator) / (2n * denominator);
}

const cost = (given: TokenRates, used: PricedTokens): bigint => costNano(compileRates(given), used);
const withInput = (input: number): PricedTokens => counted({ ...none, input, output: 100 });

describe('the cost of a request', () => {
  it('is the exact sum, rounded half up once', () => {
    assert(
      property(rates, kinds, (given, used) => {
        expect(cost(given, counted(used))).toBe(exactCostNano(given, used));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is explained by steps that sum to it', () => {
    assert(
      property(rates, kinds, (given, used) => {
        const tokens = counted(used);
        const steps = explainCost(given, tokens);
        expect(steps.reduce((sum, step) => sum + step.amountNano, 0n)).toBe(cost(given, tokens));
        const ofTokens = steps.filter(({ unit }) => unit === 'token');
        expect(ofTokens.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(
          tokens.inputTokens + tokens.outputTokens,
        );
        expect(steps.every(({ amountNano, quantity }) => amountNano >= 0n && quantity > 0)).toBe(true);
        expect(new Set(steps.map(({ label }) => label)).size).toBe(steps.length);
      }),
    );
  });

  it('never decreases when usage of any kind increases', () => {
    const kind = constantFrom<keyof Kinds>(
      'input',
      'cachedInput',
      'cacheWrite',
      'cacheWrite1h',
      'audioInput',
      'imageInput',
      'imageOutput',
      'output',
    );
    const more = constantFrom<keyof Kinds>('reasoning', 'audioOutput');
    assert(
      property(band, kinds, kind, more, integer({ min: 1, max: 10_000 }), (given, used, first, second, count) => {
        for (const name of [first, second])
          expect(cost(given, counted({ ...used, [name]: used[name] + count }))).toBeGreaterThanOrEqual(
            cost(given, counted(used)),
          );
      }),
      { numRuns: 1_000 },
    );
  });

  it('is never below zero, whatever a provider reports', () => {
    const any = integer({ min: 0, max: 2_000_000_000 });
    assert(
      property(rates, any, any, any, any, (given, input, output, oneCount, other) => {
        const odd: PricedTokens = {
          inputTokens: input % 1_000,
          outputTokens: output % 1_000,
          cachedTokens: oneCount,
          reasoningTokens: other,
          cacheWriteTokens: other,
          cacheWrite1hTokens: oneCount,
          audioInputTokens: other,
          audioOutputTokens: oneCount,
          imageInputTokens: oneCount,
          imageOutputTokens: other,
        };
        expect(cost(given, odd)).toBeGreaterThanOrEqual(0n);
        const steps = explainCost(given, odd).filter(({ unit }) => unit === 'token');
        expect(steps.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(odd.inputTokens + odd.outputTokens);
      }),
    );
  });

  const published: TokenRates = { input: '1.25', cachedInput: '0.125', output: '10' };

  it('counts cached tokens once, at their own rate, and reasoning within the output', () => {
    const used = counted({ ...none, input: 600_000, cachedInput: 400_000, output: 10_000, reasoning: 90_000 });
    expect(formatUsd(cost(published, used))).toBe('1.8');
    const step = { unit: 'token', per: 1_000_000 };
    expect(explainCost(published, used)).toEqual([
      { ...step, label: 'input tokens', quantity: 600_000, rate: '1.25', amountNano: 750_000_000n },
      { ...step, label: 'cached input tokens', quantity: 400_000, rate: '0.125', amountNano: 50_000_000n },
      { ...step, label: 'output tokens', quantity: 100_000, rate: '10', amountNano: 1_000_000_000n },
    ]);
  });

  it('uses the input rate for cached tokens without a rate', () => {
    expect(cost({ input: '2', output: '8' }, counted({ ...none, cachedInput: 10 }))).toBe(20_000n);
  });

  it('uses the rates of the highest tier that the input exceeds, for the complete request', () => {
    const given: TokenRates = {
      input: '1',
      output: '2',
      tiers: [
        { aboveTokens: 2_000, input: '100', output: '200' },
        { aboveTokens: 1_000, input: '10', output: '20' },
      ],
    };
    expect(cost(given, withInput(1_000))).toBe(1_200_000n);
    expect(cost(given, withInput(1_001))).toBe(12_010_000n);
    expect(cost(given, withInput(2_001))).toBe(220_100_000n);
    expect(explainCost(given, withInput(1_001))[0]?.label).toBe('input tokens (input above 1000 tokens)');
  });

  it('is explained for rows with the single tier of the first version', () => {
    const given: TokenRates = { input: '1', output: '2', longInput: { aboveTokens: 1_000, input: '10', output: '20' } };
    expect(explainCost(given, withInput(1_001))[0]?.amountNano).toBe(10_010_000n);
  });

  it('includes the model’s price per request, unless nothing was used', () => {
    const given: TokenRates = { ...published, request: '0.005' };
    expect(cost(given, counted({ ...none, input: 100 }))).toBe(5_125_000n);
    expect(explainCost(given, counted({ ...none, input: 100 }))[1]).toEqual({
      label: 'request',
      unit: 'request',
      quantity: 1,
      rate: '0.005',
      per: 1,
      amountNano: 5_000_000n,
    });
    expect(cost(given, counted(none))).toBe(0n);
  });

  it.each([
    ['a token of input', counted({ ...none, input: 1 })],
    ['a token of output', counted({ ...none, output: 1 })],
    ['a picture', { ...counted(none), media: [{ unit: 'image', quantity: 1 }] }],
  ] as const)('has its price a request for %s alone', (_what, used) => {
    expect(cost({ input: '0', output: '0', request: '0.005' }, used)).toBe(5_000_000n);
  });

  it.each([
    ['0.0004', 0n],
    ['0.0005', 1n],
    ['0.0014999', 1n],
    ['0.0015', 2n],
  ])('of one token at %s is %s nano-USD', (input, expected) => {
    expect(cost({ input, output: '0' }, counted({ ...none, input: 1 }))).toBe(expected);
  });

  it.each(['', '-1', '1e3', '.5', '1.', '1,5', 'NaN', '0.0000000000001'])('rejects %j as a rate', (input) => {
    expect(() => compileRates({ input, output: '1' })).toThrow(RangeError);
  });
});

describe('the cost of media', () => {
  const image = (price: string, size?: string, quality?: string): UnitPrice => ({
    unit: 'image',
    price,
    ...(size && { size }),
    ...(quality && { quality }),
  });
  const units: readonly UnitPrice[] = [
    image('0.04'),
    image('0.08', undefined, 'hd'),
    image('0.12', '1024x1792', 'hd'),
    { unit: 'audio_second', price: '0.0043' },
    { unit: 'character', price: '15' },
    { unit: 'video_second', price: '0.3', size: '1280x720' },
  ];
  const given: TokenRates = { input: '0', output: '0', units };

  it.each([
    ['two images of no known size', { unit: 'image', quantity: 2 }, 80_000_000n],
    ['an image of its quality', { unit: 'image', quantity: 1, quality: 'hd', size: '1024x1024' }, 80_000_000n],
    ['one of its size and quality', { unit: 'image', quantity: 1, quality: 'hd', size: '1024x1792' }, 120_000_000n],
    // 90.5 s are 1.508333… minutes at 0.0043.
    ['seconds of audio by their part of a minute', { unit: 'audio_second', quantity: 90.5 }, 6_485_833n],
    ['characters', { unit: 'character', quantity: 1_234 }, 18_510_000n],
    ['seconds of video', { unit: 'video_second', quantity: 8, size: '1280x720' }, 2_400_000_000n],
    ['a size that has no price', { unit: 'video_second', quantity: 8, size: '1x1' }, 0n],
    ['what the model has no price of', { unit: 'megapixel', quantity: 8 }, 0n],
  ] as const)('is that of %s', (_what, use, expected) => {
    const used = { ...counted(none), media: [use] };
    expect(cost(given, used)).toBe(expected);
    expect(explainCost(given, used).reduce((sum, step) => sum + step.amountNano, 0n)).toBe(expected);
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

it('is that of each of several calls: a fee for each, and the rates for the length of the longest', () => {
  const given: TokenRates = {
    input: '1',
    output: '2',
    request: '0.01',
    tiers: [{ aboveTokens: 100, input: '10', output: '20' }],
  };
  const used = { ...tokenUsage(150, 30), calls: 3, longestInput: 60 };
  // 3 × $0.01, 150 × $0.000001 and 30 × $0.000002.
  expect(costNano(compileRates(given), used)).toBe(30_210_000n);
  const steps = explainCost(given, used);
  expect(steps.map(({ label, quantity }) => [label, quantity])).toEqual([
    ['input tokens', 150],
    ['output tokens', 30],
    ['requests', 3],
  ]);
  expect(steps.reduce((sum, { amountNano }) => sum + amountNano, 0n)).toBe(30_210_000n);
  expect(costNano(compileRates(given), { ...used, longestInput: 101 })).toBe(32_100_000n);
});
