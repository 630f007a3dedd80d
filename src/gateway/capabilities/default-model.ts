import { SluiceError } from '../../errors/index.ts';
import type { Requester } from '../keys/key-directory.ts';
import type { Router } from '../routing/resolved-route.ts';
import { readModelName } from '../../protocols/canonical/validation/common-members.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';

const MAX_SHOWN = 10;

export interface DefaultModels {
  readonly capability: string;
  /** Names of OpenAI's default model, with and without prefix: it may be served without being listed. */
  readonly defaults: readonly string[];
}

/**
 * The model of a request in which it is optional: OpenAI's default where that is served, else the only model with the
 * capability.
 * @throws SluiceError missing_model, with the models to choose from
 */
export function namedOrDefaultModel(
  value: unknown,
  { capability, defaults }: DefaultModels,
  models: Router,
  requester: Requester,
): string {
  if (!isObject(value) || (value.model !== undefined && value.model !== null)) return readModelName(value);
  const served = defaults.find((name) => models.resolve(name, requester) !== undefined);
  if (served !== undefined) return served;
  const offered = models.offering(capability, requester.accountId);
  const [only] = offered;
  if (only !== undefined && offered.length === 1) return only;
  const shown = offered.slice(0, MAX_SHOWN).map((name) => `\`${name}\``);
  const more = offered.length > shown.length ? ' or another model of GET /v1/models' : '';
  const choice =
    only === undefined
      ? `no model with the capability ${capability} is available`
      : `choose ${shown.join(', ')}${more}`;
  throw new SluiceError('missing_model', { hint: `(${choice})` });
}
