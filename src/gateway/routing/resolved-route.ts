import type { ParameterPolicy } from '../../protocols/canonical/parameter-policy.ts';
import type { Connection } from '../../providers/contract.ts';
import type { Requester } from '../keys/key-directory.ts';
import type { ModerationSettings } from '../keys/moderation-settings.ts';
import type { Timeouts } from './timeouts.ts';
import type { Target } from './target.ts';

/**
 * Which target is tried first. `listed`: in the configured order. `weighted`: at random, by weight. `price`: the
 * cheapest for this request. `latency`: the shortest measured time to the first token. `throughput`: the most measured
 * tokens per second. Targets without measurements come first, so that they get some.
 */
export type TargetOrder = 'listed' | 'weighted' | 'price' | 'latency' | 'throughput';

/** Who runs requests of batches: the batch API of the first target's provider, where it has one, or Sluice. */
export type BatchMode = 'provider' | 'sluice';

export interface WeightedTarget {
  readonly target: Target;
  readonly weight: number;
}

/** The targets that a model name resolves to, and the rules for their use. Shared by all requests of the name. */
export interface ResolvedRoute {
  /** The requested name, or what the key's alias of that name stands for. */
  readonly name: string;
  /** The name of the configured route; empty for a single model. */
  readonly routeName: string;
  /** At least one. */
  readonly targets: readonly WeightedTarget[];
  /** The targets in configured order. */
  readonly listed: readonly Target[];
  readonly order: TargetOrder;
  /** Whether an end user stays at one target while it is healthy. */
  readonly sticky: boolean;
  /** Whether a conversation stays at the target that has its prompt in its cache. */
  readonly keepsConversations: boolean;
  readonly parameters: ParameterPolicy;
  /** Retries of the same target where there is no other. */
  readonly retries: number;
  /** Who runs its requests of batches. */
  readonly batches: BatchMode;
  readonly timeouts: Timeouts;
  /** Whether the route sets `timeouts.connect` itself; connections have the operator's value anyway. */
  readonly ownConnectTimeout: boolean;
  /** The target for an input that is too long for the others. */
  readonly larger: Target | null;
  /** Whether any target has no known price. */
  readonly hasUnpriced: boolean;
  /** Lifetime of cached responses in milliseconds; null for no caching. */
  readonly cacheMs: number | null;
  /** Moderation of its chats; null for none. */
  readonly moderation: readonly ModerationSettings[] | null;
}

export interface Router {
  /** Resolves an alias of the key, a canonical name, an alias, a route, or an unambiguous bare name. */
  resolve(model: string, requester: Requester): ResolvedRoute | undefined;
  /** The only target of a connection's model, whatever routes and aliases are named like it. */
  direct(connection: Connection, upstreamModel: string): ResolvedRoute | undefined;
  /** Canonical names of the listed models with a capability. */
  offering(capability: string, accountId: string): readonly string[];
  /** A hint for a name that was not found. It only reveals what the account may use. */
  explainModelNotFound(model: string, accountId: string): string;
  /** Available names that are similar to one that was not found, the most similar first; empty where none is. */
  similarModels(model: string, accountId: string, isAllowed: (name: string) => boolean): readonly string[];
}
