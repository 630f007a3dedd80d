import { NOT_BILLED, UNPRICED, unknownModel, type Catalogue } from '../../catalogue/catalogue.ts';
import type { ModelRecord } from '../../catalogue/model-record.ts';
import { foldedModelName, plainModelName } from '../../catalogue/model-spelling.ts';
import { compileRates } from '../../catalogue/prices/price.ts';
import { ratesOfTier, serviceTiers, type TokenRates } from '../../catalogue/prices/token-rates.ts';
import { termsOf } from '../../providers/shared/terms/connection-terms.ts';
import type { Connection } from '../../providers/contract.ts';
import { modelPrefixes, providerAliases } from '../../providers/registry.ts';
import { toListing, type ModelListing } from '../keys/model-directory.ts';
import { setBounded } from './set-bounded.ts';
import type { Target } from './target.ts';
import { ServedModels } from './models/served-models.ts';
import type { HealthBook } from './health/health-book.ts';
import { jsonMembers } from '../../protocols/canonical/json-members.ts';

/** Maximum cached targets of uncatalogued models: their names are client text. */
const MAX_ENTRIES = 10_000;
/** No model has a longer name. */
export const MAX_NAME_LENGTH = 256;

export interface ConnectionSetDependencies {
  readonly catalogue: Catalogue;
  readonly health: HealthBook;
  /** Model names that a connection listed; undefined where they are not known. */
  readonly discovered: (connection: Connection) => readonly string[] | undefined;
}

/** A set of connections and the names of their models. */
export class ConnectionSet {
  readonly #dependencies: ConnectionSetDependencies;
  readonly #byProvider: ReadonlyMap<string, Connection>;
  readonly #listings = new Map<string, ModelListing>();
  /** Listed ids by their case-folded names. */
  readonly #folded = new Map<string, string>();
  readonly #canonical = new Map<string, string | null>();
  readonly #targets = new Map<string, Target>();

