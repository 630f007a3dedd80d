import { expect, it } from 'vitest';
import type { MediaUse } from '../../../src/catalogue/prices/unit-price.ts';
import { completion, type Script } from '../../harness/fake-provider.ts';
import { answerOf, documentOf, streamOf } from './gemini/ask.ts';
import { recording as recorded, replayDocument, replayStream, readThroughSluice } from './replay.ts';

interface Searched {
  /** `provider/model`. */
  readonly model: string;
  readonly what: string;
  readonly script: Script;
  readonly streamed?: boolean;
  readonly options?: Readonly<Record<string, string>>;
  readonly basePath?: string;
  /** The other units of the usage record. */
  readonly media: readonly MediaUse[] | undefined;
  /** Nano-USD, calculated by hand. */
  readonly cost: number;
}

/** Without the recorded model name: it differs from the model whose prices are used here. */
function recording(name: string): string {
  return recorded(name).replaceAll(/"model"(\s*):(\s*)"[^"]*"/g, '"model"$1:$2""');
}

/** A recorded document with other members in its usage. */
function withUsage(name: string, members: object, more: object = {}): Script {
  const document = JSON.parse(recording(name));
  return replayDocument(JSON.stringify({ ...document, ...more, usage: { ...document.usage, ...members } }));
}

