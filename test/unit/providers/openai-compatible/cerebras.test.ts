import { expect, it } from 'vitest';
import { completion } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { readThroughSluice } from '../replay.ts';

describeProvider({
  id: 'cerebras',
  url: 'https://api.cerebras.ai/v1/chat/completions',
  refuses: { frequency_penalty: 1, logit_bias: { '42': 5 }, presence_penalty: 1 },
});

it.each(['cerebras', 'deepseek', 'perplexity', 'moonshot', 'alibaba', 'zai', 'minimax', 'mistral'])(
  'sends a developer’s message to %s as a system’s',
  async (provider) => {
    const messages = [
      { role: 'developer', content: 'Be brief' },
      { role: 'user', content: 'Hello' },
    ];
    const { received } = await readThroughSluice({
      provider,
      script: completion(),
      streamed: false,
      request: { messages },
    });
    expect(received[0]?.json.messages).toEqual([{ role: 'system', content: 'Be brief' }, messages[1]]);
  },
);

it('sends Cerebras the known members of assistant messages, and reasoning under its name', async () => {
  const messages = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi', refusal: null, annotations: [], reasoning_content: 'A greeting' },
    { role: 'user', content: 'Bye' },
  ];
  const asked = { provider: 'cerebras', script: completion(), streamed: false, request: { messages } };
  const { received } = await readThroughSluice(asked);
  expect(received[0]?.json.messages).toEqual([
    messages[0],
    { role: 'assistant', content: 'Hi', reasoning: 'A greeting' },
    messages[2],
  ]);
});
