import { SluiceError } from '../../../errors/index.ts';
import { membersOf } from '../../../protocols/canonical/json-members.ts';
import { readModelName } from '../../../protocols/canonical/validation/common-members.ts';
import { LIST_MODELS_HINT } from '../../routing/models/missing-model.ts';
import { isModelAllowed } from '../../keys/model-directory.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import type { Router } from '../../routing/resolved-route.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import { estimateInputTokens } from '../text/texts-of.ts';

/**
 * Estimates the input tokens of a request to `/v1/messages`.
 * @throws SluiceError of status 400 or 404
 */
export function countMessageTokens(router: Router, key: KeyRecord, input: RequestInput): number {
  const value = valueOf(input);
  const model = readModelName(value);
  const { system, messages, tools } = membersOf(value);
  if (!Array.isArray(messages) || messages.length === 0)
    throw new SluiceError('missing_required_parameter', { param: 'messages' });
  if (!isModelAllowed(key, model) || router.resolve(model, key.accountId) === undefined)
    throw new SluiceError('model_not_found', { values: { model: model.slice(0, 256) }, hint: LIST_MODELS_HINT });
  return estimateInputTokens([system, messages, tools]);
}
