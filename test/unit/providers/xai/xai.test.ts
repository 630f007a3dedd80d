import { describeProvider } from '../provider-contract.ts';

describeProvider({
  id: 'xai',
  url: 'https://api.x.ai/v1/chat/completions',
  // xAI counts reasoning tokens separately, OpenAI includes them in the output. This oracle uses the reported count.
  inOpenAiTerms: (result) => ({
    ...result,
    usage: { ...result.usage, output: result.usage.output + result.usage.reasoning },
  }),
  refuses: { logit_bias: { '42': 5 } },
});
