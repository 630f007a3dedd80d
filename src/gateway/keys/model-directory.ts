import type { ModelDeprecation, ModelRecord } from '../../catalogue/model-record.ts';
import type { TokenRates } from '../../catalogue/prices/token-rates.ts';
import type { ConnectionTerms } from '../../providers/shared/terms/connection-terms.ts';
import type { KeyRecord } from './key-directory.ts';

/** A model that is available now. */
export interface ModelListing extends ConnectionTerms {
  /** Canonical: `provider/model`. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly ownedBy: string;
  /** Display name. */
  readonly name: string;
  readonly provider: string;
  /** Tokens; null if not known. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** `text`, `image`, `audio`, `file`, `video`. */
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** Its capabilities, `chat`, `embeddings` ..., and features, `tools`, `json_schema` ... */
  readonly capabilities: readonly string[];
  /** Null where it is not billed or its price is not known. */
  readonly pricing: ModelPricing | null;
  /** Whether it is billed and its price is not known. */
  readonly isUnpriced: boolean;
  /** Null if it is not known to be deprecated. */
  readonly deprecation: ModelDeprecation | null;
}

/** `longInput` is the first tier. */
export interface ModelPricing extends TokenRates {
  readonly unit: 'per_1m_tokens';
  readonly currency: 'USD';
  /** Source and date of the price. */
  readonly version: string;
}

/**
 * Of a catalogued or unknown model.
 * @param billed whether the provider charges for its requests
 * @param terms of the connection that serves it
 */
export function toListing(record: ModelRecord, billed: boolean, terms: ConnectionTerms): ModelListing {
  return {
    ...terms,
    id: record.id,
    created: record.releasedOn === null ? 0 : Date.parse(record.releasedOn) / 1_000,
    ownedBy: record.provider,
    name: record.name,
    provider: record.provider,
    contextWindow: record.contextWindow,
    maxOutputTokens: record.maxOutputTokens,
    inputModalities: record.inputModalities,
    outputModalities: record.outputModalities,
    capabilities: record.capabilities,
    pricing: record.rates && toPricing(record.rates, record.priceVersion),
    isUnpriced: record.rates === null && billed,
    deprecation: record.deprecation ?? null,
  };
}

function toPricing(rates: TokenRates, version: string): ModelPricing {
  const longInput = rates.tiers?.[0] ?? rates.longInput;
  return { unit: 'per_1m_tokens', currency: 'USD', ...rates, ...(longInput && { longInput }), version };
}

export interface ModelDirectory {
  /** Waits up to a few seconds for the model lists of an account's own connections; undefined where they are known. */
  ready(accountId: string): Promise<void> | undefined;
  /** Includes the models of an account's own connections. */
  list(accountId?: string): readonly ModelListing[];
  /** By canonical id, or by an unambiguous bare name. */
  find(id: string, accountId?: string): ModelListing | undefined;
  /** A hint for a model that was not found. */
  explainModelNotFound(name: string, accountId: string): string;
  /** As that of `Router`. */
  similarModels(name: string, accountId: string, isAllowed: (name: string) => boolean): readonly string[];
}

/** Whether the lists of a key and its plan, of canonical ids or bare names, allow a model; no list allows all. */
export function isModelAllowed(key: Pick<KeyRecord, 'allowedModels' | 'plan'>, canonicalId: string): boolean {
  return isListed(key.allowedModels, canonicalId) && isListed(key.plan.models, canonicalId);
}

/** No list allows all. */
export function isListed(models: readonly string[] | null, canonicalId: string): boolean {
  return models === null || models.includes(canonicalId) || models.includes(bareName(canonicalId));
}

/** The name without its provider: `gpt-5.5` of `openai/gpt-5.5`, `meta/llama` of `hub/meta/llama`. */
export function bareName(canonicalId: string): string {
  return canonicalId.slice(canonicalId.indexOf('/') + 1);
}
