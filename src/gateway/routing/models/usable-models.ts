import { isPattern } from '../name-patterns.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import { isModelAllowed, type ModelDirectory, type ModelListing } from '../../keys/model-directory.ts';

/** The models that a key may use, and its aliases. Patterns are no models. */
export function usableModels(models: Pick<ModelDirectory, 'list' | 'find'>, key: KeyRecord): readonly ModelListing[] {
  const allowed = models.list(key.accountId).filter(({ id }) => isModelAllowed(key, id));
  if (key.modelAliases === undefined) return allowed;
  const names = [...key.modelAliases.keys()].filter((name) => !isPattern(name));
  const aliases = names.flatMap((name) => usableModel(models, key, name) ?? []);
  return [...allowed.filter(({ id }) => !names.includes(id)), ...aliases];
}

/** A model that a key may use, by its canonical id, an unambiguous bare name, or an alias of the key. */
export function usableModel(
  models: Pick<ModelDirectory, 'find'>,
  key: KeyRecord,
  name: string,
): ModelListing | undefined {
  const alias = key.modelAliases?.get(name);
  const model = models.find(alias ?? name, key.accountId);
  if (model === undefined || !isModelAllowed(key, model.id)) return undefined;
  return alias === undefined ? model : { ...model, id: name, name };
}
