import { createDeepSeek } from '@ai-sdk/deepseek';
import { APIError } from 'openai';
import { expect, it } from 'vitest';
import { completion } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { replayDocument, replayStream, readThroughSluice } from '../replay.ts';

const provider = 'deepseek';

describeProvider({
  id: provider,
  url: 'https://api.deepseek.com/chat/completions',
  oracle: (baseURL) => createDeepSeek({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: {
    n: 2,
    seed: 7,
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
  },
  renames: { max_completion_tokens: ['max_tokens', 64] },
});

it('sends DeepSeek the JSON response format that it supports', async () => {
  const request = { response_format: { type: 'json_object' } };
  const { received } = await readThroughSluice({ provider, script: completion(), streamed: false, request });
  expect(received[0]?.json).toMatchObject(request);
});

it('reads cached tokens from DeepSeek’s own member', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, prompt_cache_hit_tokens: 4 };
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hm' } };
  const script = replayDocument(JSON.stringify({ choices: [choice], usage }));
  expect(await readThroughSluice({ provider, streamed: false, script })).toMatchObject({
    usage: { input: 9, cached: 4 },
  });
});

it('fails a stream that DeepSeek ends for lack of resources', async () => {
  const chunks = [
    { choices: [{ index: 0, delta: { content: 'Hal' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'insufficient_system_resource' }] },
  ];
  const script = replayStream(chunks.map((chunk) => JSON.stringify(chunk)).join('\n'), { done: true });
  const error = await readThroughSluice({ provider, streamed: true, script }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(APIError);
  expect(String(error)).toContain('insufficient_system_resource');
});
