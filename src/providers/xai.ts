import { openAiShaped } from './openai-compatible/openai-shaped.ts';
import { reasoningBeside, withReasoningTokens } from './openai-compatible/usage.ts';
import { xaiImages } from './xai/images.ts';

export const xai = openAiShaped({
  id: 'xai',
  alsoKnownAs: ['x-ai'],
  name: 'xAI',
  documentation: 'https://docs.x.ai/docs/api-reference',
  baseUrl: 'https://api.x.ai/v1',
  takesNot: ['logit_bias'],
  ownServices: (place) => ({ images: xaiImages(place) }),
  dialect: {
    marks: /"reasoning_tokens"/,
    usage(usage) {
      const reasoning = reasoningBeside(usage);
      return reasoning > 0 ? withReasoningTokens(usage, reasoning) : usage;
    },
  },
});
