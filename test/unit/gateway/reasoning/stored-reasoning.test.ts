import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../../../src/gateway/keys/key-directory.ts';
import { MemoryReasoningStore } from '../../../../src/gateway/reasoning/reasoning-memory.ts';
import { startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import * as anthropic from '../../providers/anthropic/ask.ts';
import * as gemini from '../../providers/gemini/ask.ts';

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
];
const thinking = { type: 'thinking', thinking: 'I look it up.', signature: 'signed-thinking' };
const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { at: 'Zürich' } };
const parts = [
  { functionCall: { id: 'call-1', name: 'weather', args: { at: 'Zürich' } }, thoughtSignature: 'signed-call' },
  { functionCall: { id: 'call-2', name: 'weather', args: {} } },
];

const providers = {
  gemini: {
    model: 'gemini/gemini-3-pro-preview',
    streamed: gemini.streamOf([gemini.answerOf(parts)]),
    unstreamed: gemini.documentOf(gemini.answerOf(parts)),
  },
  anthropic: {
    model: 'anthropic/claude-sonnet-4-5',
    streamed: anthropic.streamOf(
      anthropic.eventsOf(anthropic.messageOf([thinking, toolUse], { stop_reason: 'tool_use' })),
    ),
    unstreamed: anthropic.documentOf(anthropic.messageOf([thinking, toolUse], { stop_reason: 'tool_use' })),
  },
} as const;

type Name = keyof typeof providers;
type Way = 'streamed' | 'unstreamed';

let upstream: FakeProvider;
let store: MemoryReasoningStore;
const gateways: TestGateway[] = [];

beforeEach(async () => {
  upstream = await startFakeProvider();
  store = new MemoryReasoningStore();
});

afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
  await upstream.close();
});

async function clientOf(key: Partial<KeyRecord> = {}): Promise<OpenAI> {
  const bases = { gemini: upstream.url.replace(/\/v1$/, '/v1beta'), anthropic: upstream.url };
  const gateway = await startGateway({ providers: bases, key, reasoning: store });
  gateways.push(gateway);
  return new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
}

async function ask(
  client: OpenAI,
  name: Name,
  way: Way,
  messages: OpenAI.ChatCompletionMessageParam[],
): Promise<OpenAI.ChatCompletionMessage> {
  const { model } = providers[name];
  upstream.answerWith(providers[name][way]);
  const request = { model, messages, tools, reasoning_effort: 'low' as const };
  if (way === 'streamed') return client.chat.completions.stream(request).finalMessage();
  const { choices } = await client.chat.completions.create(request);
  if (choices[0] === undefined) throw new Error('no choice came');
  return choices[0].message;
}

/** The message of a client that sends back OpenAI's members only. */
function plain({ content, tool_calls: calls }: OpenAI.ChatCompletionMessage): OpenAI.ChatCompletionMessageParam[] {
  const functionCalls = (calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []));
  return [
    {
      role: 'assistant',
      content,
      tool_calls: functionCalls.map(({ id, type, function: { name, arguments: json } }) => ({
        id,
        type,
        function: { name, arguments: json },
      })),
    },
    ...functionCalls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sun' })),
  ];
}

const question: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'How is the weather?' };

/** The second message that the provider was sent with the last request. */
function receivedAnswer(name: Name): unknown {
  const { contents, messages } = upstream.requests.at(-1)?.json ?? {};
  const list: unknown = name === 'gemini' ? contents : messages;
  return Array.isArray(list) ? list[1] : undefined;
}

const whole: Readonly<Record<Name, unknown>> = {
  gemini: { role: 'model', parts },
  anthropic: { role: 'assistant', content: [thinking, toolUse] },
};
const bare: Readonly<Record<Name, unknown>> = {
  gemini: {
    role: 'model',
    parts: [{ ...parts[0], thoughtSignature: 'skip_thought_signature_validator' }, parts[1]],
  },
  anthropic: { role: 'assistant', content: [toolUse] },
};

