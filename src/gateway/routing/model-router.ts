import { AccountRoutes, accountRoute } from './account-routes.ts';
import { directRoute, namedRoute } from './build-route.ts';
import type { AccountSource, RoutingTable } from './route-settings.ts';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { KnownModels } from '../../catalogue/model-name-check.ts';
import type { Connection } from '../../providers/contract.ts';
import type { Requester } from '../keys/key-directory.ts';
import type { ModelDirectory, ModelListing } from '../keys/model-directory.ts';
import { ConnectionSet, MAX_NAME_LENGTH, type ConnectionSetDependencies } from './connection-set.ts';
import { knownModels } from './models/known-models.ts';
import { ModelDiscovery } from './models/model-discovery.ts';
import {
  findModel,
  hintForMissing,
  listModels,
  namesOf,
  unservedNames,
  type AvailableNames,
} from './models/model-listings.ts';
import { SimilarModels } from './models/similar-models.ts';
import { aliasedName } from './name-patterns.ts';
import type { ResolvedRoute, Router } from './resolved-route.ts';
import { previewRoute, type RoutePreview, type RoutePreviewer } from './preview.ts';
import { providerStates, serverRoutesOf, type ConfiguredRouting } from './provider-states.ts';
import type { ProviderState, ServerRoute } from './provider-states.ts';
import { setBounded } from './set-bounded.ts';
import { HealthBook } from './health/health-book.ts';
import type { RequestProperties } from './selection/target-order.ts';

/** Maximum cached routes of single models: their names are client text. */
const MAX_ENTRIES = 10_000;
const noAccounts: AccountSource = { of: () => undefined, routesOf: () => undefined };

interface Names {
  readonly set: ConnectionSet;
  readonly routes: Map<string, ResolvedRoute>;
}

/** Resolves model names to targets, and lists the available models. */
export class ModelRouter implements Router, ModelDirectory, RoutePreviewer, ConfiguredRouting {
  readonly health: HealthBook;
  readonly #discovery: ModelDiscovery;
  readonly #dependencies: ConnectionSetDependencies;
  readonly #accounts: AccountSource;
  readonly #similar: SimilarModels;
  #table: RoutingTable | null = null;
  #operatorNames: Names;
  /** For accounts with own connections. */
  #accountNames = new WeakMap<readonly Connection[], Names>();
  /** The array that contains a connection. */
  readonly #ownConnections = new Map<string, readonly Connection[]>();
  readonly #accountRoutes = new AccountRoutes();

  constructor(catalogue: Catalogue, accounts: AccountSource = noAccounts, clock: Clock = systemClock) {
    this.health = new HealthBook(clock);
    this.#discovery = new ModelDiscovery((connectionId) => this.#forgetNames(connectionId), clock);
    this.#dependencies = { catalogue, health: this.health, discovered: (connection) => this.#discovery.of(connection) };
    this.#accounts = accounts;
    this.#similar = new SimilarModels(clock);
    this.#operatorNames = this.#namesOf([]);
  }

  get connections(): readonly Connection[] {
    return this.#table?.connections ?? [];
  }

  /** Undefined where it is gone. */
  connection(id: string, accountId: string): Connection | undefined {
    return [...this.connections, ...(this.#accounts.of(accountId) ?? [])].find((connection) => connection.id === id);
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

  resolve(requested: string, { accountId, modelAliases }: Requester): ResolvedRoute | undefined {
    if (requested.length > MAX_NAME_LENGTH) return undefined;
    const names = this.#namesFor(accountId);
    const routes = this.#accounts.routesOf(accountId);
    const name = aliasedName(modelAliases, requested, routes, this.#table);
    const own = routes && accountRoute(routes, name, this.#table, names.set);
    if (own !== undefined) return this.#accountRoutes.resolve(name, own, this.#table, names.set);
    const known = names.routes.get(name);
    if (known) return known;
    const route = this.#table ? namedRoute(name, this.#table, names.set) : undefined;
    if (route) setBounded(names.routes, MAX_ENTRIES, name, route);
    return route;
  }

  direct(connection: Connection, upstreamModel: string): ResolvedRoute | undefined {
    return this.#table ? directRoute(connection, upstreamModel, this.#table, this.#operatorNames.set) : undefined;
  }

  offering(capability: string, accountId: string): readonly string[] {
    const listed = this.#namesFor(accountId).set.list();
    return listed.filter(({ capabilities }) => capabilities.includes(capability)).map(({ id }) => id);
  }

  explainModelNotFound(name: string, accountId: string): string {
    return hintForMissing(name, this.#availableTo(accountId));
  }

  similarModels(name: string, accountId: string, isAllowed: (name: string) => boolean): readonly string[] {
    return this.#similar.to(name, this.#availableTo(accountId), isAllowed);
  }

  /** The names available to an account; those of its own connections after `ready`. */
  knownModels(accountId: string): KnownModels {
    const available = this.#availableTo(accountId);
    return knownModels(available.set, this.#dependencies.catalogue, namesOf(available));
  }

  preview(name: string, accountId: string, properties: RequestProperties): RoutePreview | undefined {
    const route = this.resolve(name, { accountId });
    return route && previewRoute(route, properties);
  }

  states(accountId: string): readonly ProviderState[] {
    return providerStates(this.#namesFor(accountId).set, this.health);
  }

  serverRoutes(): readonly ServerRoute[] {
    return this.#table ? serverRoutesOf(this.#table.routes, this.#table.aliases) : [];
  }

  list(accountId?: string): readonly ModelListing[] {
    return listModels(this.#availableTo(accountId));
  }

  find(id: string, accountId?: string): ModelListing | undefined {
    return findModel(id, this.#availableTo(accountId));
  }

  /** Configured names without a target, each with the model that no connection serves. */
  unserved(): string[] {
    return this.#table ? unservedNames(this.#table, this.#availableTo(undefined)) : [];
  }

  #availableTo(accountId: string | undefined): AvailableNames {
    return {
      set: this.#namesFor(accountId).set,
      table: this.#table,
      own: accountId === undefined ? undefined : this.#accounts.routesOf(accountId),
      resolve: (name) => this.resolve(name, { accountId: accountId ?? '' }),
    };
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
    return { set: new ConnectionSet(connections, this.#dependencies), routes: new Map() };
  }

  #rebuild(): void {
    this.#operatorNames = this.#namesOf(this.connections);
    // Resolved routes depend on the sets of connections.
    this.#accountNames = new WeakMap();
  }
}
