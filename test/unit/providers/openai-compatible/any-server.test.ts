import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { expect, it } from 'vitest';
import { pieces } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { readByOracle, recording, readThroughSluice } from '../replay.ts';

// An ID of no known provider: any OpenAI-compatible server. Its responses are not changed.
const provider = 'openai-compatible';

describeProvider({ id: provider, url: null });

it('reads tool calls whose index does not start at 0 like the AI SDK', async () => {
  const script = pieces([recording(`${provider}/anthropic-fallback-tool-call.sse`)], 'end');
  const { received: _received, ...result } = await readThroughSluice({ provider, script, streamed: true });
  const oracle = await readByOracle(
    (baseURL) => createOpenAICompatible({ name: 'any', baseURL }).chatModel('m'),
    script,
    true,
  );
  const { usage: _counted, ...said } = { ...result, toolCalls: result.toolCalls.filter(Boolean) };
  const { usage: _none, ...expected } = oracle;
  expect(said).toEqual(expected);
  expect(said.toolCalls).toEqual([{ name: 'read_file', input: { path: 'a.txt' } }]);
});