describe('a chat client that sends back only ids, names and arguments', () => {
  it.each([
    ['gemini', 'streamed'],
    ['gemini', 'unstreamed'],
    ['anthropic', 'streamed'],
    ['anthropic', 'unstreamed'],
  ] as const)('continues a tool call of %s, %s, with its signed reasoning', async (name, way) => {
    const client = await clientOf();
    const message = await ask(client, name, way, [question]);
    await ask(client, name, way, [question, ...plain(message)]);
    expect(receivedAnswer(name)).toEqual(whole[name]);
    // Reasoning that the client sends takes precedence.
    const details = [{ type: 'reasoning.encrypted', format: 'google-gemini-v1', id: 'call-1', data: 'its own' }];
    const [answer, ...results] = plain(message);
    const own = Object.assign({}, answer, { reasoning_details: details });
    await ask(client, name, way, [question, own, ...results]);
    expect(JSON.stringify(receivedAnswer(name))).not.toMatch(/signed-/);
  });

  it.each(['gemini', 'anthropic'] as const)('finds %s’s by another process of the same store', async (name) => {
    const message = await ask(await clientOf(), name, 'unstreamed', [question]);
    await ask(await clientOf(), name, 'unstreamed', [question, ...plain(message)]);
    expect(receivedAnswer(name)).toEqual(whole[name]);
  });

  it('gets that of a prompt with an outline', async () => {
    const client = await clientOf();
    const long = { role: 'user' as const, content: 'word '.repeat(10_000) };
    const message = await ask(client, 'anthropic', 'unstreamed', [long]);
    await ask(client, 'anthropic', 'unstreamed', [long, ...plain(message)]);
    expect(receivedAnswer('anthropic')).toEqual(whole.anthropic);
  });

  it.each(['gemini', 'anthropic'] as const)('is not given %s’s of another account', async (name) => {
    const message = await ask(await clientOf(), name, 'unstreamed', [question]);
    const stranger = await clientOf({ accountId: '99999999-0000-4000-8000-000000000000' });
    await ask(stranger, name, 'unstreamed', [question, ...plain(message)]);
    expect(receivedAnswer(name)).toEqual(bare[name]);
  });

  it.each(['gemini', 'anthropic'] as const)('stores nothing of %s under zero retention', async (name) => {
    const client = await clientOf({ zeroRetention: true });
    const message = await ask(client, name, 'unstreamed', [question]);
    expect(store.bytes).toBe(0);
    await ask(client, name, 'unstreamed', [question, ...plain(message)]);
    expect(receivedAnswer(name)).toEqual(bare[name]);
  });

  it('is not given the reasoning of a call of another tool by the same id', async () => {
    const client = await clientOf();
    const message = await ask(client, 'gemini', 'unstreamed', [question]);
    const renamed = JSON.parse(JSON.stringify(plain(message)).replaceAll('"weather"', '"clock"'));
    await ask(client, 'gemini', 'unstreamed', [question, ...renamed]);
    expect(JSON.stringify(receivedAnswer('gemini'))).not.toContain('signed-call');
  });
});

describe('a chat client that sends back extra_content', () => {
  it.each(['streamed', 'unstreamed'] as const)('sends the signature of a call, %s, itself', async (way) => {
    const client = await clientOf({ zeroRetention: true });
    const { tool_calls: calls, content, role } = await ask(client, 'gemini', way, [question]);
    expect(calls).toMatchObject([{ extra_content: { google: { thought_signature: 'signed-call' } } }, {}]);
    expect(calls?.[1]).not.toHaveProperty('extra_content');
    const results = (calls ?? []).map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'sun' }));
    const answer: OpenAI.ChatCompletionMessageParam = { role, content, tool_calls: calls ?? [] };
    await ask(client, 'gemini', way, [question, answer, ...results]);
    expect(receivedAnswer('gemini')).toEqual(whole.gemini);
  });
});
