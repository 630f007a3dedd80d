import { createGroq } from '@ai-sdk/groq';
import { expect, it } from 'vitest';
import { completion } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { replayStream, readThroughSluice } from '../replay.ts';

describeProvider({
  id: 'groq',
  url: 'https://api.groq.com/openai/v1/chat/completions',
  oracle: (baseURL) => createGroq({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: { n: 2, logprobs: true, logit_bias: { '42': 5 }, metadata: { a: 'b' } },
  supportsStreamOptions: false,
});

it('reads the usage of a Groq stream from `x_groq`', async () => {
  const chunk = {
    choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }],
    x_groq: { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
  };
  const result = await readThroughSluice({
    provider: 'groq',
    streamed: true,
    script: replayStream(JSON.stringify(chunk)),
  });
  expect(result).toMatchObject({ text: 'Hi', finish: 'stop', usage: { input: 5, output: 2 } });
});

it('sends Groq messages without names, and the known members of assistant messages', async () => {
  const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
  const messages = [
    { role: 'system', content: 'Hm', name: 'boss' },
    { role: 'user', content: 'Hello', name: 'ann' },
    { role: 'assistant', content: 'Hi', refusal: null, annotations: [], reasoning_details: [{}], tool_calls: null },
    { role: 'assistant', content: null, reasoning_content: 'Let me see', tool_calls: calls },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'assistant', content: 'One', reasoning: 'So' },
  ];
  const asked = { provider: 'groq', script: completion(), streamed: false, request: { messages } };
  const { received } = await readThroughSluice(asked);
  expect(received[0]?.json.messages).toEqual([
    { role: 'system', content: 'Hm' },
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi' },
    { role: 'assistant', content: null, reasoning: 'Let me see', tool_calls: calls },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'assistant', content: 'One', reasoning: 'So' },
  ]);
});
