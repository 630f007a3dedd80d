import { buildRoute, resolvedRoute } from './build-route.ts';
import type { AccountRouteSettings, RoutingTable, AccountSource } from './route-settings.ts';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { KnownModels } from '../../catalogue/model-name-check.ts';
import type { Connection } from '../../providers/contract.ts';
import { guardsOf } from '../keys/guard-settings.ts';
import type { ModelDirectory, ModelListing } from '../keys/model-directory.ts';
import { ConnectionSet, MAX_NAME_LENGTH, type ConnectionSetParts } from './connection-set.ts';
import { knownModels } from './models/known-models.ts';
import { missingModelHint } from './models/missing-model.ts';
import { ModelDiscovery } from './models/model-discovery.ts';
import type { ResolvedRoute, Router } from './resolved-route.ts';
import { previewRoute, type RoutePreview, type RoutePreviewer } from './preview.ts';
import {
  providerStates,
  serverRoutesOf,
  type ConfiguredRouting,
  type ProviderState,
  type ServerRoute,
} from './provider-states.ts';
import { setBounded } from './set-bounded.ts';
import { HealthBook } from './health/health-book.ts';
import type { RequestProperties } from './target-order.ts';

/** Maximum cached routes of single models: their names are client text. */
const MAX_ENTRIES = 10_000;

const noAccounts: AccountSource = { of: () => undefined, routesOf: () => undefined };

interface Names {
  readonly set: ConnectionSet;
  readonly routes: Map<string, ResolvedRoute>;
}

/** The resolved route of an account, for one set of connections. */
interface OwnRoute {
  readonly set: ConnectionSet;
  readonly route: ResolvedRoute;
}

/** Resolves model names to targets, and lists the available models. */
export class ModelRouter implements Router, ModelDirectory, RoutePreviewer, ConfiguredRouting {
  readonly health: HealthBook;
  readonly #discovery: ModelDiscovery;
  readonly #parts: ConnectionSetParts;
  readonly #accounts: AccountSource;
  #table: RoutingTable | null = null;
  #operatorNames: Names;
  /** For accounts with own connections. */
  #accountNames = new WeakMap<readonly Connection[], Names>();
  /** The array that contains a connection. */
  readonly #ownConnections = new Map<string, readonly Connection[]>();
  readonly #ownRoutes = new WeakMap<AccountRouteSettings, OwnRoute>();

  constructor(catalogue: Catalogue, accounts: AccountSource = noAccounts, clock: Clock = systemClock) {
    this.health = new HealthBook(clock);
    this.#discovery = new ModelDiscovery((connectionId) => this.#forgetNames(connectionId), clock);
    this.#parts = { catalogue, health: this.health, discovered: (connection) => this.#discovery.of(connection) };
    this.#accounts = accounts;
    this.#operatorNames = this.#namesOf([]);
  }

  get connections(): readonly Connection[] {
    return this.#table?.connections ?? [];
  }

  /** Replaces the table: open requests keep their connection. */
  use(table: RoutingTable): void {
    this.#table = table;
    this.#rebuild();
  }

  /** Queries each provider for its models. After a failure the last list stays in use. */
  async discover(onFailure: (provider: string, error: unknown) => void): Promise<void> {
    await this.#discovery.queryOperators(this.connections, onFailure);
    this.#rebuild();
  }

  ready(accountId: string): Promise<void> | undefined {
    const own = this.#accounts.of(accountId);
    return own && this.#discovery.queryOwn(own);
  }

  /** Stores the model list of an account's connection. */
  listed(connectionId: string, models: readonly string[]): void {
    this.#discovery.ownListed(connectionId, models);
  }

  /** The address of a connection has changed: drops its model list. */
  forgetListed(connectionId: string): void {
    this.#discovery.forget(connectionId);
  }

