import type { ParameterPolicy } from '../../providers/contract.ts';
import type { GuardSettings } from '../moderation-guard/guard-settings.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Target } from './target.ts';

/**
 * Which target is tried first. `listed`: as they stand. `weighted`: at random, by weight. `price`: the cheapest for this request.
 * `latency`: the shortest measured time to the first token. `throughput`: the most measured tokens a second. What is not
 * measured yet comes before what is, so that it will be.
 */
export type TargetOrder = 'listed' | 'weighted' | 'price' | 'latency' | 'throughput';

export interface ResolvedTarget {
  readonly route: Target;
  readonly weight: number;
}

/** What a model name stands for: the targets that can serve it, and how they are used. Shared by all its requests. */
export interface ResolvedRoute {
  /** As the caller names it. */
  readonly name: string;
  /** Of the configured route that it is; empty for a single model. */
  readonly routeName: string;
  /** At least one. */
  readonly targets: readonly ResolvedTarget[];
  /** Their routes, as they are listed. */
  readonly listed: readonly Target[];
  readonly order: TargetOrder;
  /** The same end user goes to the same target while that one is healthy. */
  readonly sticky: boolean;
  readonly parameters: ParameterPolicy;
  /** How often the same target may be tried again where there is no other. */
  readonly retries: number;
  readonly timeouts: Timeouts;
  /** Whether `timeouts.connect` is the plan's own: connections have the operator's anyway. */
  readonly ownConnectTimeout: boolean;
  /** Where a request goes whose input is too long for the others. */
  readonly larger: Target | null;
  /** Whether there is a target whose price is not known. */
  readonly hasUnpriced: boolean;
  /** How long answers are kept for requests alike, in milliseconds; null where they are not. */
  readonly cacheMs: number | null;
  /** What its chats are moderated by; null for nothing. */
  readonly moderation: readonly GuardSettings[] | null;
}

export interface Router {
  /** By canonical name, alias, route, or a bare name that is unambiguous. */
  resolve(model: string, accountId: string): ResolvedRoute | undefined;
  /** Canonical names of the models that are listed with a capability. */
  offering(capability: string, accountId: string): readonly string[];
  /** What to do about a name that leads nowhere, in words for whoever asked. It tells of what the account may call alone. */
  explainModelNotFound(model: string, accountId: string): string;
}
