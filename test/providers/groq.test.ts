import { createGroq } from '@ai-sdk/groq';
import { expect, it } from 'vitest';
import { completion } from '../harness/fake-provider.ts';
import { describeProvider } from './provider-contract.ts';
import { replayStream, sluiceTells } from './told.ts';

describeProvider({
  id: 'groq',
  oracle: (baseURL) => createGroq({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: { n: 2, logprobs: true, logit_bias: { '42': 5 }, metadata: { a: 'b' } },
  takesStreamOptions: false,
});

it('reads the usage of a Groq stream where only `x_groq` tells it', async () => {
  const chunk = {
    choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }],
    x_groq: { usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } },
  };
  const told = await sluiceTells({ provider: 'groq', streamed: true, script: replayStream(JSON.stringify(chunk)) });
  expect(told).toMatchObject({ text: 'Hi', finish: 'stop', usage: { input: 5, output: 2 } });
});

it('sends Groq no names of participants', async () => {
  const messages = [
    { role: 'system', content: 'Hm', name: 'boss' },
    { role: 'user', content: 'Hello', name: 'ann' },
  ];
  const asked = { provider: 'groq', script: completion(), streamed: false, request: { messages } };
  const { received } = await sluiceTells(asked);
  expect(received[0]?.json.messages).toEqual([
    { role: 'system', content: 'Hm' },
    { role: 'user', content: 'Hello' },
  ]);
});
