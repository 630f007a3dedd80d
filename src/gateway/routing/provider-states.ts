import type { ConnectionSet } from './connection-set.ts';
import type { RouteSettings } from './model-router.ts';
import type { TargetOrder } from './resolved-route.ts';
import type { BreakerState, HealthBook } from './target-health.ts';

/** How one model does at the connection that is used for it. */
export interface TargetState {
  /** Canonical: `provider/model`. */
  readonly model: string;
  readonly breaker: BreakerState;
  /** When it may be worth trying again; 0 for now. */
  readonly availableInMs: number;
  readonly firstTokenMs: number | null;
  readonly tokensPerSecond: number | null;
}

/** A connection that an account's requests go through. */
export interface ProviderState {
  readonly provider: string;
  /** Whose key is used: the operator's or the account's own. */
  readonly ownConnection: boolean;
  /** How many models are listed there. */
  readonly modelCount: number;
  /** Of those listed models of which something is known: their breaker is not closed, or they were measured lately. */
  readonly targets: readonly TargetState[];
}

/** A name that the operator configured for all accounts. */
export interface ServerRoute {
  readonly name: string;
  /** Of an alias: what it leads to. */
  readonly aliasOf: string | null;
  readonly targets: readonly { readonly model: string; readonly weight: number }[];
  /** Null for an alias. */
  readonly order: TargetOrder | null;
}

export interface ConfiguredRouting {
  /** By provider. */
  states(accountId: string): readonly ProviderState[];
  /** Routes and aliases of the operator, by name. */
  serverRoutes(): readonly ServerRoute[];
}

/** Only of listed models: an unlisted one's name is the text of whoever called it, which may be another account. */
export function providerStates(set: ConnectionSet, health: HealthBook): readonly ProviderState[] {
  const listings = Map.groupBy(set.list(), ({ provider }) => provider);
  return [...set.connections]
    .map(({ id, provider }) => {
      const models = listings.get(provider) ?? [];
      const targets = models.flatMap(({ id: model }) => {
        const known = health.known(id, model.slice(provider.length + 1));
        if (known === undefined) return [];
        const { breaker, availableInMs, firstTokenMs, tokensPerSecond } = known;
        if (breaker === 'closed' && availableInMs === 0 && firstTokenMs === null && tokensPerSecond === null) return [];
        return [{ model, breaker, availableInMs: Math.ceil(availableInMs), firstTokenMs, tokensPerSecond }];
      });
      return { provider, ownConnection: id !== provider, modelCount: models.length, targets };
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
