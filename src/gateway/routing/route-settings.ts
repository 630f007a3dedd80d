import type { BatchMode, TargetOrder } from './resolved-route.ts';
import type { Timeouts } from './timeouts.ts';
import { type ModerationSettings } from '../keys/moderation-settings.ts';
import type { Connection } from '../../providers/contract.ts';
import type { ParameterPolicy } from '../../protocols/canonical/parameter-policy.ts';

export interface RouteRules {
  readonly order: TargetOrder;
  readonly sticky: boolean;
  /** Whether a conversation stays at the target that has its prompt in its cache, where the order allows it. */
  readonly affinity: boolean;
  readonly parameters: ParameterPolicy;
  readonly retries: number;
  readonly batches: BatchMode;
  readonly cacheMs: number | null;
  /** Moderation of chats; null for none. */
  readonly moderation: readonly ModerationSettings[] | null;
}

/** A configured route. */
export interface RouteSettings extends RouteRules {
  readonly targets: readonly { readonly model: string; readonly weight: number }[];
  readonly timeouts: Partial<Timeouts>;
  readonly larger: string | null;
}

/** An account's own route: missing rules have the defaults. */
export type AccountRouteSettings = Omit<RouteSettings, keyof RouteRules> & Partial<RouteRules>;

export interface RoutingTable {
  readonly connections: readonly Connection[];
  /** Alias to model or route: `fast` for `openai/gpt-5.5-mini`. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly routes: ReadonlyMap<string, RouteSettings>;
  /** Rules for models without a route. */
  readonly defaults: RouteRules & { readonly timeouts: Timeouts };
}

/** Connections and routes of accounts. */
export interface AccountSource {
  /** An account's own connections: the same array until they change; undefined for none. */
  of(accountId: string): readonly Connection[] | undefined;
  /** Routes by name, each the same object until it changes; undefined for none. */
  routesOf(accountId: string): ReadonlyMap<string, AccountRouteSettings> | undefined;
}
