import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, it } from 'vitest';
import { pieces } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { oracleTells, recording, sluiceTells } from '../told.ts';

// An id that no provider has: any server that speaks OpenAI's API. Nothing is changed in what it says.
const provider = 'openai-compatible';

describeProvider({ id: provider, url: null });

it('tells a stream whose calls do not begin at 0 as the AI SDK understands it', async () => {
  const script = pieces([recording(`${provider}/anthropic-fallback-tool-call.sse`)], 'end');
  const { received: _received, ...told } = await sluiceTells({ provider, script, streamed: true });
  const oracle = await oracleTells(
    (baseURL) => createOpenAICompatible({ name: 'any', baseURL }).chatModel('m'),
    script,
    true,
  );
  const { usage: _counted, ...said } = { ...told, toolCalls: told.toolCalls.filter(Boolean) };
  const { usage: _none, ...expected } = oracle;
  expect(said).toEqual(expected);
  expect(said.toolCalls).toEqual([{ name: 'read_file', input: { path: 'a.txt' } }]);
});
