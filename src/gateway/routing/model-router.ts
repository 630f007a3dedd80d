import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { KnownModels } from '../../catalogue/model-name-check.ts';
import type { Connection, ParameterPolicy } from '../../providers/contract.ts';
import { guardsOf, type GuardSettings } from '../moderation-guard/guard-settings.ts';
import type { ModelDirectory, ModelListing } from '../model-directory.ts';
import type { Timeouts } from '../timeouts.ts';
import { ConnectionSet, MAX_NAME_LENGTH, type ConnectionSetParts } from './connection-set.ts';
import { knownModels } from './known-models.ts';
import { missingModelHint } from './missing-model.ts';
import { ModelDiscovery } from './model-discovery.ts';
import type { ResolvedRoute, ResolvedTarget, Router, TargetOrder } from './resolved-route.ts';
import { previewPlan, type RoutePreview, type RoutePreviewer } from './preview.ts';
import {
  providerStates,
  serverRoutesOf,
  type ConfiguredRouting,
  type ProviderState,
  type ServerRoute,
} from './provider-states.ts';
import { setBounded } from './set-bounded.ts';
import { HealthBook } from './target-health.ts';
import type { RequestFacts } from './target-order.ts';

/** Plans of single models are remembered up to here: their names are a caller's text. */
const MAX_ENTRIES = 10_000;

interface RouteRules {
  readonly order: TargetOrder;
  readonly sticky: boolean;
  readonly parameters: ParameterPolicy;
  readonly retries: number;
  readonly cacheMs: number | null;
  /** What chats are moderated by; null for nothing. */
  readonly moderation: readonly GuardSettings[] | null;
}

/** A route as it is configured. */
export interface RouteSettings extends RouteRules {
  readonly targets: readonly { readonly model: string; readonly weight: number }[];
  readonly timeouts: Partial<Timeouts>;
  readonly larger: string | null;
}

/** An account's own route: rules that it does not have are as they are usual. */
export type AccountRouteSettings = Omit<RouteSettings, keyof RouteRules> & Partial<RouteRules>;

export interface RoutingTable {
  readonly connections: readonly Connection[];
  /** Another name of a model or a route: `fast` for `openai/gpt-5.5-mini`. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly routes: ReadonlyMap<string, RouteSettings>;
  /** How a model is called that no route names. */
  readonly defaults: RouteRules & { readonly timeouts: Timeouts };
}

/** What accounts have of their own. */
export interface AccountSource {
  /** Connections under the account's own keys: the same array until they change; undefined for an account that has none. */
  of(accountId: string): readonly Connection[] | undefined;
  /** By name, each the same object until it changes; undefined for an account that has none. */
  routesOf(accountId: string): ReadonlyMap<string, AccountRouteSettings> | undefined;
}

const nobodys: AccountSource = { of: () => undefined, routesOf: () => undefined };

interface Names {
  readonly set: ConnectionSet;
  readonly plans: Map<string, ResolvedRoute>;
}

/** The plan of an account's own route, over the connections that it was made for. */
interface OwnPlan {
  readonly set: ConnectionSet;
  readonly plan: ResolvedRoute;
}

/** Finds the targets of a model by its name, and lists what can be called. */
export class ModelRouter implements Router, ModelDirectory, RoutePreviewer, ConfiguredRouting {
  readonly health: HealthBook;
  readonly #discovery: ModelDiscovery;
  readonly #parts: ConnectionSetParts;
  readonly #accounts: AccountSource;
  #table: RoutingTable | null = null;
  #operators: Names;
  /** Of accounts with connections of their own. */
  #accountsOwn = new WeakMap<readonly Connection[], Names>();
  /** Which of these arrays a connection is in. */
  readonly #arrays = new Map<string, readonly Connection[]>();
  readonly #ownPlans = new WeakMap<AccountRouteSettings, OwnPlan>();

  constructor(catalogue: Catalogue, accounts: AccountSource = nobodys, clock: Clock = systemClock) {
    this.health = new HealthBook(clock);
    this.#discovery = new ModelDiscovery((connectionId) => this.#forgetNames(connectionId), clock);
    this.#parts = { catalogue, health: this.health, discovered: (connection) => this.#discovery.of(connection) };
    this.#accounts = accounts;
    this.#operators = this.#namesOf([]);
  }

