import { SluiceError } from '../../errors/index.ts';
import type { Router } from '../routing/resolved-route.ts';
import { readModelName } from './common-members.ts';
import { isObject } from './fault.ts';

const MAX_SHOWN = 10;

export interface DefaultModels {
  readonly capability: string;
  /** OpenAI's own choice where a request names no model, and the name by which it is served though nobody listed it. */
  readonly defaults: readonly string[];
}

/**
 * The model of a request that may leave it out: OpenAI's own choice where that is served, else the only one there is.
 * @throws SluiceError missing_model, with those to choose from
 */
export function namedOrDefaultModel(
  value: unknown,
  { capability, defaults }: DefaultModels,
  models: Router,
  accountId: string,
): string {
  if (!isObject(value) || (value.model !== undefined && value.model !== null)) return readModelName(value);
  const served = defaults.find((name) => models.resolve(name, accountId) !== undefined);
  if (served !== undefined) return served;
  const offered = models.offering(capability, accountId);
  const [only] = offered;
  if (only !== undefined && offered.length === 1) return only;
  const shown = offered.slice(0, MAX_SHOWN).map((name) => `\`${name}\``);
  const more = offered.length > shown.length ? ', or one that GET /v1/models lists' : '';
  const choice = only === undefined ? `no model for ${capability} is served here` : `choose ${shown.join(', ')}${more}`;
  throw new SluiceError('missing_model', { hint: `(${choice})` });
}
