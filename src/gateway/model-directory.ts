import type { TokenRates } from '../catalogue/token-rates.ts';
import type { KeyRecord } from './key-directory.ts';

/** One model that this gateway can reach now. */
export interface ModelListing {
  /** Canonical: `provider/model`. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly ownedBy: string;
  /** For people. */
  readonly name: string;
  readonly provider: string;
  /** Tokens; null where it is not known. */
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
  /** `text`, `image`, `audio`, `file`, `video`. */
  readonly inputModalities: readonly string[];
  readonly outputModalities: readonly string[];
  /** What it can be called for: `chat`, `embeddings` ... and what it supports: `tools`, `json_schema` ... */
  readonly capabilities: readonly string[];
  /** Null where it is not billed or the price is not known. */
  readonly pricing: ModelPricing | null;
}

/** `longInput` is the first of the tiers. */
export interface ModelPricing extends TokenRates {
  readonly unit: 'per_1m_tokens';
  readonly currency: 'USD';
  /** Where it is from, and of which day. */
  readonly version: string;
}

export function toPricing(rates: TokenRates, version: string): ModelPricing {
  const longInput = rates.tiers?.[0] ?? rates.longInput;
  return { unit: 'per_1m_tokens', currency: 'USD', ...rates, ...(longInput && { longInput }), version };
}

export interface ModelDirectory {
  /** Waits, for some seconds at most, until the models of an account's own connections are known; undefined where they are. */
  ready(accountId: string): Promise<void> | undefined;
  /** For an account: with the models of its own connections. */
  list(accountId?: string): readonly ModelListing[];
  /** By canonical id, or by the bare name where that is unambiguous. */
  find(id: string, accountId?: string): ModelListing | undefined;
  /** What to do about a name that is not found. */
  explainModelNotFound(name: string, accountId: string): string;
}

/** Whether a key may use a model: its list and its plan's name canonical ids or bare names; no list allows all. */
export function mayUseModel(key: Pick<KeyRecord, 'allowedModels' | 'plan'>, canonicalId: string): boolean {
  return isListed(key.allowedModels, canonicalId) && isListed(key.plan.models, canonicalId);
}

/** No list lists all. */
export function isListed(models: readonly string[] | null, canonicalId: string): boolean {
  return models === null || models.includes(canonicalId) || models.includes(bareName(canonicalId));
}

/** The name without its provider: `gpt-5.5` of `openai/gpt-5.5`, `meta/llama` of `hub/meta/llama`. */
export function bareName(canonicalId: string): string {
  return canonicalId.slice(canonicalId.indexOf('/') + 1);
}
