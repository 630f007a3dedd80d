import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Connection, ParameterPolicy } from '../../providers/contract.ts';
import type { ModelDirectory, ModelListing } from '../model-directory.ts';
import type { Timeouts } from '../timeouts.ts';
import { ConnectionSet, type ConnectionSetParts } from './connection-set.ts';
import type { Plan, PlanTarget, Router, TargetOrder } from './plan.ts';
import { previewPlan, type RoutePreview, type RoutePreviewer } from './preview.ts';
import { RetryBudget } from './retry-budget.ts';
import { HealthBook } from './target-health.ts';
import type { RequestFacts } from './target-order.ts';

/** Plans of single models are remembered up to here: their names are a caller's text. */
const MOST_REMEMBERED = 10_000;

/** A route as it is configured. */
export interface RouteSettings {
  readonly targets: readonly { readonly model: string; readonly weight: number }[];
  readonly order: TargetOrder;
  readonly sticky: boolean;
  readonly parameters: ParameterPolicy;
  readonly retries: number;
  readonly timeouts: Partial<Timeouts>;
  readonly larger: string | null;
  readonly cacheMs: number | null;
}

export interface RoutingTable {
  readonly connections: readonly Connection[];
  /** Another name of a model or a route: `fast` for `openai/gpt-5.5-mini`. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly routes: ReadonlyMap<string, RouteSettings>;
  /** How a model is called that no route names. */
  readonly usual: Omit<RouteSettings, 'targets' | 'timeouts' | 'larger'> & { readonly timeouts: Timeouts };
}

/** Connections of accounts that brought their own keys. */
export interface AccountConnectionSource {
  /** The same array until they change; undefined for an account that has none. */
  of(accountId: string): readonly Connection[] | undefined;
}

const nobodys: AccountConnectionSource = { of: () => undefined };

interface Names {
  readonly set: ConnectionSet;
  readonly plans: Map<string, Plan>;
}

/** Finds the targets of a model by its name, and lists what can be called. */
export class ModelRouter implements Router, ModelDirectory, RoutePreviewer {
  readonly health = new HealthBook();
  readonly #discovered = new Map<string, readonly string[]>();
  readonly #parts: ConnectionSetParts;
  readonly #accounts: AccountConnectionSource;
  #table: RoutingTable | null = null;
  #operators: Names;
  /** Of accounts with connections of their own. */
  #accountsOwn = new WeakMap<readonly Connection[], Names>();

  constructor(catalogue: Catalogue, accounts: AccountConnectionSource = nobodys) {
    this.#parts = { catalogue, health: this.health, discovered: this.#discovered };
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
    await Promise.all(
      this.connections.map(async (connection) => {
        try {
          this.#discovered.set(connection.id, await connection.listModels());
        } catch (error) {
          onFailure(connection.provider, error);
        }
      }),
    );
    this.#rebuild();
  }

  resolve(name: string, accountId: string): Plan | undefined {
    const own = this.#accounts.of(accountId);
    const names = own === undefined ? this.#operators : this.#namesFor(own);
    const known = names.plans.get(name);
    if (known) return known;
    const plan = this.#planOf(name, names.set);
    if (plan) {
      if (names.plans.size >= MOST_REMEMBERED) names.plans.clear();
      names.plans.set(name, plan);
    }
    return plan;
  }

  preview(name: string, accountId: string, facts: RequestFacts): RoutePreview | undefined {
    const plan = this.resolve(name, accountId);
    return plan && previewPlan(plan, facts);
  }

  list(accountId?: string): readonly ModelListing[] {
    return this.#setFor(accountId).list();
  }

  find(id: string, accountId?: string): ModelListing | undefined {
    return this.#setFor(accountId).find(this.#table?.aliases.get(id) ?? id);
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
    return [...routes, ...aliases];
  }

  #planOf(given: string, set: ConnectionSet): Plan | undefined {
    const table = this.#table;
    if (table === null) return undefined;
    const name = table.aliases.get(given) ?? given;
    const settings = table.routes.get(name);
    const { usual } = table;
    if (settings === undefined) {
      const route = set.route(name);
      const targets = route ? [{ route, weight: 1 }] : [];
      return toPlan(given, targets, { ...usual, ownConnectTimeout: false, larger: null });
    }
    const targets = settings.targets.flatMap(({ model, weight }) => {
      const route = set.route(model);
      return route ? [{ route, weight }] : [];
    });
    return toPlan(given, targets, {
      ...settings,
      timeouts: { ...usual.timeouts, ...settings.timeouts },
      ownConnectTimeout: settings.timeouts.connect !== undefined,
      larger: settings.larger === null ? null : (set.route(settings.larger) ?? null),
    });
  }

  #setFor(accountId: string | undefined): ConnectionSet {
    const own = accountId === undefined ? undefined : this.#accounts.of(accountId);
    return (own === undefined ? this.#operators : this.#namesFor(own)).set;
  }

  #namesFor(own: readonly Connection[]): Names {
    const known = this.#accountsOwn.get(own);
    if (known) return known;
    // An account's own key is used before the operator's.
    const names = this.#namesOf([...this.connections, ...own]);
    this.#accountsOwn.set(own, names);
    return names;
  }

  #namesOf(connections: readonly Connection[]): Names {
    return { set: new ConnectionSet(connections, this.#parts), plans: new Map() };
  }

  #rebuild(): void {
    this.#operators = this.#namesOf(this.connections);
    this.#accountsOwn = new WeakMap();
  }
}

type PlanRules = Omit<Plan, 'name' | 'targets' | 'listed' | 'budget'>;

function toPlan(name: string, targets: readonly PlanTarget[], rules: PlanRules): Plan | undefined {
  if (targets.length === 0) return undefined;
  const { order, sticky, parameters, retries, timeouts, ownConnectTimeout, larger, cacheMs } = rules;
  return {
    name,
    targets,
    listed: targets.map(({ route }) => route),
    order,
    sticky,
    parameters,
    retries,
    timeouts,
    ownConnectTimeout,
    larger,
    cacheMs,
    budget: new RetryBudget(),
  };
}
