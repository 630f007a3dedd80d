import { unknownModel, type Catalogue } from '../../catalogue/catalogue.ts';
import type { ModelRecord } from '../../catalogue/model-record.ts';
import { compileRates } from '../../catalogue/price.ts';
import type { Connection } from '../../providers/contract.ts';
import type { ModelDirectory, ModelListing } from '../model-directory.ts';
import { jsonMembers } from '../usage-line.ts';
import type { Route, Router } from './route.ts';

/** Routes of names that only a provider knows are remembered up to here: names are a caller's text. */
const MOST_REMEMBERED = 10_000;

export interface RoutingTable {
  readonly connections: readonly Connection[];
  /** Another name of a model: `fast` for `openai/gpt-5.5-mini`. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Finds the connection of a model by its name, and lists what can be called. */
export class ModelRouter implements Router, ModelDirectory {
  readonly #catalogue: Catalogue;
  #table: RoutingTable = { connections: [], aliases: new Map() };
  #byProvider = new Map<string, Connection>();
  #listings = new Map<string, ModelListing>();
  #canonical = new Map<string, string | null>();
  #routes = new Map<string, Route>();
  readonly #discovered = new Map<string, readonly string[]>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  get connections(): readonly Connection[] {
    return this.#table.connections;
  }

  /** Takes a new table whole: requests under way keep the connection they have. */
  use(table: RoutingTable): void {
    this.#table = table;
    this.#rebuild();
  }

  /** Asks each provider which models it has. One that does not answer keeps what was known of it. */
  async discover(onFailure: (provider: string, error: unknown) => void): Promise<void> {
    await Promise.all(
      this.#table.connections.map(async (connection) => {
        try {
          this.#discovered.set(connection.provider, await connection.listModels());
        } catch (error) {
          onFailure(connection.provider, error);
        }
      }),
    );
    this.#rebuild();
  }

  resolve(name: string): Route | undefined {
    const known = this.#routes.get(name);
    if (known) return known;
    const route = this.#route(this.#table.aliases.get(name) ?? name);
    if (route) {
      if (this.#routes.size >= MOST_REMEMBERED) this.#routes.clear();
      this.#routes.set(name, route);
    }
    return route;
  }

  list(): readonly ModelListing[] {
    return [...this.#listings.values()];
  }

  find(id: string): ModelListing | undefined {
    const name = this.#table.aliases.get(id) ?? id;
    return this.#listings.get(name) ?? this.#listings.get(this.#canonical.get(name) ?? '');
  }

  #route(name: string): Route | undefined {
    const slash = name.indexOf('/');
    const connection = slash > 0 ? this.#byProvider.get(name.slice(0, slash)) : undefined;
    if (connection) return this.#routeTo(connection, name.slice(slash + 1));
    const canonical = this.#canonical.get(name);
    return canonical ? this.#route(canonical) : undefined;
  }

  /** A provider's newest models are in no catalogue: the provider itself says whether it has one. The sandbox has what is listed. */
  #routeTo(connection: Connection, model: string): Route | undefined {
    const record = this.#catalogue.get(`${connection.provider}/${model}`);
    if (model === '' || (record === undefined && !connection.billed)) return undefined;
    const { id, rates, priceVersion, maxOutputTokens } = record ?? unknownModel(connection.provider, model);
    return {
      connection,
      model: id,
      upstreamModel: model,
      maxOutputTokens,
      rates: rates && compileRates(rates),
      modelJson: JSON.stringify(id),
      usageMembers: jsonMembers({ model: id, provider: connection.provider, price_version: priceVersion, rates }),
      attemptMembers: jsonMembers({ provider: connection.provider, model }),
    };
  }

  #rebuild(): void {
    this.#byProvider = new Map(this.#table.connections.map((connection) => [connection.provider, connection]));
    this.#listings = new Map();
    this.#canonical = new Map();
    this.#routes = new Map();
    for (const { provider } of this.#table.connections) {
      const found = this.#discovered.get(provider);
      const records = found
        ? found.map((model) => this.#catalogue.get(`${provider}/${model}`) ?? unknownModel(provider, model))
        : this.#catalogue.ofProvider(provider);
      for (const record of records) this.#addListing(record);
    }
  }

  #addListing(record: ModelRecord): void {
    this.#listings.set(record.id, toListing(record));
    const bare = record.id.slice(record.provider.length + 1);
    // Two providers with the same name make it ambiguous: it needs its prefix then.
    this.#canonical.set(bare, this.#canonical.has(bare) ? null : record.id);
  }
}

function toListing(record: ModelRecord): ModelListing {
  return {
    id: record.id,
    created: record.releasedOn === null ? 0 : Date.parse(record.releasedOn) / 1_000,
    ownedBy: record.provider,
    name: record.name,
    provider: record.provider,
    contextWindow: record.contextWindow,
    maxOutputTokens: record.maxOutputTokens,
    inputModalities: record.inputModalities,
    outputModalities: record.outputModalities,
    capabilities: record.capabilities,
    pricing: record.rates && { unit: 'per_1m_tokens', currency: 'USD', ...record.rates },
  };
}
