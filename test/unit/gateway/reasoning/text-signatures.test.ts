import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../../../src/gateway/keys/key-directory.ts';
import { MemoryReasoningStore } from '../../../../src/gateway/reasoning/reasoning-memory.ts';
import { startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { answerOf, documentOf, streamOf } from '../../providers/gemini/ask.ts';

const model = 'gemini/gemini-3-pro-preview';
const thought = { text: 'I add them.', thought: true };
const text = 'It is four.';
const signedText = { text, thoughtSignature: 'signed-text' };
const call = { functionCall: { id: 'call-1', name: 'weather', args: {} }, thoughtSignature: 'signed-call' };
const ways = ['streamed', 'unstreamed'] as const;

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

async function start(key: Partial<KeyRecord> = {}): Promise<TestGateway> {
  const providers = { gemini: upstream.url.replace(/\/v1$/, '/v1beta') };
  const gateway = await startGateway({ providers, key, reasoning: store });
  gateways.push(gateway);
  return gateway;
}

type Way = (typeof ways)[number];

async function ask(
  gateway: TestGateway,
  way: Way,
  messages: Anthropic.MessageParam[],
  parts: readonly object[] = [thought, signedText],
): Promise<Anthropic.ContentBlock[]> {
  const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
  const request = { model, max_tokens: 100, messages };
  if (way === 'unstreamed') {
    upstream.answerWith(documentOf(answerOf(parts)));
    return (await client.messages.create(request)).content;
  }
  const begun = parts.slice(0, -1).map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] }));
  upstream.answerWith(streamOf([...begun, answerOf(parts.slice(-1))]));
  return (await client.messages.stream(request).finalMessage()).content;
}

/** What the provider was sent last of the model's turns. */
function modelTurns(): unknown[] {
  const { contents } = upstream.requests.at(-1)?.json ?? {};
  if (!Array.isArray(contents)) throw new Error('no contents were sent');
  return contents.filter(({ role }) => role === 'model').map(({ parts }) => parts);
}

const question: Anthropic.MessageParam = { role: 'user', content: 'What is two and two?' };
const next: Anthropic.MessageParam = { role: 'user', content: 'And three?' };

describe('a signed text of Gemini', () => {
  it.each(ways)('is the last block of a message, %s, and its signature returns to the provider', async (way) => {
    const gateway = await start();
    const content = await ask(gateway, way, [question]);
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(content.at(-1)).toMatchObject({ type: 'text', text });
    await ask(gateway, way, [question, { role: 'assistant', content }, next]);
    expect(modelTurns()).toEqual([[signedText]]);
  });

  it.each(ways)('has no thinking block after it, %s, where nothing was thought', async (way) => {
    const gateway = await start();
    const content = await ask(gateway, way, [question], [signedText]);
    expect(content.at(-1)).toMatchObject({ type: 'text', text });
    await ask(gateway, way, [question, { role: 'assistant', content: text }, next]);
    expect(modelTurns()).toEqual([[signedText]]);
  });

  it('that its stream signs at the end, on an empty part, returns with its signature', async () => {
    const gateway = await start();
    const parts = [{ text: 'It is ' }, { text: 'four.' }, { text: '', thoughtSignature: 'signed-end' }];
    const content = await ask(gateway, 'streamed', [question], parts);
    expect(content).toMatchObject([{ type: 'text', text }]);
    await ask(gateway, 'streamed', [question, { role: 'assistant', content }, next]);
    expect(modelTurns()).toEqual([[{ text }, { text: '', thoughtSignature: 'signed-end' }]]);
  });

  it.each(ways)('before a call is sent with the call, %s', async (way) => {
    const gateway = await start({ zeroRetention: true });
    const content = await ask(gateway, way, [question], [signedText, call]);
    expect(content.at(-1)).toMatchObject({ type: 'tool_use', name: 'weather' });
    const result = { type: 'tool_result' as const, tool_use_id: 'call-1', content: 'sun' };
    await ask(gateway, way, [question, { role: 'assistant', content }, { role: 'user', content: [result] }]);
    expect(modelTurns()).toEqual([[signedText, call]]);
  });

  it('is given to a chat client that returns only the text', async () => {
    const gateway = await start();
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const user = { role: 'user' as const, content: 'word '.repeat(10_000) };
    upstream.answerWith(documentOf(answerOf([signedText])));
    await client.chat.completions.create({ model, messages: [user] });
    const messages = [user, { role: 'assistant' as const, content: text }, { role: 'user' as const, content: 'And?' }];
    await client.chat.completions.create({ model, messages });
    expect(modelTurns()).toEqual([[signedText]]);
  });

  it('is not given to another conversation, nor to another account', async () => {
    const gateway = await start();
    const content = await ask(gateway, 'streamed', [question]);
    const answer: Anthropic.MessageParam = { role: 'assistant', content };
    await ask(gateway, 'streamed', [{ role: 'user', content: 'Half of eight?' }, answer, next]);
    expect(modelTurns()).toEqual([[{ text }]]);
    const stranger = await start({ accountId: '99999999-0000-4000-8000-000000000000' });
    await ask(stranger, 'streamed', [question, answer, next]);
    expect(modelTurns()).toEqual([[{ text }]]);
  });

  it('is not stored under zero retention', async () => {
    const gateway = await start({ zeroRetention: true });
    const content = await ask(gateway, 'streamed', [question]);
    expect(content.at(-1)).toMatchObject({ type: 'text', text });
    expect(store.bytes).toBe(0);
  });
});
