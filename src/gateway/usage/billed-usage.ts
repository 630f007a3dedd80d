import type { CompiledRates } from '../../catalogue/prices/price.ts';
import type { ServiceTier } from '../../catalogue/prices/token-rates.ts';
import type { TokenUsage } from '../capabilities/capability.ts';
import type { ServedRates, Target, TierRates } from '../routing/target.ts';
import type { RequestOutcome } from './usage-record.ts';

/** @param tier that the request is billed by, whatever the response states; undefined for none */
export function billedUsage(usage: TokenUsage, tier: ServiceTier | undefined): TokenUsage {
  return tier === undefined ? usage : { ...usage, serviceTier: tier };
}

/** The rates of the service tier that was used, if they differ from those of the target. */
export function tierRates(target: Target, { serviceTier }: TokenUsage): TierRates | null {
  return serviceTier === undefined ? null : (target.ratesByTier?.get(serviceTier) ?? null);
}

/** The rates of another model that the provider reports to have responded, if they differ. */
export function servedRates(target: Target, { servedModel, serviceTier }: TokenUsage): ServedRates | null {
  return servedModel === undefined ? null : target.servedAs(servedModel, serviceTier);
}

/** The rates that apply to a usage; null without a price. */
export function ratesFor(target: Target, usage: TokenUsage): CompiledRates | null {
  return (servedRates(target, usage) ?? tierRates(target, usage))?.rates ?? target.rates;
}

/** Whether a request used its provider, billed or not. */
export function hasUsed({ status, cost, usage }: RequestOutcome): boolean {
  return status === 'succeeded' || cost > 0n || usage.inputTokens + usage.outputTokens > 0;
}
