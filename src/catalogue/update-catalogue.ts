import { dateOf, readAllModels, readHead, writeModelLines } from './model-lines.ts';
import type { ModelRecord } from './model-record.ts';
import { compileRates } from './prices/price.ts';
import { mergeModels } from './sources/merge.ts';
import type { ImportedProvider } from './sources/imported-provider.ts';
import { readModelsDev } from './sources/models-dev.ts';
import { withShippedDeprecations } from './sources/published-deprecations.ts';

export interface CatalogueUpdate {
  /** The new file's text. */
  readonly text: string;
  readonly date: string;
  readonly models: number;
  /** Models of the shipped catalogue whose rates changed. */
  readonly changedPrices: number;
}

/**
 * Creates a catalogue file from models.dev's `api.json`. Data that only other sources have is copied from the shipped file.
 * @param today `YYYY-MM-DD`, the date of a file that does not state its own
 * @throws Error with a sentence about the fault of the file
 */
export function updatedCatalogue(
  json: string,
  shipped: string,
  today: string,
  importedProviders: readonly ImportedProvider[],
): CatalogueUpdate {
  const fresh = readModelsDev(parsed(json), today, importedProviders);
  const head = readHead(shipped);
  const { date } = fresh.source;
  if (date < dateOf(head))
    throw new RangeError(`it is dated ${date} and older than the shipped catalogue, which is dated ${dateOf(head)}`);
  const before = readAllModels(shipped);
  const merged = mergeModels(fresh.models, recordsOfOtherSources(before, fresh.models));
  const models = withShippedDeprecations(merged, before);
  for (const { rates } of models) if (rates) compileRates(rates);
  const sources = [fresh.source, ...head.sources.slice(1)];
  return {
    text: writeModelLines({ sources }, models),
    date,
    models: models.length,
    changedPrices: changes(before, models),
  };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new SyntaxError('it is not JSON');
  }
}

/** All models of providers that the new file lacks; of the other providers, the data from sources other than models.dev. */
function recordsOfOtherSources(shipped: readonly ModelRecord[], fresh: readonly ModelRecord[]): ModelRecord[] {
  const providers = new Set(fresh.map(({ provider }) => provider));
  const ids = new Set(fresh.map(({ id }) => id));
  return shipped.flatMap((model) => {
    if (!providers.has(model.provider)) return [model];
    const versions = model.priceVersion.split('+');
    const others = versions.filter((version) => !version.startsWith('models.dev@'));
    if (others.length === 0) return [];
    // Prices of several sources are merged again only for sources that the new file contains.
    const canSplit = others.length === versions.length || ids.has(model.id);
    return canSplit ? [{ ...model, priceVersion: others.join('+') }] : [];
  });
}

function changes(before: readonly ModelRecord[], after: readonly ModelRecord[]): number {
  const known = new Map(before.map(({ id, rates }) => [id, JSON.stringify(rates)]));
  return after.filter(({ id, rates }) => known.has(id) && known.get(id) !== JSON.stringify(rates)).length;
}
