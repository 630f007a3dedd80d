import { createMoonshotAI } from '@ai-sdk/moonshotai';
import { expect, it } from 'vitest';
import { describeProvider } from '../provider-contract.ts';
import { replayStream, readThroughSluice } from '../replay.ts';

describeProvider({
  id: 'moonshot',
  url: 'https://api.moonshot.ai/v1/chat/completions',
  oracle: (baseURL) => createMoonshotAI({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: { seed: 7 },
});

it('reads the usage of a Moonshot stream from its last choice', async () => {
  const usage = { prompt_tokens: 20, completion_tokens: 30, total_tokens: 50, cached_tokens: 10 };
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] },
  ];
  const script = replayStream(chunks.map((chunk) => JSON.stringify(chunk)).join('\n'), { done: true });
  const result = await readThroughSluice({ provider: 'moonshot', streamed: true, script });
  expect(result).toMatchObject({ text: 'Hi', usage: { input: 20, output: 30, cached: 10, reasoning: 0 } });
});
