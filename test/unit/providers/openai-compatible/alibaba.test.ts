import { createAlibaba } from '@ai-sdk/alibaba';
import { describeProvider } from '../provider-contract.ts';

describeProvider({
  id: 'alibaba',
  url: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
  oracle: (baseURL) => createAlibaba({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: { frequency_penalty: 1, logit_bias: { '42': 5 } },
});
