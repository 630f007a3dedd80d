import { rateUnits } from './decimal.ts';
import {
  compileBand,
  compileRates,
  costNano,
  formatUsd,
  hasUsage,
  mediaBeside,
  requestUnits,
  tiersOf,
  TOKENS_PER_RATE,
  toNano,
  useUnits,
} from './price.ts';
import { splitTokens, type TokenKind } from './token-kinds.ts';
import type { PricedTokens, RateBand, TokenRates } from './token-rates.ts';
import { paidQuantity, priceOf, unitsPerPrice, type MediaUnit } from './unit-price.ts';

/** Millionths in a percent. */
const PARTS_PER_PERCENT = 10_000;

export interface CostStep {
  readonly label: string;
  readonly unit: 'token' | 'request' | 'percent' | MediaUnit;
  /** The quantity in that unit. */
  readonly quantity: number;
  /** USD per `per` units. */
  readonly rate: string;
  readonly per: number;
  /**
   * Nano-USD. The steps add up to the cost of the request: each is the rounded running total minus the earlier steps.
   */
  readonly amountNano: bigint;
}

/** The steps that make up a cost; a mark-up is the last one. */
export function explainCost(rates: TokenRates, used: PricedTokens, markupPpm = 0): CostStep[] {
  let unitsSoFar = 0n;
  let nanoSoFar = 0n;
  const steps: CostStep[] = [...tokenParts(rates, used), ...requestParts(rates, used), ...mediaParts(rates, used)].map(
    ({ units, ...step }) => {
      unitsSoFar += units;
      const total = toNano(unitsSoFar, 0);
      const amountNano = total - nanoSoFar;
      nanoSoFar = total;
      return { ...step, amountNano };
    },
  );
  if (markupPpm === 0 || unitsSoFar === 0n) return steps;
  const quantity = markupPpm / PARTS_PER_PERCENT;
  const amountNano = toNano(unitsSoFar, markupPpm) - nanoSoFar;
  return [...steps, { label: 'mark-up', unit: 'percent', quantity, rate: formatUsd(nanoSoFar), per: 100, amountNano }];
}

/**
 * What the provider's prompt cache saved: the cost of the same usage without a cache, minus its cost, in nano-USD. Negative where
 * writing to the cache cost more. Null where the cache was not used.
 */
export function cacheSavings(rates: TokenRates, used: PricedTokens, markupPpm = 0): bigint | null {
  if (used.cachedTokens === 0 && used.cacheWriteTokens === 0) return null;
  const compiled = compileRates(rates);
  return costNano(compiled, withoutCache(used), markupPpm) - costNano(compiled, used, markupPpm);
}

/** The same usage without a prompt cache. */
export function withoutCache<Usage extends PricedTokens>(used: Usage): Usage {
  return { ...used, cachedTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
}

type Part = Omit<CostStep, 'amountNano'> & { readonly units: bigint };

const labels: Readonly<Record<TokenKind, string>> = {
  input: 'input tokens',
  cachedInput: 'cached input tokens',
  cacheWrite: 'input tokens written to the cache',
  cacheWrite1h: 'input tokens written to the cache for an hour',
  audioInput: 'audio input tokens',
  imageInput: 'image input tokens',
  output: 'output tokens',
  reasoning: 'reasoning tokens',
  audioOutput: 'audio output tokens',
  imageOutput: 'image output tokens',
};

function tokenParts(rates: TokenRates, used: PricedTokens): Part[] {
  const length = used.longestInput ?? used.inputTokens;
  const tier = tiersOf(rates).findLast(({ aboveTokens }) => length > aboveTokens);
  const band = tier ?? rates;
  const compiled = compileBand(band);
  const terms = [
    ...(tier === undefined ? [] : [`input above ${tier.aboveTokens} tokens`]),
    ...(used.serviceTier === undefined ? [] : [`${used.serviceTier} service`]),
  ];
  const suffix = terms.length === 0 ? '' : ` (${terms.join(', ')})`;
  const shown = splitTokens(used).map((part) =>
    part.kind === 'reasoning' && compiled.plainReasoning ? { ...part, kind: 'output' as const } : part,
  );
  return merged(shown).map(({ kind, tokens }) => ({
    label: labels[kind] + suffix,
    unit: 'token',
    quantity: tokens,
    rate: rateOf(band, kind),
    per: TOKENS_PER_RATE,
    units: BigInt(tokens) * compiled[kind],
  }));
}

/** Reasoning at the rate of other output is not listed as a separate step. */
function merged(
  parts: readonly { readonly kind: TokenKind; readonly tokens: number }[],
): { readonly kind: TokenKind; readonly tokens: number }[] {
  const sums = new Map<TokenKind, number>();
  for (const { kind, tokens } of parts) sums.set(kind, (sums.get(kind) ?? 0) + tokens);
  return [...sums].map(([kind, tokens]) => ({ kind, tokens }));
}

function rateOf(band: RateBand, kind: TokenKind): string {
  const cacheWrite = band.cacheWrite ?? band.input;
  const otherwise: Readonly<Record<TokenKind, string>> = {
    input: band.input,
    cachedInput: band.input,
    cacheWrite: band.input,
    cacheWrite1h: cacheWrite,
    audioInput: band.input,
    imageInput: band.input,
    output: band.output,
    reasoning: band.output,
    audioOutput: band.output,
    imageOutput: band.output,
  };
  return band[kind] ?? otherwise[kind];
}

function requestParts({ request }: TokenRates, used: PricedTokens): Part[] {
  if (request === undefined || !hasUsage(used)) return [];
  const { calls = 1 } = used;
  const label = calls === 1 ? 'request' : 'requests';
  const units = requestUnits(rateUnits(request)) * BigInt(calls);
  return [{ label, unit: 'request', quantity: calls, rate: request, per: 1, units }];
}

function mediaParts(rates: TokenRates, used: PricedTokens): Part[] {
  return mediaBeside(compileBand(rates), used).flatMap((use) => {
    const price = priceOf(rates.units ?? [], use);
    if (price === undefined || use.quantity === 0) return [];
    const { unit } = use;
    const quantity = paidQuantity(price, use);
    const least = price.minimum !== undefined && quantity > use.quantity ? `at least ${price.minimum}` : undefined;
    const terms = [price.size, price.quality, least].filter((term) => term !== undefined);
    return [
      {
        label: `${plural(unit)}${terms.length === 0 ? '' : ` (${terms.join(', ')})`}`,
        unit,
        quantity,
        rate: price.price,
        per: unitsPerPrice[unit],
        units: useUnits(rateUnits(price.price), unit, quantity),
      },
    ];
  });
}

function plural(unit: MediaUnit): string {
  const name = unit === 'x_search' ? 'X search' : unit.replace('_', ' ');
  return name.endsWith('search') ? `${name}es` : `${name}s`;
}
