import { rateUnits } from './decimal.ts';
import { splitTokens, type TokenKind } from './token-kinds.ts';
import type { PricedTokens, RateBand, RateTier, TokenRates } from './token-rates.ts';
import { paidQuantity, priceOf, unitsPerPrice, type MediaUnit, type MediaUse, type UnitPrice } from './unit-price.ts';

export const TOKENS_PER_RATE = 1_000_000;
/** Divides rate units (10^-12 USD) times tokens by a million, into nano-USD. */
const UNITS_PER_NANO = BigInt(TOKENS_PER_RATE) * 1_000n;
/** Parts per million: a mark-up of 5 % is 50,000. */
const PARTS = 1_000_000n;
/** Decimal places of a USD in nano-USD. */
const USD_PLACES = 9;
const ZERO = 0x30;
/** Media quantities are integers of thousandths. */
const THOUSANDTHS = 1_000;

/** Rates as integers of 10^-12 USD per million tokens, compiled once per model. */
export interface CompiledRates extends CompiledBand {
  /** By descending input length; null if the price does not depend on the input length. */
  readonly tiers: readonly CompiledTier[] | null;
  /** 10^-12 USD per request. */
  readonly request: bigint;
  readonly units: readonly (UnitPrice & { readonly rate: bigint })[];
}

export interface CompiledBand extends Readonly<Record<TokenKind, bigint>> {
  /** Reasoning costs the same as other output. */
  readonly plainReasoning: boolean;
}

interface CompiledTier extends CompiledBand {
  readonly aboveTokens: number;
}

/** @throws RangeError unless each is a plain non-negative decimal of at most 12 places */
export function compileRates(rates: TokenRates): CompiledRates {
  const tiers = tiersOf(rates).map((tier) => ({ ...compileBand(tier), aboveTokens: tier.aboveTokens }));
  return {
    ...compileBand(rates),
    tiers: tiers.length === 0 ? null : tiers.toReversed(),
    request: rates.request === undefined ? 0n : rateUnits(rates.request),
    units: (rates.units ?? []).map((unit) => ({ ...unit, rate: rateUnits(unit.price) })),
  };
}

/** The cost of a request in nano-USD, rounded half up once, after the mark-up. `markupPpm` is in parts per million. */
export function costNano(rates: CompiledRates, used: PricedTokens, markupPpm = 0): bigint {
  const band = rates.tiers === null ? rates : bandFor(rates, rates.tiers, used.longestInput ?? used.inputTokens);
  const tokens = isPlain(used) && band.plainReasoning ? plainUnits(band, used) : tokenUnits(band, used);
  if (rates.request === 0n && used.media === undefined) return toNano(tokens, markupPpm);
  const fee = rates.request === 0n || !hasUsage(used) ? 0n : requestUnits(rates.request) * BigInt(used.calls ?? 1);
  const media = used.media === undefined ? 0n : mediaUnits(rates, mediaBeside(rates, used));
  return toNano(tokens + fee + media, markupPpm);
}

/** Nano-USD as a decimal of USD without trailing zeros: `0.000123`. */
export function formatUsd(nano: bigint): string {
  if (nano < 0n) return `-${formatUsd(-nano)}`;
  const digits = String(nano).padStart(USD_PLACES + 1, '0');
  const divisor = digits.slice(0, -USD_PLACES);
  let end = digits.length;
  while (end > divisor.length && digits.charCodeAt(end - 1) === ZERO) end--;
  return end === divisor.length ? divisor : `${divisor}.${digits.slice(divisor.length, end)}`;
}

// Tokens

/** Fast path for most requests, which use no special kinds of tokens. */
function isPlain(used: PricedTokens): boolean {
  return (
    used.cacheWriteTokens === 0 &&
    used.audioInputTokens === 0 &&
    used.audioOutputTokens === 0 &&
    used.imageInputTokens === 0 &&
    used.imageOutputTokens === 0
  );
}

