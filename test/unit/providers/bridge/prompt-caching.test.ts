import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { json, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret } from '../../../harness/gateway.ts';
import { messageOf } from '../anthropic/ask.ts';
import { account, startVertex } from '../google-vertex/vertex.ts';
import { startWithProvider } from './gateway-with-provider.ts';

const mark = { cache_control: { type: 'ephemeral' } };
const point = { cachePoint: { type: 'default' } };
const auto = { prompt_caching: 'auto' };
const functionNamed = (name: string) => ({ type: 'function' as const, function: { name } });
const round: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'user', content: 'Hello' },
  {
    role: 'assistant',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
];
const brief = { role: 'system' as const, content: 'Be brief.' };

/** With marks on a part of each kind of message, which the SDK's types do not know. */
const marked: OpenAI.ChatCompletionMessageParam[] = JSON.parse(
  JSON.stringify([
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Hello', ...mark },
        { type: 'text', text: 'you' },
      ],
    },
    { role: 'assistant', content: 'Hi' },
    { role: 'user', content: 'And then?' },
  ]),
);

let open: { close(): Promise<void> } | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

interface Started {
  readonly url: string;
  readonly client: OpenAI;
  requests(): FakeProvider['requests'];
}

async function vertex(options: Record<string, string> = auto): Promise<Started> {
  const started = await startVertex({ options: { ...account, ...options } });
  started.answerWith(json(200, messageOf([{ type: 'text', text: 'Hi' }])));
  open = started;
  const { url } = started.gateway;
  const client = new OpenAI({ apiKey: secret, baseURL: `${url}/v1`, maxRetries: 0 });
  return { url, client, requests: started.calls };
}

const answer = json(200, {
  output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
});

async function bedrock(options: Record<string, string> = auto): Promise<Started> {
  const started = await startWithProvider('amazon-bedrock', answer, { apiKey: 'k', options });
  open = started;
  return { url: started.gateway.url, client: started.client, requests: () => started.upstream.requests };
}

describe('`prompt_caching: auto` of Claude at Vertex AI', () => {
  const model = 'google-vertex/claude-sonnet-4-5@20250929';

  it('marks the end of the instructions and of the conversation', async () => {
    const { client, requests } = await vertex();
    await client.chat.completions.create({ model, messages: [brief, ...round], tools: [functionNamed('look')] });
    const [received] = requests();
    expect(received?.json).toMatchObject({
      system: [{ type: 'text', text: 'Be brief.', ...mark }],
      messages: [{}, {}, { content: [{ type: 'tool_result', ...mark }] }],
    });
    expect(received?.body.split('cache_control')).toHaveLength(3);
  });

  it('marks the last tool where there are no instructions', async () => {
    const { client, requests } = await vertex();
    const tools = [functionNamed('find'), functionNamed('look')];
    await client.chat.completions.create({ model, messages: round, tools });
    expect(requests()[0]?.json.tools).toEqual([
      expect.not.objectContaining(mark),
      expect.objectContaining({ name: 'look', ...mark }),
    ]);
  });

  it.each([auto, {}])('sends the marks of a client: %o', async (options) => {
    const { client, requests } = await vertex(options);
    await client.chat.completions.create({ model, messages: marked });
    const [received] = requests();
    expect(received?.json).toMatchObject({
      system: [{ text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      messages: [{ content: [{ text: 'Hello', ...mark }, { text: 'you' }] }, {}, {}],
    });
    expect(received?.body.split('cache_control')).toHaveLength(3);
  });

  it('marks nothing without the option, in requests to Gemini, and in requests of the Messages API', async () => {
    const without = await vertex({});
    await without.client.chat.completions.create({ model, messages: round });
    expect(without.requests()[0]?.body).not.toContain('cache_control');
    await open?.close();
    const { url, client, requests } = await vertex();
    const anthropic = new Anthropic({ apiKey: secret, baseURL: url, maxRetries: 0 });
    await anthropic.messages.create({ model, max_tokens: 8, messages: [{ role: 'user', content: 'Hello' }] });
    await client.chat.completions.create({ model: 'google-vertex/gemini-3-pro', messages: marked }).catch(() => null);
    expect(requests()).toHaveLength(2);
    for (const { body } of requests()) expect(body).not.toMatch(/cache_?control/i);
  });
});

describe('`prompt_caching: auto` of Bedrock', () => {
  it.each(['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-pro-v1:0'])(
    'places cache points after the instructions and the conversation: %s',
    async (name) => {
      const { client, requests } = await bedrock();
      const model = `amazon-bedrock/${name}`;
      await client.chat.completions.create({ model, messages: [brief, ...round], tools: [functionNamed('look')] });
      const [received] = requests();
      expect(received?.path).toContain('/converse');
      expect(received?.json).toMatchObject({
        system: [{ text: 'Be brief.' }, point],
        messages: [{ content: [{ text: 'Hello' }] }, {}, { content: [{ toolResult: {} }, point] }],
      });
      expect(received?.body.split('cachePoint')).toHaveLength(3);
    },
  );

  it.each([
    ['anthropic.claude-3-haiku-20240307-v1:0'],
    ['anthropic.claude-3-5-sonnet-20240620-v1:0'],
    ['meta.llama3-1-8b-instruct-v1:0'],
  ])('places none for a model that refuses them: %s', async (name) => {
    const { client, requests } = await bedrock();
    await client.chat.completions.create({ model: `amazon-bedrock/${name}`, messages: marked });
    expect(requests()[0]?.body).not.toContain('cachePoint');
  });

  it.each([
    ['anthropic.claude-haiku-4-5-20251001-v1:0', { type: 'default', ttl: '1h' }],
    ['anthropic.claude-sonnet-4-20250514-v1:0', { type: 'default' }],
  ])('sends the marks of a client, for an hour where the model can: %s', async (name, cachePoint) => {
    const { client, requests } = await bedrock({});
    await client.chat.completions.create({ model: `amazon-bedrock/${name}`, messages: marked });
    expect(requests()[0]?.json).toMatchObject({
      system: [{ text: 'Be brief.' }, { cachePoint }],
      messages: [{ content: [{ text: 'Hello' }, point, { text: 'you' }] }, {}, {}],
    });
    expect(requests()[0]?.body.split('cachePoint')).toHaveLength(3);
  });

  it('leaves the marks of a request of the Messages API, which InvokeModel receives', async () => {
    const { url, requests } = await bedrock();
    const anthropic = new Anthropic({ apiKey: secret, baseURL: url, maxRetries: 0 });
    await anthropic.messages
      .create({
        model: 'amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
        max_tokens: 8,
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: 'Hello' }],
      })
      .catch(() => null);
    const [received] = requests();
    expect(received?.path).toMatch(/\/invoke$/);
    expect(received?.json.system).toEqual([{ type: 'text', text: 'Be brief.', ...mark }]);
    expect(received?.body.split('cache_control')).toHaveLength(2);
  });
});
