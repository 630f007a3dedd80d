import type { PricedTokens, TokenRates } from './token-rates.ts';

/** Decimal places kept of a rate. With a rate per million tokens, a token's price is exact to 10^-18 USD. */
const RATE_PLACES = 12;
/** Rate units (10^-12 USD) times tokens, over a million, in nano-USD. */
const UNITS_PER_NANO = 1_000_000n * 10n ** BigInt(RATE_PLACES - 9);
const NANO_PER_USD = 1_000_000_000n;

/** Rates as integers of 10^-12 USD per million tokens, made once a model. */
export interface CompiledRates {
  readonly input: bigint;
  readonly output: bigint;
  readonly cachedInput: bigint;
}

/** @throws RangeError for what is no plain non-negative decimal of at most 12 places */
export function compileRates(rates: TokenRates): CompiledRates {
  const input = rateUnits(rates.input);
  return { input, output: rateUnits(rates.output), cachedInput: rates.cachedInput === undefined ? input : rateUnits(rates.cachedInput) };
}

/** What a request costs, in nano-USD, rounded half up once. */
export function costNano(rates: CompiledRates, tokens: PricedTokens): bigint {
  const units = BigInt(tokens.input - tokens.cached) * rates.input + BigInt(tokens.cached) * rates.cachedInput + BigInt(tokens.output) * rates.output;
  return (units + UNITS_PER_NANO / 2n) / UNITS_PER_NANO;
}

export interface CostStep {
  readonly label: string;
  readonly tokens: number;
  /** USD per 1,000,000 tokens. */
  readonly rate: string;
  /** Nano-USD. The steps of a request sum to its cost: what rounding leaves over stands in the last step. */
  readonly amountNano: bigint;
}

/** How a cost came about, step by step. */
export function explainCost(rates: TokenRates, tokens: PricedTokens): CostStep[] {
  const compiled = compileRates(rates);
  const parts = [
    { label: 'input tokens', tokens: tokens.input - tokens.cached, rate: rates.input, units: compiled.input },
    { label: 'cached input tokens', tokens: tokens.cached, rate: rates.cachedInput ?? rates.input, units: compiled.cachedInput },
    { label: 'output tokens', tokens: tokens.output, rate: rates.output, units: compiled.output },
  ].filter((part) => part.tokens > 0);
  let unitsSoFar = 0n;
  let nanoSoFar = 0n;
  return parts.map(({ label, tokens: count, rate, units }) => {
    unitsSoFar += BigInt(count) * units;
    const total = (unitsSoFar + UNITS_PER_NANO / 2n) / UNITS_PER_NANO;
    const amountNano = total - nanoSoFar;
    nanoSoFar = total;
    return { label, tokens: count, rate, amountNano };
  });
}

/** Nano-USD as a decimal of USD without trailing zeros: `0.000123`. */
export function formatUsd(nano: bigint): string {
  const magnitude = nano < 0n ? -nano : nano;
  const fraction = String(magnitude % NANO_PER_USD).padStart(9, '0').replace(/0+$/, '');
  return `${nano < 0n ? '-' : ''}${magnitude / NANO_PER_USD}${fraction === '' ? '' : `.${fraction}`}`;
}

function rateUnits(decimal: string): bigint {
  const match = /^(\d+)(?:\.(\d{1,12}))?$/.exec(decimal);
  if (!match) throw new RangeError(`no rate: ${decimal}`);
  return BigInt((match[1] ?? '0') + (match[2] ?? '').padEnd(RATE_PLACES, '0'));
}