const searches = (quantity: number, more: Partial<MediaUse> = {}): readonly MediaUse[] => [
  { unit: 'search', quantity, ...more },
];
const responses = { api: 'responses' };
const grounded = { webSearchQueries: ['a river', 'its length'], groundingChunks: [], groundingSupports: [] };
const fromGoogle = { ...answerOf([{ text: 'Long.' }]), modelVersion: '' };
const groundedAnswer = {
  ...fromGoogle,
  candidates: [
    { content: { role: 'model', parts: [{ text: 'Long.' }] }, finishReason: 'STOP', groundingMetadata: grounded },
  ],
};
const beginning = { candidates: [{ content: { role: 'model', parts: [{ text: 'Very ' }] }, index: 0 }] };
const result = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const rows: readonly Searched[] = [
  {
    model: 'anthropic/claude-opus-4-5',
    what: 'each search that Anthropic counts',
    script: replayDocument(recording('anthropic/anthropic-web-search-tool.1.json')),
    media: searches(2),
    // 27,118 x 5 + 600 x 25, a million; 2 x 0.01
    cost: 27_118 * 5_000 + 600 * 25_000 + 2 * 10_000_000,
  },
  {
    model: 'openai/gpt-5.5',
    what: 'each search among the items, and no page opened',
    script: replayDocument(recording('openai-responses/openai-web-search-tool.1.json')),
    options: responses,
    media: searches(1),
    // 15,969 x 5 + 3,712 x 0.5 + 3,773 x 30, a million; 0.01
    cost: 15_969 * 5_000 + 3_712 * 500 + 3_773 * 30_000 + 10_000_000,
  },
  {
    model: 'openai/gpt-5.5',
    what: 'each search of a stream, once',
    script: replayStream(recording('openai-responses/openai-web-search-tool.1.chunks.txt')),
    streamed: true,
    options: responses,
    media: searches(2),
    cost: (31_073 - 3_712) * 5_000 + 3_712 * 500 + 4_416 * 30_000 + 2 * 10_000_000,
  },
  {
    model: 'azure-openai/gpt-4.1',
    what: 'each search of the older tool',
    script: replayDocument(recording('azure/azure-web-search-preview-tool.1.json')),
    options: responses,
    media: searches(2),
    cost: 10_188 * 2_000 + 405 * 8_000 + 2 * 10_000_000,
  },
  {
    model: 'openai/gpt-4o-search-preview',
    what: 'a request of a model that searches for each and says nothing of it',
    script: completion({ usage: result }),
    media: undefined,
    // 0.025 for the request
    cost: 10 * 2_500 + 5 * 10_000 + 25_000_000,
  },
  {
    model: 'gemini/gemini-2.5-flash',
    what: 'an answer that rests on searches, however many',
    script: documentOf(groundedAnswer),
    basePath: '/v1beta',
    media: searches(1),
    // 3 x 0.3 + 2 x 2.5, a million; 0.035
    cost: 3 * 300 + 2 * 2_500 + 35_000_000,
  },
  {
    model: 'gemini/gemini-3-pro-preview',
    what: 'each query from Gemini 3 on, though they are told at a stream’s end',
    script: streamOf([beginning, groundedAnswer]),
    streamed: true,
    basePath: '/v1beta',
    media: searches(2),
    cost: 3 * 2_000 + 2 * 12_000 + 2 * 14_000_000,
  },
  {
    model: 'gemini/gemini-3-pro-preview',
    what: 'nothing where nothing was searched',
    script: documentOf(fromGoogle),
    basePath: '/v1beta',
    media: undefined,
    cost: 3 * 2_000 + 2 * 12_000,
  },
  {
    model: 'perplexity/sonar',
    what: 'a request, at the lowest price where it does not say how much was read',
    script: replayDocument(recording('perplexity/perplexity-text.json')),
    media: searches(1),
    cost: 11 * 1_000 + 392 * 1_000 + 5_000_000,
  },
  {
    model: 'perplexity/sonar',
    what: 'a request by how much was read',
    script: withUsage('perplexity/perplexity-text.json', { search_context_size: 'high' }),
    media: searches(1, { size: 'high' }),
    cost: 11 * 1_000 + 392 * 1_000 + 12_000_000,
  },
  {
    model: 'perplexity/sonar-deep-research',
    what: 'each query of deep research',
    script: withUsage(
      'perplexity/perplexity-text.json',
      { num_search_queries: 18, search_context_size: 'low' },
      { model: 'sonar-deep-research' },
    ),
    media: searches(18),
    cost: 11 * 2_000 + 392 * 8_000 + 18 * 5_000_000,
  },
  {
    model: 'xai/grok-4',
    what: 'each source that was used',
    script: withUsage('xai/xai-text.json', { num_sources_used: 3 }),
    media: searches(3, { quality: 'source' }),
    // 12 x 3 + 229 x 15, a million: its reasoning is output; 3 x 0.025
    cost: 12 * 3_000 + 229 * 15_000 + 3 * 25_000_000,
  },
  {
    model: 'xai/grok-4',
    what: 'no source where none was used',
    script: replayDocument(recording('xai/xai-text.json')),
    media: undefined,
    cost: 12 * 3_000 + 229 * 15_000,
  },
  {
    model: 'openrouter/perplexity/sonar',
    what: 'searches that have no price, which cost nothing',
    script: completion({ usage: { ...result, server_tool_use: { web_search_requests: 4 } } }),
    media: searches(4),
    cost: 10 * 1_000 + 5 * 1_000,
  },
  {
    model: 'openrouter/perplexity/sonar',
    what: 'searches under OpenRouter’s other name for them',
    script: completion({ usage: { ...result, server_tool_use_details: { web_search_requests: 2 } } }),
    media: searches(2),
    cost: 10 * 1_000 + 5 * 1_000,
  },
  {
    model: 'openrouter/perplexity/sonar',
    what: 'what cannot be a count, or a size, as if it were not told',
    script: completion({
      usage: {
        ...result,
        server_tool_use: { web_search_requests: '4', web_search_sources: -1, search_context_size: 7 },
      },
    }),
    media: undefined,
    cost: 10 * 1_000 + 5 * 1_000,
  },
];

it.each(rows)('$model: $what', async ({ model, script, streamed = false, options, basePath, media, cost }) => {
  const [provider = '', ...name] = model.split('/');
  const metered = await new Promise((resolve, reject) => {
    readThroughSluice({
      provider,
      model: name.join('/'),
      script,
      streamed,
      ...(options && { options }),
      ...(basePath && { basePath }),
      onMetered: ({ units, cost_nano }) => resolve({ media: units?.media, cost: Number(cost_nano) }),
    }).catch(reject);
  });
  expect(metered).toEqual({ media, cost });
});
