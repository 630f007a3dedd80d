import { termsOf, type ConnectionTerms } from '../../providers/shared/terms/connection-terms.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { RouteSettings } from './route-settings.ts';
import type { TargetOrder } from './resolved-route.ts';
import type { BreakerState } from './health/target-health.ts';
import type { HealthBook } from './health/health-book.ts';

/** The health of one model at a connection. */
export interface TargetState {
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly breaker: BreakerState;
  /** Milliseconds until it is available; 0 for now. */
  readonly availableInMs: number;
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
}

/** A connection that an account uses. */
export interface ProviderState extends ConnectionTerms {
  readonly provider: string;
  /** Whether it is the account's own connection, not the operator's. */
  readonly ownConnection: boolean;
  /** Number of listed models. */
  readonly modelCount: number;
  /** Listed models with a state: an open breaker, or recent measurements. */
  readonly targets: readonly TargetState[];
}

/** A name that the operator configured for all accounts. */
export interface ServerRoute {
  readonly name: string;
  /** The target of an alias; null for a route. */
  readonly aliasOf: string | null;
  readonly targets: readonly { readonly model: string; readonly weight: number }[];
  /** Null for an alias. */
  readonly order: TargetOrder | null;
}

export interface ConfiguredRouting {
  /** By provider. */
  states(accountId: string): readonly ProviderState[];
  /** The operator's routes and aliases, by name. */
  serverRoutes(): readonly ServerRoute[];
}

/** Only listed models: the name of an unlisted one is client text, possibly of another account. */
export function providerStates(set: ConnectionSet, health: HealthBook): readonly ProviderState[] {
  const listings = Map.groupBy(set.list(), ({ provider }) => provider);
  return [...set.connections]
    .map((connection) => {
      const { id, provider } = connection;
      const models = listings.get(provider) ?? [];
      const targets = models.flatMap(({ id: model }) => {
        const known = health.known(id, model.slice(provider.length + 1));
        if (known === undefined) return [];
        const { breaker, availableInMs, firstTokenMs, tokensPerSecond } = known;
        if (breaker === 'closed' && availableInMs === 0 && firstTokenMs === null && tokensPerSecond === null) return [];
        return [{ model, breaker, availableInMs: Math.ceil(availableInMs), firstTokenMs, tokensPerSecond }];
      });
      return { ...termsOf(connection), provider, ownConnection: id !== provider, modelCount: models.length, targets };
    })
    .toSorted((a, b) => (a.provider < b.provider ? -1 : 1));
}

export function serverRoutesOf(
  routes: ReadonlyMap<string, RouteSettings>,
  aliases: ReadonlyMap<string, string>,
): readonly ServerRoute[] {
  return [
    ...[...routes].map(([name, { targets, order }]) => ({ name, aliasOf: null, targets, order })),
    ...[...aliases].map(([name, aliasOf]) => ({
      name,
      aliasOf,
      targets: [{ model: aliasOf, weight: 1 }],
      order: null,
    })),
  ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
