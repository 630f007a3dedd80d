import { expect, it } from 'vitest';
import { completion } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { replayDocument, readThroughSluice } from '../replay.ts';

const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];

describeProvider({
  id: 'zai',
  url: 'https://api.z.ai/api/paas/v4/chat/completions',
  refuses: { frequency_penalty: 1, n: 2, seed: 7 },
  renames: { max_completion_tokens: ['max_tokens', 64], user: ['user_id', 'someone'] },
  supportsStreamOptions: false,
});

it.each([
  ['auto', { tool_choice: 'auto' }],
  ['required', {}],
])('sends Z.ai the tool choice %s only if it is supported', async (choice, sent) => {
  const request = { tools, tool_choice: choice };
  const { received } = await readThroughSluice({ provider: 'zai', script: completion(), streamed: false, request });
  const { messages: _messages, model: _model, tools: _tools, ...rest } = received[0]?.json ?? {};
  expect(rest).toEqual(sent);
});

it.each([
  ['sensitive', 'content_filter'],
  ['model_context_window_exceeded', 'length'],
])('maps Z.ai’s finish reason %s to %s', async (theirs, finish) => {
  const choice = { index: 0, finish_reason: theirs, message: { role: 'assistant', content: 'Hm' } };
  const script = replayDocument(JSON.stringify({ choices: [choice], usage: null }));
  expect(await readThroughSluice({ provider: 'zai', streamed: false, script })).toMatchObject({ finish });
});
