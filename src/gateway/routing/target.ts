import type { CompiledRates } from '../../catalogue/prices/price.ts';
import type { ServiceTier } from '../../catalogue/prices/token-rates.ts';
import type { Connection } from '../../providers/contract.ts';
import type { TargetHealth } from './health/target-health.ts';

/** Rates, and their JSON for usage records. */
export interface TierRates {
  readonly rates: CompiledRates;
  readonly json: string;
}

/** The rates of a model that responded in place of the requested one. */
export interface ServedRates extends TierRates {
  readonly version: string;
}

/** One way to serve a model: its connection and rates. One shared object, created at its first use. */
export interface Target {
  readonly connection: Connection;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** The provider's model name. */
  readonly upstreamModel: string;
  readonly maxOutputTokens: number | null;
  /** Whether the provider charges for it and its price is not known. */
  readonly isUnpriced: boolean;
  /** Null: not billed, or no price is known. */
  readonly rates: CompiledRates | null;
  /** Rates by other service tiers; null where there are none. */
  readonly ratesByTier: ReadonlyMap<ServiceTier, TierRates> | null;
  /** What its response cost when it was generated, in nano-USD. Only of a target that replays a cached response. */
  readonly cachedCostNano?: bigint;
  /**
   * The rates where the provider reports that another model responded.
   * @param name the provider's model name
   * @returns null where it is the same model, costs the same or is not known
   */
  servedAs(name: string, tier: ServiceTier | undefined): ServedRates | null;
  readonly health: TargetHealth;
  /** `model` as JSON. */
  readonly modelJson: string;
  /** Shared members of its requests' usage records, as members of a JSON object. */
  readonly usageMembers: string;
  /** The same for each attempt. */
  readonly attemptMembers: string;
}
