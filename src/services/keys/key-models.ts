import type { ApiKey } from '../../database/entities/index.ts';
import type { CheckedModelNames, GivenModelName } from '../model-names.ts';
import type { KeyChange } from './key-input.ts';

/** As given, or as stored. */
interface NamesModels {
  readonly allowedModels?: readonly string[] | null | undefined;
  readonly modelAliases?: readonly { readonly model: string }[] | null | undefined;
  readonly limits?: { readonly perModel?: readonly { readonly model: string }[] | null | undefined } | null | undefined;
  readonly moderation?: { readonly model: string } | null | undefined;
}

/** The model names in a key's input. */
export function modelNamesOf({ allowedModels, modelAliases, limits, moderation }: NamesModels): GivenModelName[] {
  const given = [
    ...(allowedModels ?? []).map((name, at) => ({ name, param: `allowedModels.${at}` })),
    ...(modelAliases ?? []).map(({ model }, at) => ({ name: model, param: `modelAliases.${at}.model` })),
    ...(limits?.perModel ?? []).map(({ model }, at) => ({ name: model, param: `limits.perModel.${at}.model` })),
    ...(moderation ? [{ name: moderation.model, param: 'moderation.model' }] : []),
  ];
  return given.map((each) => ({ ...each, acceptsRoutes: true }));
}

/** The model names of a stored key. */
export function storedModelNames({ allowedModels, modelAliases, limits, moderation }: ApiKey): ReadonlySet<string> {
  return new Set(modelNamesOf({ allowedModels, modelAliases, limits, moderation }).map(({ name }) => name));
}

/** Replaces the names by the spellings to store, which requests are compared with. */
export function withModelNames<Given extends Pick<KeyChange, 'allowedModels' | 'modelAliases' | 'limits'>>(
  given: Given,
  names: CheckedModelNames,
): Given {
  const { allowedModels, modelAliases, limits } = given;
  const stored = (name: string): string => names.get(name.trim()) ?? name;
  return {
    ...given,
    ...(allowedModels && { allowedModels: [...new Set(allowedModels.map(stored))] }),
    ...(modelAliases && { modelAliases: modelAliases.map(({ name, model }) => ({ name, model: stored(model) })) }),
    ...(limits?.perModel && {
      limits: { ...limits, perModel: limits.perModel.map((part) => ({ ...part, model: stored(part.model) })) },
    }),
  };
}
