import { describeProvider } from '../provider-contract.ts';

describeProvider({
  id: 'xai',
  url: 'https://api.x.ai/v1/chat/completions',
  // xAI counts reasoning beside the answer, OpenAI as a part of it. This oracle takes the count as it stands.
  inOpenAiTerms: (result) => ({
    ...result,
    usage: { ...result.usage, output: result.usage.output + result.usage.reasoning },
  }),
  refuses: { logit_bias: { '42': 5 } },
});