  get connections(): readonly Connection[] {
    return this.#table?.connections ?? [];
  }

  /** Takes a new table whole: requests under way keep the connection they have. */
  use(table: RoutingTable): void {
    this.#table = table;
    this.#rebuild();
  }

  /** Asks each provider which models it has. One that does not answer keeps what was known of it. */
  async discover(onFailure: (provider: string, error: unknown) => void): Promise<void> {
    await this.#discovery.askOperators(this.connections, onFailure);
    this.#rebuild();
  }

  ready(accountId: string): Promise<void> | undefined {
    const own = this.#accounts.of(accountId);
    return own && this.#discovery.askOwn(own);
  }

  /** Takes what an account's connection was found to list. */
  listed(connectionId: string, models: readonly string[]): void {
    this.#discovery.ownListed(connectionId, models);
  }

  /** The connection of that id has another address now: what the one before listed is not listed any more. */
  forgetListed(connectionId: string): void {
    this.#discovery.forget(connectionId);
  }

  resolve(name: string, accountId: string): ResolvedRoute | undefined {
    if (name.length > MAX_NAME_LENGTH) return undefined;
    const names = this.#namesFor(accountId);
    const routes = this.#accounts.routesOf(accountId);
    const own = routes && (routes.get(name) ?? this.#routeOfModel(routes, name, names.set));
    if (own !== undefined) return this.#ownPlanOf(name, own, names.set);
    const known = names.plans.get(name);
    if (known) return known;
    const plan = this.#planOf(name, names.set);
    if (plan) {
      setBounded(names.plans, MAX_ENTRIES, name, plan);
    }
    return plan;
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

  /** What an account's requests can name; what its own connections list, once `ready` has waited for them. */
  knownModels(accountId: string): KnownModels {
    const { set } = this.#namesFor(accountId);
    const own = this.#accounts.routesOf(accountId)?.keys() ?? [];
    const { routes, aliases } = this.#table ?? { routes: new Map(), aliases: new Map() };
    const names = new Set<string>([...own, ...routes.keys(), ...aliases.keys()]);
    return knownModels(set, this.#parts.catalogue, names);
  }

  preview(name: string, accountId: string, facts: RequestFacts): RoutePreview | undefined {
    const plan = this.resolve(name, accountId);
    return plan && previewPlan(plan, facts);
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

  /** A route or an alias is listed under its own name, with what the first of its targets has that is listed. */
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

  /** Names that are configured and lead nowhere, each with the model that no connection serves. */
  unserved(): string[] {
    const table = this.#table;
    if (table === null) return [];
    const { set } = this.#operators;
    const routes = [...table.routes].flatMap(([name, { targets, larger }]) =>
      [...targets.map(({ model }) => model), ...(larger === null ? [] : [larger])]
        .filter((model) => set.route(model) === undefined)
        .map((model) => `route ${name}: ${model}`),
    );
    const aliases = [...table.aliases]
      .filter(([, target]) => !table.routes.has(target) && set.route(target) === undefined)
      .map(([name, target]) => `alias ${name}: ${target}`);
    const own = [...table.routes].filter(([, route]) => route.moderation !== table.defaults.moderation);
    const guarded = [['routing', table.defaults] as const, ...own];
    const judges = guarded.flatMap(([name, { moderation }]) =>
      (moderation ?? [])
        .filter(({ model }) => this.resolve(model, '') === undefined)
        .map(({ model }) => `moderation of ${name}: ${model}`),
    );
    return [...routes, ...aliases, ...new Set(judges)];
  }

  #planOf(given: string, set: ConnectionSet): ResolvedRoute | undefined {
    const table = this.#table;
    if (table === null) return undefined;
    const canonical = set.route(given)?.model ?? given;
    const name =
      table.aliases.get(given) ?? (table.routes.has(given) ? given : (table.aliases.get(canonical) ?? given));
    const settings = table.routes.get(name) ?? table.routes.get(set.route(name)?.model ?? name);
    const { defaults } = table;
    if (settings === undefined) {
      const route = set.route(name);
      const targets = route ? [{ route, weight: 1 }] : [];
      return toPlan(given, targets, { ...defaults, routeName: '', ownConnectTimeout: false, larger: null });
    }
    return routePlan(given, { ...settings, routeName: name }, defaults, set);
  }

  /** A route that is called like a model stands for it however the model is spelled, unless the operator has another of that name. */
  #routeOfModel<Settings>(
    routes: ReadonlyMap<string, Settings>,
    name: string,
    set: ConnectionSet,
  ): Settings | undefined {
    if (this.#table?.routes.has(name) || this.#table?.aliases.has(name)) return undefined;
    const route = set.route(name);
    return route && routes.get(route.model);
  }

  /** It comes before all that the operator calls so, and is kept apart: others do not have it. */
  #ownPlanOf(name: string, own: AccountRouteSettings, set: ConnectionSet): ResolvedRoute | undefined {
    const known = this.#ownPlans.get(own);
    if (known?.set === set) return known.plan;
    const usual = this.#table?.defaults;
    // What the operator has judged for all, an account's own route does not take away.
    const moderation = guardsOf(usual?.moderation, own.moderation);
    const plan = usual && routePlan(name, { ...own, moderation, routeName: name }, usual, set);
    if (plan) this.#ownPlans.set(own, { set, plan });
    return plan;
  }

  #namesFor(accountId: string | undefined): Names {
    const own = accountId === undefined ? undefined : this.#accounts.of(accountId);
    if (own === undefined) return this.#operators;
    const known = this.#accountsOwn.get(own);
    if (known) return known;
    // An account's own key is used before the operator's.
    const names = this.#namesOf([...this.connections, ...own]);
    this.#accountsOwn.set(own, names);
    for (const { id } of own) setBounded(this.#arrays, MAX_ENTRIES, id, own);
    return names;
  }

  /** The models of an account's connection are others now. */
  #forgetNames(connectionId: string): void {
    const own = this.#arrays.get(connectionId);
    if (own) this.#accountsOwn.delete(own);
    else this.#accountsOwn = new WeakMap();
  }

  #namesOf(connections: readonly Connection[]): Names {
    return { set: new ConnectionSet(connections, this.#parts), plans: new Map() };
  }

  #rebuild(): void {
    this.#operators = this.#namesOf(this.connections);
    // With the sets of connections, all plans over them are made anew.
    this.#accountsOwn = new WeakMap();
  }
}

/** Targets that nothing serves are left out; undefined where that leaves none. */
function routePlan(
  name: string,
  settings: AccountRouteSettings & { readonly routeName: string },
  usual: RoutingTable['defaults'],
  set: ConnectionSet,
): ResolvedRoute | undefined {
  const targets = settings.targets.flatMap(({ model, weight }) => {
    const route = set.route(model);
    return route ? [{ route, weight }] : [];
  });
  return toPlan(name, targets, {
    ...usual,
    ...settings,
    timeouts: { ...usual.timeouts, ...settings.timeouts },
    ownConnectTimeout: settings.timeouts.connect !== undefined,
    larger: settings.larger === null ? null : (set.route(settings.larger) ?? null),
  });
}

type PlanRules = Omit<ResolvedRoute, 'name' | 'targets' | 'listed' | 'hasUnpriced'>;

function toPlan(name: string, targets: readonly ResolvedTarget[], rules: PlanRules): ResolvedRoute | undefined {
  if (targets.length === 0) return undefined;
  const { order, sticky, parameters, retries, timeouts, ownConnectTimeout, larger, cacheMs, moderation, routeName } =
    rules;
  return {
    name,
    routeName,
    targets,
    listed: targets.map(({ route }) => route),
    order,
    sticky,
    parameters,
    retries,
    timeouts,
    ownConnectTimeout,
    larger,
    hasUnpriced: larger?.isUnpriced === true || targets.some(({ route }) => route.isUnpriced),
    cacheMs,
    moderation,
  };
}
