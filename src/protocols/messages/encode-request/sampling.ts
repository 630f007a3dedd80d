import type { GenerationRequest } from '../../canonical/generation-request.ts';
import type { JsonObject } from '../../canonical/json-members.ts';
import type { ModelTraits } from '../model-traits.ts';

const MAX_TEMPERATURE = 1;

/** The minimum `top_p` with thinking. */
const MIN_THINKING_TOP_P = 0.95;

/**
 * Encodes sampling parameters. OpenAI's temperature has a maximum of 2, Anthropic's of 1: higher values become 1, as in
 * Anthropic's own OpenAI-compatible API; scaling would change the values that both support. Defaults are not sent. With
 * thinking, Anthropic supports neither temperature nor `top_k`; some models never do.
 * Source: platform.claude.com/docs/en/api/openai-sdk and /docs/en/build-with-claude/thinking, "Sampling parameters".
 */
export function sampling(
  request: GenerationRequest,
  traits: ModelTraits,
  isThinking: boolean,
): { readonly members: JsonObject; readonly unsupported: readonly string[] } {
  const members: Record<string, number> = {};
  const unsupported: string[] = [];
  const { temperature, top_p: topP, top_k: topK } = request;
  const supportsAll = traits.supportsSampling && !isThinking;
  if (typeof temperature === 'number' && temperature < MAX_TEMPERATURE) {
    if (supportsAll) members.temperature = temperature;
    else unsupported.push('temperature');
  }
  if (typeof topP === 'number' && topP < 1) {
    const beside = members.temperature === undefined || traits.supportsTemperatureWithTopP;
    if (traits.supportsSampling && beside && (!isThinking || topP >= MIN_THINKING_TOP_P)) members.top_p = topP;
    else unsupported.push('top_p');
  }
  if (topK !== null && topK !== undefined) {
    if (supportsAll && typeof topK === 'number' && Number.isInteger(topK) && topK >= 0) members.top_k = topK;
    else unsupported.push('top_k');
  }
  return { members, unsupported };
}
