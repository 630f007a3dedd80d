import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { startFakeProvider, type FakeProvider } from '../../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../../harness/gateway.ts';
import { replayDocument, replayStream } from '../../replay.ts';
import { functionCall, lines, message, reasoning, response, wholeItems } from './response.ts';

type Json = Record<string, unknown>;

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } },
  { type: 'custom', custom: { name: 'sql' } },
];
const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'How is the weather in Rome?' };

const customCall = { type: 'custom_tool_call', id: 'ct_1', call_id: 'call_sql', name: 'sql', input: 'SELECT 1' };
const turn = [
  reasoning('rs_1', 'First I look.', 'gAAA-one'),
  reasoning('rs_2', 'Then I say so.', 'gAAA-two'),
  message('Let me look.'),
  functionCall('call_rome', 'weather', '{"city":"Rome"}'),
  reasoning('rs_3', 'And count.', 'gAAA-three'),
  customCall,
];

/** What the provider is sent of that turn: items in their order, without ids that chat has no place for. */
const sentAgain: Json[] = [
  ...turn.slice(0, 2),
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
  { type: 'function_call', call_id: 'call_rome', name: 'weather', arguments: '{"city":"Rome"}' },
  reasoning('rs_3', 'And count.', 'gAAA-three'),
  { type: 'custom_tool_call', call_id: 'call_sql', name: 'sql', input: 'SELECT 1' },
];

async function withClient(use: (client: OpenAI, provider: FakeProvider) => Promise<void>): Promise<void> {
  const provider = await startFakeProvider();
  const gateway = await startGateway({
    providers: { openai: { baseUrl: provider.url, options: { api: 'responses' } } },
  });
  try {
    await use(new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }), provider);
  } finally {
    await gateway.close();
    await provider.close();
  }
}

/** Sends the answer back as it came, with results, and expects the provider to see its own turn again. */
async function goOn(client: OpenAI, provider: FakeProvider, answer: OpenAI.ChatCompletionMessage): Promise<void> {
  expect(answer.tool_calls).toMatchObject([
    { id: 'call_rome', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
    { id: 'call_sql', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
  ]);
  provider.answerWith(replayDocument(JSON.stringify(response([message('It is sunny.')]))));
  const last = await client.chat.completions.create({
    model: 'openai/gpt-5-pro',
    messages: [
      question,
      answer,
      { role: 'tool', tool_call_id: 'call_rome', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_sql', content: '1' },
    ],
    tools,
  });
  expect(last.choices[0]?.message.content).toBe('It is sunny.');
  expect(provider.requests.at(-1)?.json).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  expect(provider.requests.at(-1)?.json.input).toEqual([
    { type: 'message', role: 'user', content: question.content },
    ...sentAgain,
    { type: 'function_call_output', call_id: 'call_rome', output: 'sunny' },
    { type: 'custom_tool_call_output', call_id: 'call_sql', output: '1' },
  ]);
}

describe('a round trip of tools', () => {
  it('carries encrypted reasoning to where it was, unstreamed', () =>
    withClient(async (client, provider) => {
      provider.answerWith(replayDocument(JSON.stringify(response(turn))));
      const answer = await client.chat.completions.create({ model: 'openai/gpt-5-pro', messages: [question], tools });
      const [choice] = answer.choices;
      if (choice === undefined) throw new Error('no choice');
      expect(choice.finish_reason).toBe('tool_calls');
      expect(choice.message).toMatchObject({ reasoning_content: 'First I look.\n\nThen I say so.\n\nAnd count.' });
      await goOn(client, provider, choice.message);
    }));

  it('carries it through the message that the SDK gathers from a stream', () =>
    withClient(async (client, provider) => {
      provider.answerWith(replayStream(lines(wholeItems(response(turn)))));
      const stream = client.chat.completions.stream({ model: 'openai/gpt-5-pro', messages: [question], tools });
      await goOn(client, provider, await stream.finalMessage());
    }));

  it('leaves out reasoning whose call the caller took away, and what holds none', () =>
    withClient(async (client, provider) => {
      const format = 'openai-responses-v1';
      const details = [
        { type: 'reasoning.summary', format, id: 'rs_0', summary: 'A summary alone' },
        { type: 'reasoning.encrypted', format, id: 'rs_1', data: 'kept' },
        { type: 'reasoning.encrypted', format: 'anthropic-claude-v1', id: 'rs_2', data: 'of another' },
        { type: 'reasoning.encrypted', format, id: 'rs_3', data: 'gone', tool_call_id: 'call_gone' },
        { type: 'reasoning.text', format, id: 'rs_4', text: 'Readable' },
      ];
      provider.answerWith(replayDocument(JSON.stringify(response([message('Yes.')]))));
      const answered: OpenAI.ChatCompletionMessageParam & { reasoning_details: unknown } = {
        role: 'assistant',
        content: 'Hm.',
        reasoning_details: details,
      };
      const silent = { ...answered, content: null };
      await client.chat.completions.create({ model: 'openai/gpt-5-pro', messages: [answered, silent, question] });
      expect(provider.requests.at(-1)?.json.input).toEqual([
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'kept' },
        { type: 'reasoning', id: 'rs_4', summary: [], content: [{ type: 'reasoning_text', text: 'Readable' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hm.' }] },
        { type: 'message', role: 'user', content: question.content },
      ]);
    }));

  it.each([
    { given: 'other ids', ids: ['x', 'y'], expected: ['one', 'two', 'x', 'y'] },
    { given: 'their ids', ids: ['call_1', 'call_2'], expected: ['one', 'call_1', 'two', 'call_2'] },
    { given: 'the second alone', ids: ['call_2'], expected: ['two', 'call_2'] },
    { given: 'fewer calls, with another id', ids: ['x'], expected: ['x'] },
  ])('sends reasoning of calls before what the client returns of them: $given', ({ ids, expected }) =>
    withClient(async (client, provider) => {
      const base = { type: 'reasoning.encrypted', format: 'openai-responses-v1' };
      const answered: OpenAI.ChatCompletionMessageParam & { reasoning_details: unknown } = {
        role: 'assistant',
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'weather', arguments: '{}' } })),
        reasoning_details: [
          { ...base, id: 'rs_1', data: 'one', tool_call_id: 'call_1' },
          { ...base, id: 'rs_2', data: 'two', tool_call_id: 'call_2' },
        ],
      };
      provider.answerWith(replayDocument(JSON.stringify(response([message('Yes.')]))));
      await client.chat.completions.create({ model: 'openai/gpt-5-pro', messages: [answered, question] });
      const { input } = provider.requests.at(-1)?.json ?? {};
      if (!Array.isArray(input)) throw new Error('no input');
      expect(input.flatMap((item: Json) => item.encrypted_content ?? item.call_id ?? [])).toEqual(expected);
    }),
  );

  it('names a kept reasoning by its id', () =>
    withClient(async (client, provider) => {
      provider.answerWith(replayDocument(JSON.stringify(response([message('Yes.')]))));
      const kept = { type: 'reasoning.summary', format: 'openai-responses-v1', id: 'rs_0', summary: 'Short' };
      const answered: OpenAI.ChatCompletionMessageParam & { reasoning_details: unknown } = {
        role: 'assistant',
        content: 'Hm.',
        reasoning_details: [kept],
      };
      await client.chat.completions.create({ model: 'openai/gpt-5-pro', messages: [answered], store: true });
      expect(provider.requests.at(-1)?.json.input).toEqual([
        { type: 'reasoning', id: 'rs_0', summary: [{ type: 'summary_text', text: 'Short' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hm.' }] },
      ]);
    }));
});
