import { type Dialect } from '../shared/openai-compatible/dialect/dialect.ts';
import { isObject } from '../../protocols/canonical/json-members.ts';
import { systemForDeveloper } from '../shared/openai-compatible/messages.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

/** Errors have status 200 and are reported in `base_resp`. */
const answers: Dialect = {
  marks: /"base_resp"/,
  answer(answer) {
    const { base_resp: baseResponse } = answer;
    if (!isObject(baseResponse) || typeof baseResponse.status_code !== 'number' || baseResponse.status_code === 0)
      return answer;
    const message =
      typeof baseResponse.status_msg === 'string' ? baseResponse.status_msg : `status ${baseResponse.status_code}`;
    return { error: { message, type: 'server_error', param: null, code: String(baseResponse.status_code) } };
  },
};

export const minimax = openAiShaped({
  id: 'minimax',
  name: 'MiniMax',
  documentation: 'https://platform.minimax.io/docs/api-reference/text-openai-api',
  baseUrl: 'https://api.minimax.io/v1',
  unsupportedParams: ['frequency_penalty', 'function_call', 'functions', 'logit_bias', 'n', 'presence_penalty'],
  messages: systemForDeveloper,
  dialect: answers,
});
