import { SluiceError } from '../../../errors/index.ts';
import { membersOf } from '../../../protocols/canonical/json-members.ts';
import { camelCased } from '../../../protocols/gemini/decode-request/camel-case.ts';
import { isModelAllowed } from '../../keys/model-directory.ts';
import type { KeyRecord } from '../../keys/key-directory.ts';
import { valueOf, type RequestInput } from '../../request-input.ts';
import { LIST_MODELS_HINT } from '../../routing/models/missing-model.ts';
import type { Router } from '../../routing/resolved-route.ts';
import { estimateInputTokens } from '../text/texts-of.ts';

/**
 * Estimates the tokens of a request to `countTokens`: its `contents`, or a complete request in `generateContentRequest`.
 * @throws SluiceError of status 400 or 404
 */
export function countGeminiTokens(router: Router, key: KeyRecord, model: string, input: RequestInput): number {
  const { contents, generateContentRequest } = membersOf(camelCased(valueOf(input)));
  const request = generateContentRequest === undefined ? { contents } : membersOf(generateContentRequest);
  if (!Array.isArray(request.contents) || request.contents.length === 0)
    throw new SluiceError('missing_required_parameter', { param: 'contents' });
  if (!isModelAllowed(key, model) || router.resolve(model, key.accountId) === undefined)
    throw new SluiceError('model_not_found', { values: { model: model.slice(0, 256) }, hint: LIST_MODELS_HINT });
  const { systemInstruction, tools } = request;
  return estimateInputTokens([systemInstruction, request.contents, tools]);
}
