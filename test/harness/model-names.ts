import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { knownModels, nothingServed } from '../../src/gateway/routing/models/known-models.ts';
import { ModelNames } from '../../src/services/model-names.ts';

const catalogue = new Catalogue();

/** Checks names where nothing is connected: by the shipped catalogue, and the routes that are given. */
export function modelNames(routesAndAliases: readonly string[] = []): ModelNames {
  const known = knownModels(nothingServed, catalogue, new Set(routesAndAliases));
  return new ModelNames(() => Promise.resolve(known));
}
