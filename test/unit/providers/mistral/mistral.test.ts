import { createMistral } from '@ai-sdk/mistral';
import { APIError } from 'openai';
import { expect, it } from 'vitest';
import { completion, json } from '../../../harness/fake-provider.ts';
import { describeProvider } from '../provider-contract.ts';
import { replayDocument, replayStream, readThroughSluice } from '../replay.ts';

describeProvider({
  id: 'mistral',
  url: 'https://api.mistral.ai/v1/chat/completions',
  oracle: (baseURL) => createMistral({ baseURL, apiKey: 'key' }).languageModel('recorded-model'),
  refuses: { logit_bias: { '42': 5 }, user: 'someone', logprobs: true, store: true },
  renames: { max_completion_tokens: ['max_tokens', 64], seed: ['random_seed', 7] },
  supportsStreamOptions: false,
});

const provider = 'mistral';

it('omits empty parameters from the request to Mistral without reporting them', async () => {
  const request = { logprobs: false, modalities: ['text'], store: null };
  const { received } = await readThroughSluice({ provider, script: completion(), streamed: false, request });
  expect(Object.keys(received[0]?.json ?? {}).toSorted()).toEqual(['messages', 'model']);
});

it('sends Mistral its reasoning, `system` for `developer`, and tool call IDs in its format', async () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'add', arguments: '{"a":1}' } });
  const messages = [
    { role: 'developer', content: 'Be brief' },
    { role: 'user', content: 'What is it?', name: 'ann' },
    {
      role: 'assistant',
      content: 'Let me see',
      refusal: null,
      reasoning_content: 'They want a sum',
      tool_calls: [call('call_of_another_provider'), call('abcDEF123')],
    },
    { role: 'tool', tool_call_id: 'call_of_another_provider', content: '2' },
    { role: 'tool', tool_call_id: 'abcDEF123', content: '3' },
    {
      role: 'assistant',
      content: null,
      reasoning_details: [
        { type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'not its own', signature: 's' },
        { type: 'reasoning.text', text: 'All' },
        { type: 'reasoning.text', text: ' done' },
      ],
    },
  ];
  const { received } = await readThroughSluice({
    provider,
    script: completion(),
    streamed: false,
    request: { messages },
  });
  const id = expect.stringMatching(/^[a-zA-Z0-9]{9}$/);
  const sent = received[0]?.json.messages;
  expect(sent).toEqual([
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'What is it?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'They want a sum' }] },
        { type: 'text', text: 'Let me see' },
      ],
      tool_calls: [{ ...call(''), id }, call('abcDEF123')],
    },
    { role: 'tool', tool_call_id: id, content: '2' },
    { role: 'tool', tool_call_id: 'abcDEF123', content: '3' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'All done' }] }] },
  ]);
  const ids = JSON.stringify(sent).match(/"(?:id|tool_call_id)":"\w+"/g) ?? [];
  expect(new Set(ids.map((found) => found.split(':')[1])).size).toBe(2);
});

it('maps Mistral’s finish reason for its own limit, and reads cached tokens from both members', async () => {
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, num_cached_tokens: 4 };
  const choice = { index: 0, finish_reason: 'model_length', message: { role: 'assistant', content: 'Hm' } };
  const whole = await readThroughSluice({
    provider,
    streamed: false,
    script: replayDocument(JSON.stringify({ id: 'x', choices: [choice], usage })),
  });
  expect(whole).toMatchObject({ finish: 'length', usage: { cached: 4 } });
  const { num_cached_tokens: cached_tokens, ...counts } = usage;
  const last = { index: 0, finish_reason: 'model_length', delta: { content: 'Hm' } };
  const chunk = { id: 'x', choices: [last], usage: { ...counts, prompt_token_details: { cached_tokens } } };
  const streamed = await readThroughSluice({ provider, streamed: true, script: replayStream(JSON.stringify(chunk)) });
  expect(streamed).toMatchObject({ text: 'Hm', finish: 'length', usage: { cached: 4 } });
});

it.each([
  [{ message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'top_a'], msg: 'Not permitted', input: 1 }] } }],
  [{ detail: [{ type: 'extra_forbidden', loc: ['body', 'top_a'], msg: 'Not permitted', input: 1 }] }],
])('names the parameter that Mistral rejected: %o', async (body) => {
  const script = json(422, { object: 'error', type: 'invalid_request_error', ...body });
  const error = await readThroughSluice({ provider, streamed: false, script }).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(APIError);
  expect(error).toMatchObject({ status: 422, param: 'top_a', code: 'extra_forbidden' });
  expect(String(error)).toContain('top_a: Not permitted');
});

it.each(['no JSON', '[]', '{"message":{"detail":"x"}}', '{"detail":[7]}'])(
  'tells the refusal of Mistral that says nothing: %s',
  async (body) => {
    const script = json(422, body);
    const error = await readThroughSluice({ provider, streamed: false, script }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ status: 422, type: 'invalid_request_error' });
  },
);
