import type { CompiledRates } from '../../catalogue/price.ts';
import type { ServiceTier } from '../../catalogue/token-rates.ts';
import type { Connection } from '../../providers/contract.ts';
import type { TargetHealth } from './target-health.ts';

/** Rates, and what a usage record says of them as JSON. */
export interface TierRates {
  readonly rates: CompiledRates;
  readonly json: string;
}

/** Of a model that answered in place of the one that was asked for. */
export interface ServedRates extends TierRates {
  readonly version: string;
}

/** One way to serve a model: where its requests go and what they cost. One shared object, made when it is first asked for. */
export interface Target {
  readonly connection: Connection;
  /** Canonical: `provider/model`. */
  readonly model: string;
  /** The provider's own name of the model. */
  readonly upstreamModel: string;
  readonly maxOutputTokens: number | null;
  /** Its provider charges for it, and no price is known. */
  readonly isUnpriced: boolean;
  /** Null: not billed, or no price is known. */
  readonly rates: CompiledRates | null;
  /** Of requests that the provider served in another class; null where the model has no others. */
  readonly ratesByTier: ReadonlyMap<ServiceTier, TierRates> | null;
  /**
   * What the provider charges where it says that another model answered.
   * @param name the provider's own
   * @returns null where nothing else is known of it: it is the same model, or costs the same
   */
  servedAs(name: string, tier: ServiceTier | undefined): ServedRates | null;
  readonly health: TargetHealth;
  /** `model` as JSON. */
  readonly modelJson: string;
  /** What the usage records of all its requests say alike, as members of a JSON object. */
  readonly usageMembers: string;
  /** The same of each try in them. */
  readonly attemptMembers: string;
}
