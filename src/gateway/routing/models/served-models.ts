import type { Catalogue } from '../../../catalogue/catalogue.ts';
import { plainModelName } from '../../../catalogue/model-spelling.ts';
import { compileRates } from '../../../catalogue/prices/price.ts';
import { ratesOfTier, type ServiceTier, type TokenRates } from '../../../catalogue/prices/token-rates.ts';
import type { Connection } from '../../../providers/contract.ts';
import { modelPrefixes } from '../../../providers/registry.ts';
import { setBounded } from '../set-bounded.ts';
import type { ServedRates } from '../target.ts';

/** Providers report few models for one request; bounded, because the names are their text. */
const MAX_ENTRIES = 64;

/** Rates of models that a provider reports to have responded in place of the requested one. */
export class ServedModels {
  readonly #catalogue: Catalogue;
  readonly #connection: Connection;
  readonly #requestedModel: string;
  readonly #rates: TokenRates | null;
  readonly #known = new Map<string, ServedRates | null>();

  /** @param requestedModel the provider's name of the requested model */
  constructor(catalogue: Catalogue, connection: Connection, requestedModel: string, rates: TokenRates | null) {
    this.#catalogue = catalogue;
    this.#connection = connection;
    this.#requestedModel = requestedModel;
    this.#rates = rates;
  }

  ratesOf(name: string, tier: ServiceTier | undefined): ServedRates | null {
    if (name === this.#requestedModel || !this.#connection.billed) return null;
    const key = tier === undefined ? name : `${tier} ${name}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = this.#find(name, tier);
      setBounded(this.#known, MAX_ENTRIES, key, known);
    }
    return known;
  }

  #find(name: string, tier: ServiceTier | undefined): ServedRates | null {
    const { provider } = this.#connection;
    const record = this.#catalogue.named(provider, plainModelName(name, modelPrefixes.get(provider)));
    if (!record?.rates || costsTheSame(record.rates, this.#rates)) return null;
    const { serviceTiers: _others, ...standard } = record.rates;
    const rates = (tier && ratesOfTier(record.rates, tier)) ?? standard;
    return { rates: compileRates(rates), json: JSON.stringify(rates), version: record.priceVersion };
  }
}

/** Catalogue sources differ in detail between names of one model: prices of input and output distinguish models. */
function costsTheSame(a: TokenRates, b: TokenRates | null): boolean {
  return b !== null && Number(a.input) === Number(b.input) && Number(a.output) === Number(b.output);
}
