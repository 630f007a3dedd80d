import { openAiShaped } from '../shared/openai-compatible/openai-shaped.ts';
import { reasoningBeside, withReasoningTokens } from '../shared/openai-compatible/dialect/usage.ts';
import type { HostedToolUse } from '../../protocols/canonical/usage.ts';
import { countIn } from '../../protocols/canonical/json-members.ts';
import { xaiImages } from './images.ts';

export const xai = openAiShaped({
  id: 'xai',
  providerAliases: ['x-ai'],
  name: 'xAI',
  documentation: 'https://docs.x.ai/docs/api-reference',
  catalogueSources: { mediaPrices: 'x-ai' },
  baseUrl: 'https://api.x.ai/v1',
  responses: { isNative: true, hosts: /(^|\.)x\.ai$/ },
  unsupportedParams: ['logit_bias'],
  customServices: (client) => ({ images: xaiImages(client) }),
  dialect: {
    marks: /"(?:reasoning_tokens|num_sources_used)"/,
    usage(reported) {
      const reasoning = reasoningBeside(reported);
      const usage = reasoning > 0 ? withReasoningTokens(reported, reasoning) : reported;
      const sources = countIn(reported, 'num_sources_used');
      if (sources === 0) return usage;
      // Source: https://docs.x.ai/docs/guides/live-search, "Live Search Pricing".
      const searches: HostedToolUse = { web_search_sources: sources };
      return { ...usage, server_tool_use: searches };
    },
  },
});
