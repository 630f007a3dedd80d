import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { freeModels } from './free-models.ts';
import { dateOf, readHead, readIds, readModels } from './model-lines.ts';
import { overridden, type ModelOverrides } from './model-overrides.ts';
import type { ModelRecord } from './model-record.ts';
import { fineTuneBase, foldedModelName } from './model-spelling.ts';
import { sandboxModels } from './sandbox-models.ts';

/** Read at run time, one provider at a time: parsing all of it would add about 20 ms and 6 MB to each start. */
export const shippedCatalogue = new URL('snapshot.jsonl', import.meta.url);

/** The name of the file in the data folder that `sluice catalogue update` writes. */
export const UPDATED_CATALOGUE = 'catalogue.jsonl';

const HEAD_BYTES = 4_096;
const providerId = /^[a-z0-9][a-z0-9-]*$/;

export interface CatalogueOptions {
  /** Path of a catalogue file that replaces the shipped one unless it is older. It need not exist. */
  readonly updated?: string | undefined;
  /** The operator's own records, which take precedence. */
  readonly overrides?: ModelOverrides | undefined;
}

/** Which models exist, their modalities and their prices. A provider's models are read at their first use. */
export class Catalogue {
  #options: CatalogueOptions;
  readonly #providers = new Map<string, ReadonlyMap<string, ModelRecord>>();
  /** By the case-folded names of a provider's models; of several, the first. */
  readonly #folded = new WeakMap<ReadonlyMap<string, ModelRecord>, ReadonlyMap<string, ModelRecord>>();
  #ids: readonly string[] | undefined;

  constructor(options: CatalogueOptions = {}) {
    this.#options = options;
  }

  /** Applies new overrides, and a newer file if there is one. Records that were read before are not updated. */
  use(options: CatalogueOptions): void {
    this.#options = { ...this.#options, ...options };
    this.#providers.clear();
    this.#ids = undefined;
  }

  /** The ids of all models of all providers. The same array until `use` is called. */
  ids(): readonly string[] {
    this.#ids ??= [
      ...new Set([
        ...[...sandboxModels, ...freeModels].map(({ id }) => id),
        ...readIds(readFileSync(this.#file(), 'utf8')),
        ...Object.keys(this.#options.overrides ?? {}),
      ]),
    ];
    return this.#ids;
  }

  get(id: string): ModelRecord | undefined {
    return this.#of(id.slice(0, Math.max(0, id.indexOf('/')))).get(id);
  }

  /**
   * The record of a model by its provider's name, in any case. A fine-tuned model has its own name and the price of its
   * base model's fine-tuned models.
   */
  named(provider: string, name: string): ModelRecord | undefined {
    const known = this.listed(provider, name);
    if (known) return known;
    const base = fineTuneBase(name);
    const tuned =
      base === null ? undefined : this.#foldedOf(this.#of(provider)).get(foldedModelName(`${provider}/${base}`));
    return tuned && { ...tuned, id: `${provider}/${name}`, name };
  }

  /** The same, without fine-tuned models that are not listed themselves. */
  listed(provider: string, name: string): ModelRecord | undefined {
    const models = this.#of(provider);
    return models.get(`${provider}/${name}`) ?? this.#foldedOf(models).get(foldedModelName(`${provider}/${name}`));
  }

  ofProvider(provider: string): ModelRecord[] {
    return [...this.#of(provider).values()];
  }

  #foldedOf(models: ReadonlyMap<string, ModelRecord>): ReadonlyMap<string, ModelRecord> {
    let folded = this.#folded.get(models);
    if (folded === undefined) {
      folded = new Map([...models.values()].toReversed().map((model) => [foldedModelName(model.id), model]));
      this.#folded.set(models, folded);
    }
    return folded;
  }

  #of(provider: string): ReadonlyMap<string, ModelRecord> {
    const known = this.#providers.get(provider);
    if (known) return known;
    const models = provider === 'sandbox' ? sandboxModels : this.#read(provider);
    const byId = new Map(models.map((model) => [model.id, model]));
    for (const [id, override] of Object.entries(this.#options.overrides ?? {}))
      if (id.startsWith(`${provider}/`))
        byId.set(id, overridden(byId.get(id) ?? unlistedModel(provider, id), override));
    // The name of an unknown provider comes from a client and must not be stored.
    if (byId.size > 0) this.#providers.set(provider, byId);
    return byId;
  }

  #read(provider: string): ModelRecord[] {
    if (!providerId.test(provider)) return [];
    const models = readModels(readFileSync(this.#file(), 'utf8'), provider);
    const listed = new Set(models.map(({ id }) => id));
    return [...models, ...freeModels.filter((free) => free.provider === provider && !listed.has(free.id))];
  }

  /** Whichever is newer. */
  #file(): string | URL {
    const { updated } = this.#options;
    return updated !== undefined && dateOfFile(updated) >= dateOfFile(shippedCatalogue) ? updated : shippedCatalogue;
  }
}

/** The price version of a billed model without a known price. */
export const UNPRICED = 'unpriced';
/** The price version of a model that is not billed and has no price. */
export const NOT_BILLED = 'not_billed';

/** The record of a model that only its provider lists. */
export function unknownModel(provider: string, model: string): ModelRecord {
  return {
    id: `${provider}/${model}`,
    provider,
    name: model,
    contextWindow: null,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: ['text'],
    capabilities: ['chat'],
    rates: null,
    priceVersion: UNPRICED,
    releasedOn: null,
  };
}

function unlistedModel(provider: string, id: string): ModelRecord {
  return unknownModel(provider, id.slice(provider.length + 1));
}

/** Empty, and therefore older than any other, if the file does not exist or cannot be read. */
function dateOfFile(file: string | URL): string {
  try {
    const opened = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return dateOf(readHead(bytes.toString('utf8', 0, readSync(opened, bytes))));
    } finally {
      closeSync(opened);
    }
  } catch {
    return '';
  }
}
