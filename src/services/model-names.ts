import {
  checkModelName,
  suggestModelName,
  type KnownModels,
  type ModelNameCheck,
} from '../catalogue/model-name-check.ts';
import { SluiceError } from '../errors/index.ts';

/** A model name of an input, with the parameter that contains it. */
export interface GivenModelName {
  readonly name: string;
  readonly param: string;
  /** Whether the name of a route or an alias is allowed. */
  readonly acceptsRoutes: boolean;
}

export interface ModelNameOptions {
  /** Names that are already stored there: they are not checked again. */
  readonly held: ReadonlySet<string>;
  /** Whether names that are in no list are stored as well. */
  readonly saveAnyway: boolean;
}

/** @param isComplete whether to wait until the models of the account's own connections are known */
export type KnownModelsOf = (accountId: string, isComplete: boolean) => Promise<KnownModels>;

/** The spelling to store, by the given name. */
export type CheckedModelNames = ReadonlyMap<string, string>;

/** Checks model names before they are stored, so that a misspelled one is rejected rather than never matched. */
export class ModelNames {
  readonly #knownModels: KnownModelsOf;

  constructor(knownModels: KnownModelsOf) {
    this.#knownModels = knownModels;
  }

  /** @throws SluiceError unknown_model_name | unlisted_model_name | bad_user_input, for the first invalid name */
  async check(
    accountId: string,
    given: readonly GivenModelName[],
    { held, saveAnyway }: ModelNameOptions,
  ): Promise<CheckedModelNames> {
    const names = given.filter(({ name }) => !held.has(name));
    if (names.length === 0) return new Map();
    let known = await this.#knownModels(accountId, false);
    let checks = checkAll(names, known);
    // The models that are already loaded suffice for most names, without waiting for a provider.
    if (checks.some(({ check }) => check.kind !== 'known')) {
      known = await this.#knownModels(accountId, true);
      checks = checkAll(names, known);
    }
    const fault = checks.find(({ check }) => check.kind !== 'known' && !(check.kind === 'unlisted' && saveAnyway));
    if (fault !== undefined) throw faultIn(fault, known, checks);
    return new Map(checks.map(({ given: { name }, check }) => [name, 'name' in check ? check.name : name]));
  }
}

interface Checked {
  readonly given: GivenModelName;
  readonly check: ModelNameCheck;
}

function checkAll(names: readonly GivenModelName[], known: KnownModels): Checked[] {
  return names.map((given) => ({ given, check: checkModelName(given.name, known, given.acceptsRoutes) }));
}

/** @param all the names that were checked with it */
function faultIn(
  { given: { name, param, acceptsRoutes }, check }: Checked,
  known: KnownModels,
  all: readonly Checked[],
): SluiceError {
  if (check.kind === 'not_a_model')
    return new SluiceError('bad_user_input', {
      param,
      values: {
        reason: `${param}: must be a model (provider/model), not the route or alias \`${name}\`. Name the models that it leads to.`,
      },
    });
  const suggestion = suggestModelName(name, known, acceptsRoutes);
  const didYouMean = suggestion === undefined ? '' : ` Did you mean \`${suggestion}\`?`;
  if (check.kind !== 'unlisted')
    return new SluiceError('unknown_model_name', { param, values: { model: name, didYouMean } });
  return new SluiceError('unlisted_model_name', {
    param,
    values: { model: name, provider: check.provider, didYouMean, others: otherUnlisted(name, all) },
  });
}

/** Lists the other unlisted names, because a confirmation stores them too. */
function otherUnlisted(name: string, all: readonly Checked[]): string {
  const others = new Set(all.filter(({ check }) => check.kind === 'unlisted').map(({ given }) => given.name));
  others.delete(name);
  if (others.size === 0) return '';
  return ` Other unlisted names: ${[...others].map((each) => `\`${each}\``).join(', ')}.`;
}