  /** @param connections one per provider; of several, the last one counts */
  constructor(connections: readonly Connection[], dependencies: ConnectionSetDependencies) {
    this.#dependencies = dependencies;
    this.#byProvider = new Map(connections.map((connection) => [connection.provider, connection]));
    for (const connection of this.#byProvider.values())
      for (const record of this.#recordsOf(connection)) this.#addListing(record, connection);
  }

  get connections(): Iterable<Connection> {
    return this.#byProvider.values();
  }

  connection(provider: string): Connection | undefined {
    return this.#byProvider.get(provider);
  }

  /** Whether one or several models have this name without a prefix. */
  hasBareName(name: string): boolean {
    return this.#canonical.has(name);
  }

  /** The canonical id of a listed model, from its provider's name in any case. */
  listedId(provider: string, name: string): string | undefined {
    const id = `${provider}/${name}`;
    return this.#listings.has(id) ? id : this.#folded.get(foldedModelName(id));
  }

  list(): readonly ModelListing[] {
    return [...this.#listings.values()];
  }

  find(name: string): ModelListing | undefined {
    const listed = this.#listings.get(canonicalPrefix(name)) ?? this.#listings.get(this.#canonical.get(name) ?? '');
    return listed ?? this.#listings.get(this.target(name)?.model ?? '');
  }

  /** Canonical names of the models with this bare name. */
  namesakes(bare: string): readonly string[] {
    return [...this.#listings.values()]
      .filter(({ id, provider }) => id.length === provider.length + 1 + bare.length && id.endsWith(`/${bare}`))
      .map(({ id }) => id);
  }

  /** The listing of a model that is available but not listed. */
  describe({ connection, upstreamModel }: Target): ModelListing {
    const { provider, billed } = connection;
    return toListing(
      this.#dependencies.catalogue.named(provider, upstreamModel) ?? unknownModel(provider, upstreamModel),
      billed,
      termsOf(connection),
    );
  }

  /** The target of a model, by its canonical name or an unambiguous bare name. */
  target(name: string): Target | undefined {
    const known = this.#targets.get(name);
    if (known || name.length > MAX_NAME_LENGTH) return known;
    const target = this.#find(name);
    if (target) {
      setBounded(this.#targets, MAX_ENTRIES, name, target);
    }
    return target;
  }

  /**
   * The target of a model at a connection, which need not be in the set. New models may be missing in the catalogue; the provider itself rejects unknown ones, except where only listed
   * models exist.
   */
  targetAt(connection: Connection, model: string): Target | undefined {
    const record = this.#dependencies.catalogue.named(connection.provider, model);
    if (model === '' || (record === undefined && connection.servesOnlyListedModels === true)) return undefined;
    const known = record ?? unknownModel(connection.provider, model);
    const { id, rates, maxOutputTokens } = known;
    const isUnpriced = rates === null && connection.billed;
    const served = new ServedModels(this.#dependencies.catalogue, connection, model, rates);
    return {
      connection,
      model: id,
      upstreamModel: model,
      maxOutputTokens,
      isUnpriced,
      rates: rates && compileRates(rates),
      ratesByTier: rates && tierRates(rates),
      servedAs: (name, tier) => served.ratesOf(name, tier),
      health: this.#dependencies.health.of(connection.id, model),
      modelJson: JSON.stringify(id),
      usageMembers: jsonMembers({
        model: id,
        provider: connection.provider,
        price_version: isUnpriced ? UNPRICED : known.priceVersion === UNPRICED ? NOT_BILLED : known.priceVersion,
        rates: rates && usualRates(rates),
      }),
      attemptMembers: jsonMembers({
        provider: connection.provider,
        model,
        ...(connection.id !== connection.provider && { own: true }),
      }),
    };
  }

  #find(requested: string): Target | undefined {
    const name = canonicalPrefix(requested);
    const slash = name.indexOf('/');
    const connection = slash > 0 ? this.#byProvider.get(name.slice(0, slash)) : undefined;
    if (connection) return this.targetAt(connection, this.#upstreamName(connection.provider, name.slice(slash + 1)));
    const canonical = this.#canonical.get(name);
    return canonical ? this.#find(canonical) : undefined;
  }

  /** The provider's name of a model, from any spelling of it: limits, lists and prices use that name. */
  #upstreamName(provider: string, requested: string): string {
    const { catalogue } = this.#dependencies;
    const ids = [requested, plainModelName(requested, modelPrefixes.get(provider))].map(
      (name) => `${provider}/${name}`,
    );
    const listed =
      ids.find((id) => this.#listings.has(id)) ?? ids.map((id) => this.#folded.get(foldedModelName(id))).find(Boolean);
    if (listed !== undefined) return listed.slice(provider.length + 1);
    const [, plain = ''] = ids.map((id) => id.slice(provider.length + 1));
    return (catalogue.named(provider, plain)?.id ?? `${provider}/${plain}`).slice(provider.length + 1);
  }

  #recordsOf(connection: Connection): readonly ModelRecord[] {
    const { catalogue, discovered } = this.#dependencies;
    const { provider } = connection;
    const found = discovered(connection);
    // Without a list of the provider, the catalogue's counts.
    if (found === undefined || found.length === 0) return catalogue.ofProvider(provider);
    // Read once: a look-up per model would scan the catalogue for an unknown provider each time.
    const known = new Map(catalogue.ofProvider(provider).map((record) => [record.id, record]));
    return found.map((model) => known.get(`${provider}/${model}`) ?? unknownModel(provider, model));
  }

  #addListing(record: ModelRecord, connection: Connection): void {
    this.#listings.set(record.id, toListing(record, connection.billed, termsOf(connection)));
    const folded = foldedModelName(record.id);
    if (!this.#folded.has(folded)) this.#folded.set(folded, record.id);
    const bare = record.id.slice(record.provider.length + 1);
    // The same name at two providers is ambiguous and needs a prefix.
    this.#canonical.set(bare, this.#canonical.has(bare) ? null : record.id);
  }
}

/** Without the rates of other service tiers: a record that was priced by one contains those itself. */
function usualRates({ serviceTiers: _others, ...rates }: TokenRates): TokenRates {
  return rates;
}

function tierRates(rates: TokenRates): Target['ratesByTier'] {
  const found = serviceTiers.flatMap((tier) => {
    const own = ratesOfTier(rates, tier);
    return own === null ? [] : [[tier, { rates: compileRates(own), json: JSON.stringify(own) }] as const];
  });
  return found.length === 0 ? null : new Map(found);
}

/** `google/gemini-…` as `gemini/gemini-…`. */
function canonicalPrefix(name: string): string {
  const slash = name.indexOf('/');
  const provider = slash > 0 ? providerAliases.get(name.slice(0, slash)) : undefined;
  return provider === undefined ? name : provider + name.slice(slash);
}
