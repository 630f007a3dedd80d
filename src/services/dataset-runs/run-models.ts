import { SluiceError } from '../../errors/index.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import type { ModelListing } from '../../gateway/keys/model-directory.ts';

/** A model that a key may use. */
export type UsableModel = (key: KeyRecord, name: string) => ModelListing | undefined;

/** A model of a run, as requested. */
export interface RunModel {
  readonly name: string;
  readonly listing: ModelListing;
}

/**
 * The models of a run, each once.
 * @throws SluiceError model_not_found | bad_user_input
 */
export function runModels(usable: UsableModel, key: KeyRecord, names: readonly string[]): RunModel[] {
  const known = new Map<string, string>();
  return names.map((name) => {
    const model = runModel(usable, key, name, 'models');
    const other = known.get(model.listing.id);
    if (other !== undefined) throw invalid('models', `\`${other}\` and \`${name}\` are the same model.`);
    known.set(model.listing.id, name);
    return model;
  });
}

/** A model that generates text. @throws SluiceError model_not_found | bad_user_input */
export function runModel(usable: UsableModel, key: KeyRecord, name: string, param: string): RunModel {
  const listing = usable(key, name);
  if (listing === undefined) throw new SluiceError('model_not_found', { param, values: { model: name } });
  if (!listing.capabilities.includes('chat'))
    throw invalid(param, `\`${name}\` does not generate text. Give models with the capability \`chat\`.`);
  return { name, listing };
}

function invalid(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason } });
}
