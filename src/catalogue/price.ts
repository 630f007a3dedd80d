import type { PricedTokens, RateBand, TokenRates } from './token-rates.ts';

/** Decimal places kept of a rate. With a rate per million tokens, a token's price is exact to 10^-18 USD. */
const RATE_PLACES = 12;
/** Rate units (10^-12 USD) times tokens, over a million, in nano-USD. */
const UNITS_PER_NANO = 1_000_000n * 10n ** BigInt(RATE_PLACES - 9);
const NANO_PER_USD = 1_000_000_000n;

/** Rates as integers of 10^-12 USD per million tokens, made once a model. */
export interface CompiledRates extends CompiledBand {
  readonly longInput: (CompiledBand & { readonly aboveTokens: number }) | null;
}

export interface CompiledBand {
  readonly input: bigint;
  readonly output: bigint;
  readonly cachedInput: bigint;
}

/** @throws RangeError for what is no plain non-negative decimal of at most 12 places */
export function compileRates(rates: TokenRates): CompiledRates {
  const { longInput } = rates;
  return {
    ...compileBand(rates),
    longInput: longInput ? { ...compileBand(longInput), aboveTokens: longInput.aboveTokens } : null,
  };
}

/** What a request costs, in nano-USD, rounded half up once. */
export function costNano(rates: CompiledRates, tokens: PricedTokens): bigint {
  const long = rates.longInput;
  const band = long !== null && tokens.input > long.aboveTokens ? long : rates;
  const cached = cachedPart(tokens);
  return toNano(
    BigInt(tokens.input - cached) * band.input +
      BigInt(cached) * band.cachedInput +
      BigInt(tokens.output) * band.output,
  );
}

export interface CostStep {
  readonly label: string;
  readonly tokens: number;
  /** USD per 1,000,000 tokens. */
  readonly rate: string;
  /** Nano-USD. The steps of a request sum to its cost: each is the rounded sum so far less the steps before. */
  readonly amountNano: bigint;
}

/** How a cost came about, step by step. */
export function explainCost(rates: TokenRates, tokens: PricedTokens): CostStep[] {
  const long = rates.longInput;
  const isLong = long !== undefined && tokens.input > long.aboveTokens;
  const band = isLong ? long : rates;
  const cached = cachedPart(tokens);
  const compiled = compileBand(band);
  const suffix = isLong ? ` (input above ${long.aboveTokens} tokens)` : '';
  const parts = [
    { label: `input tokens${suffix}`, tokens: tokens.input - cached, rate: band.input, units: compiled.input },
    {
      label: `cached input tokens${suffix}`,
      tokens: cached,
      rate: band.cachedInput ?? band.input,
      units: compiled.cachedInput,
    },
    { label: `output tokens${suffix}`, tokens: tokens.output, rate: band.output, units: compiled.output },
  ].filter((part) => part.tokens > 0);
  let unitsSoFar = 0n;
  let nanoSoFar = 0n;
  return parts.map(({ label, tokens: count, rate, units }) => {
    unitsSoFar += BigInt(count) * units;
    const total = toNano(unitsSoFar);
    const amountNano = total - nanoSoFar;
    nanoSoFar = total;
    return { label, tokens: count, rate, amountNano };
  });
}

/** Nano-USD as a decimal of USD without trailing zeros: `0.000123`. */
export function formatUsd(nano: bigint): string {
  const magnitude = nano < 0n ? -nano : nano;
  const fraction = String(magnitude % NANO_PER_USD)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${nano < 0n ? '-' : ''}${magnitude / NANO_PER_USD}${fraction === '' ? '' : `.${fraction}`}`;
}

function compileBand(band: RateBand): CompiledBand {
  const input = rateUnits(band.input);
  const cachedInput = band.cachedInput === undefined ? input : rateUnits(band.cachedInput);
  return { input, output: rateUnits(band.output), cachedInput };
}

/** A provider that reports more cached tokens than input has cached all of it. */
function cachedPart(tokens: PricedTokens): number {
  return Math.min(tokens.cached, tokens.input);
}

function toNano(units: bigint): bigint {
  return (units + UNITS_PER_NANO / 2n) / UNITS_PER_NANO;
}

function rateUnits(decimal: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,12}))?$/.exec(decimal);
  if (!match) throw new RangeError(`no rate: ${decimal}`);
  return BigInt((match[1] ?? '0') + (match[2] ?? '').padEnd(RATE_PLACES, '0'));
}
