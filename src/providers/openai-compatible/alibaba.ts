import { systemForDeveloper } from '../shared/openai-compatible/messages.ts';
import { sendEmbeddings } from '../shared/openai-compatible/services/embeddings.ts';
import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';

export const alibaba = openAiShaped({
  id: 'alibaba',
  providerAliases: ['dashscope', 'qwen'],
  name: 'Alibaba Cloud Model Studio',
  documentation: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  unsupportedParams: ['frequency_penalty', 'logit_bias'],
  messages: systemForDeveloper,
  customServices: (client) => ({
    embeddings: sendEmbeddings(client, { maxInputs: 10, supportsTokens: false, encodes: false, supportsUser: false }),
  }),
});