  resolve(name: string, accountId: string): ResolvedRoute | undefined {
    if (name.length > MAX_NAME_LENGTH) return undefined;
    const names = this.#namesFor(accountId);
    const routes = this.#accounts.routesOf(accountId);
    const own = routes && (routes.get(name) ?? this.#routeOfModel(routes, name, names.set));
    if (own !== undefined) return this.#ownRouteOf(name, own, names.set);
    const known = names.routes.get(name);
    if (known) return known;
    const route = this.#routeOf(name, names.set);
    if (route) {
      setBounded(names.routes, MAX_ENTRIES, name, route);
    }
    return route;
  }

  offering(capability: string, accountId: string): readonly string[] {
    const listed = this.#namesFor(accountId).set.list();
    return listed.filter(({ capabilities }) => capabilities.includes(capability)).map(({ id }) => id);
  }

  explainModelNotFound(name: string, accountId: string): string {
    const { set } = this.#namesFor(accountId);
    const alias = this.#table?.aliases.get(name);
    const route = this.#accounts.routesOf(accountId)?.get(name) ?? this.#table?.routes.get(alias ?? name);
    const targets = route?.targets.map(({ model }) => model) ?? (alias === undefined ? null : [alias]);
    const connected = new Set([...set.connections].map(({ provider }) => provider));
    return missingModelHint(name, { connected, namesakes: set.namesakes(name), targets });
  }

  /** The names available to an account; those of its own connections after `ready`. */
  knownModels(accountId: string): KnownModels {
    const { set } = this.#namesFor(accountId);
    const own = this.#accounts.routesOf(accountId)?.keys() ?? [];
    const { routes, aliases } = this.#table ?? { routes: new Map(), aliases: new Map() };
    const names = new Set<string>([...own, ...routes.keys(), ...aliases.keys()]);
    return knownModels(set, this.#parts.catalogue, names);
  }

  preview(name: string, accountId: string, properties: RequestProperties): RoutePreview | undefined {
    const route = this.resolve(name, accountId);
    return route && previewRoute(route, properties);
  }

  states(accountId: string): readonly ProviderState[] {
    return providerStates(this.#namesFor(accountId).set, this.health);
  }

  serverRoutes(): readonly ServerRoute[] {
    return this.#table ? serverRoutesOf(this.#table.routes, this.#table.aliases) : [];
  }

  list(accountId?: string): readonly ModelListing[] {
    const { set } = this.#namesFor(accountId);
    const named = new Set([
      ...(accountId === undefined ? [] : (this.#accounts.routesOf(accountId)?.keys() ?? [])),
      ...(this.#table?.routes.keys() ?? []),
      ...(this.#table?.aliases.keys() ?? []),
    ]);
    const listings = new Map(set.list().map((listing) => [listing.id, listing]));
    for (const name of named) {
      const listing = this.find(name, accountId);
      if (listing) listings.set(name, listing);
    }
    return [...listings.values()];
  }

  /** A route or an alias is listed under its own name, with the data of its first listed target. */
  find(id: string, accountId?: string): ModelListing | undefined {
    const { set } = this.#namesFor(accountId);
    const own = accountId === undefined ? undefined : this.#accounts.routesOf(accountId)?.get(id);
    const table = this.#table;
    if (own === undefined && !table?.routes.has(id) && !table?.aliases.has(id)) return set.find(id);
    const targets = this.resolve(id, accountId ?? '')?.listed ?? [];
    const [first] = targets;
    if (first === undefined) return undefined;
    const listed = targets.map(({ model }) => set.find(model)).find((listing) => listing !== undefined);
    return { ...(listed ?? set.describe(first)), id, name: id };
  }

  /** Configured names without a target, each with the model that no connection serves. */
  unserved(): string[] {
    const table = this.#table;
    if (table === null) return [];
    const { set } = this.#operatorNames;
    const routes = [...table.routes].flatMap(([name, { targets, larger }]) =>
      [...targets.map(({ model }) => model), ...(larger === null ? [] : [larger])]
        .filter((model) => set.target(model) === undefined)
        .map((model) => `route ${name}: ${model}`),
    );
    const aliases = [...table.aliases]
      .filter(([, target]) => !table.routes.has(target) && set.target(target) === undefined)
      .map(([name, target]) => `alias ${name}: ${target}`);
    const own = [...table.routes].filter(([, route]) => route.moderation !== table.defaults.moderation);
    const guarded = [['routing', table.defaults] as const, ...own];
    const moderators = guarded.flatMap(([name, { moderation }]) =>
      (moderation ?? [])
        .filter(({ model }) => this.resolve(model, '') === undefined)
        .map(({ model }) => `moderation of ${name}: ${model}`),
    );
    return [...routes, ...aliases, ...new Set(moderators)];
  }

  #routeOf(requested: string, set: ConnectionSet): ResolvedRoute | undefined {
    const table = this.#table;
    if (table === null) return undefined;
    const canonical = set.target(requested)?.model ?? requested;
    const name =
      table.aliases.get(requested) ??
      (table.routes.has(requested) ? requested : (table.aliases.get(canonical) ?? requested));
    const settings = table.routes.get(name) ?? table.routes.get(set.target(name)?.model ?? name);
    const { defaults } = table;
    if (settings === undefined) {
      const target = set.target(name);
      const targets = target ? [{ target, weight: 1 }] : [];
      return resolvedRoute(requested, targets, { ...defaults, routeName: '', ownConnectTimeout: false, larger: null });
    }
    return buildRoute(requested, { ...settings, routeName: name }, defaults, set);
  }

  /**
   * A route named like a model applies to all spellings of the model, unless the operator has a route or alias of that
   * name.
   */
  #routeOfModel<Settings>(
    routes: ReadonlyMap<string, Settings>,
    name: string,
    set: ConnectionSet,
  ): Settings | undefined {
    if (this.#table?.routes.has(name) || this.#table?.aliases.has(name)) return undefined;
    const target = set.target(name);
    return target && routes.get(target.model);
  }

  /** An account's own route takes precedence over the operator's names and is cached separately. */
  #ownRouteOf(name: string, own: AccountRouteSettings, set: ConnectionSet): ResolvedRoute | undefined {
    const known = this.#ownRoutes.get(own);
    if (known?.set === set) return known.route;
    const defaults = this.#table?.defaults;
    // An account's route cannot remove the operator's moderation.
    const moderation = guardsOf(defaults?.moderation, own.moderation);
    const route = defaults && buildRoute(name, { ...own, moderation, routeName: name }, defaults, set);
    if (route) this.#ownRoutes.set(own, { set, route });
    return route;
  }

  #namesFor(accountId: string | undefined): Names {
    const own = accountId === undefined ? undefined : this.#accounts.of(accountId);
    if (own === undefined) return this.#operatorNames;
    const known = this.#accountNames.get(own);
    if (known) return known;
    // An account's own connection replaces the operator's.
    const names = this.#namesOf([...this.connections, ...own]);
    this.#accountNames.set(own, names);
    for (const { id } of own) setBounded(this.#ownConnections, MAX_ENTRIES, id, own);
    return names;
  }

  /** The models of an account's connection have changed. */
  #forgetNames(connectionId: string): void {
    const own = this.#ownConnections.get(connectionId);
    if (own) this.#accountNames.delete(own);
    else this.#accountNames = new WeakMap();
  }

  #namesOf(connections: readonly Connection[]): Names {
    return { set: new ConnectionSet(connections, this.#parts), routes: new Map() };
  }

  #rebuild(): void {
    this.#operatorNames = this.#namesOf(this.connections);
    // Resolved routes depend on the sets of connections.
    this.#accountNames = new WeakMap();
  }
}