function plainUnits(band: CompiledBand, used: PricedTokens): bigint {
  const { inputTokens, outputTokens } = used;
  // A provider that reports more cached tokens than input tokens has cached the complete input.
  const cached = Math.min(used.cachedTokens, inputTokens);
  return (
    BigInt(inputTokens - cached) * band.input + BigInt(cached) * band.cachedInput + BigInt(outputTokens) * band.output
  );
}

function tokenUnits(band: CompiledBand, used: PricedTokens): bigint {
  return splitTokens(used).reduce((sum, { kind, tokens }) => sum + BigInt(tokens) * band[kind], 0n);
}

function bandFor(base: CompiledBand, tiers: readonly CompiledTier[], inputTokens: number): CompiledBand {
  return tiers.find(({ aboveTokens }) => inputTokens > aboveTokens) ?? base;
}

/** By their bounds, independent of the configured order. */
export function tiersOf({ tiers, longInput }: TokenRates): readonly RateTier[] {
  if (tiers !== undefined) return tiers.toSorted((a, b) => a.aboveTokens - b.aboveTokens);
  return longInput === undefined ? [] : [longInput];
}

export function compileBand(band: RateBand): CompiledBand {
  const input = rateUnits(band.input);
  const output = rateUnits(band.output);
  const or = (rate: string | undefined, otherwise: bigint): bigint =>
    rate === undefined ? otherwise : rateUnits(rate);
  const cacheWrite = or(band.cacheWrite, input);
  const reasoning = or(band.reasoning, output);
  return {
    input,
    cachedInput: or(band.cachedInput, input),
    cacheWrite,
    cacheWrite1h: or(band.cacheWrite1h, cacheWrite),
    audioInput: or(band.audioInput, input),
    imageInput: or(band.imageInput, input),
    output,
    reasoning,
    audioOutput: or(band.audioOutput, output),
    imageOutput: or(band.imageOutput, output),
    plainReasoning: reasoning === output,
  };
}

// The cost of media, in 10^-18 USD like that of tokens.

export function hasUsage({ inputTokens, outputTokens, media }: PricedTokens): boolean {
  return inputTokens > 0 || outputTokens > 0 || (media !== undefined && media.length > 0);
}

export function requestUnits(rate: bigint): bigint {
  return rate * BigInt(TOKENS_PER_RATE);
}

const pricedByTokens: ReadonlySet<MediaUnit> = new Set(['image', 'megapixel', 'audio_second']);

/** Images and audio are not priced per unit where their tokens are reported and have a price. */
export function mediaBeside(band: CompiledBand, used: PricedTokens): readonly MediaUse[] {
  const { media = [], outputTokens, audioInputTokens, imageOutputTokens } = used;
  const hasTokenPrice = band.output > 0n && (outputTokens > 0 || audioInputTokens > 0);
  if (!hasTokenPrice && (imageOutputTokens === 0 || band.imageOutput === 0n)) return media;
  return media.filter(({ unit }) => !pricedByTokens.has(unit));
}

function mediaUnits({ units }: CompiledRates, media: readonly MediaUse[]): bigint {
  return media.reduce((sum, use) => {
    const price = priceOf(units, use);
    return price === undefined ? sum : sum + useUnits(price.rate, use.unit, paidQuantity(price, use));
  }, 0n);
}

export function useUnits(rate: bigint, unit: MediaUnit, quantity: number): bigint {
  const thousandths = BigInt(Math.round(quantity * THOUSANDTHS));
  return (rate * thousandths * BigInt(TOKENS_PER_RATE / THOUSANDTHS)) / BigInt(unitsPerPrice[unit]);
}

/** Rounded once: the mark-up applies to the exact sum. */
export function toNano(units: bigint, markupPpm: number): bigint {
  if (markupPpm === 0) return (units + UNITS_PER_NANO / 2n) / UNITS_PER_NANO;
  const denominator = UNITS_PER_NANO * PARTS;
  return (units * (PARTS + BigInt(markupPpm)) + denominator / 2n) / denominator;
}
