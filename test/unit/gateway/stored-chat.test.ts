import OpenAI from 'openai';
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { NewCompletion } from '../../../src/gateway/capabilities/chat/storage/completion-store.ts';
import {
  chunk,
  completion,
  json,
  pieces,
  refusal,
  startFakeProvider,
  stream,
  usage,
  type FakeProvider,
} from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { expectOpenAi } from '../../harness/openai-schema.ts';
import { recording, replayDocument } from '../providers/replay.ts';
import { recordings, replayingProviders } from './recordings.ts';

const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
const messages = [{ role: 'user', content: 'Hello' }];
const config = `
routes:
  both: { targets: [openai/gpt-4.1, together/m], retries: 1 }
  cached: { targets: [openai/gpt-4.1], cache: 60 }
`;

let upstream: FakeProvider;
let gateway: TestGateway;
let stored: NewCompletion[];
const completions = { storeSoon: (given: NewCompletion): void => void stored.push(given) };

beforeAll(async () => {
  upstream = await startFakeProvider();
  const providers = { ...replayingProviders(upstream.url), openai: upstream.url };
  gateway = await startGateway({ providers, key: { limits }, config, completions });
});

beforeEach(() => {
  stored = [];
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

function ask(members: object, at: TestGateway = gateway): Promise<Response> {
  return fetch(`${at.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-4.1', messages, store: true, ...members }),
  });
}

function only(): NewCompletion {
  expect(stored).toHaveLength(1);
  return stored[0] ?? expect.fail('it is stored');
}

/** What Sluice names a completion. */
const ownId = expect.stringMatching(/^chatcmpl-[0-9a-f]{12}7[0-9a-f]{19}$/);

/** The same with the id that a provider gave. */
const asReceived = (text: string, id = 'chatcmpl-fake'): string => text.replaceAll(/chatcmpl-[0-9a-f]{32}/g, id);

describe('a stored chat completion', () => {
  it('is the document that the client received, with its request', async () => {
    upstream.answerWith(completion({ id: 'chatcmpl-1' }));
    const received: unknown = await (await ask({ metadata: { topic: 'boats' } })).json();
    expect(only()).toMatchObject({
      key: { id: gateway.key.id, accountId: gateway.key.accountId },
      model: 'openai/gpt-4.1',
      metadata: { topic: 'boats' },
      messages,
      completion: received,
      costNano: expect.any(BigInt),
    });
    expect(received).toMatchObject({ id: ownId });
  });

  it('is of a stream what it would have been without it, with a usage that the client did not ask for', async () => {
    upstream.answerWith(stream(['Hel', 'lo']));
    const text = await (await ask({ stream: true })).text();
    expect(text).not.toContain('usage');
    expect(only().completion).toEqual({
      id: ownId,
      object: 'chat.completion',
      created: 1_795_000_000,
      model: 'fake-model',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage,
    });
  });

  it('changes nothing but its id in the bytes that the client receives', async () => {
    for (const members of [{}, { stream: true }, { stream: true, stream_options: { include_usage: true } }]) {
      upstream.answerWith('stream' in members ? stream(['Hel', 'lo']) : completion());
      const [plain, kept] = [await ask({ ...members, store: false }), await ask(members)];
      const [shown, received] = [await kept.text(), await plain.text()];
      expect(shown).not.toBe(received);
      expect(asReceived(shown)).toBe(received);
      if (!('stream' in members)) expect(kept.headers.get('content-length')).toBe(String(Buffer.byteLength(shown)));
      const names = ['content-type', 'x-sluice-cost', 'x-sluice-dropped-params'];
      for (const name of names) expect(kept.headers.get(name)).toBe(plain.headers.get(name));
    }
    expect(stored).toHaveLength(3);
  });

  it('is not stored by the provider, too: it is sent neither `store` nor `metadata`', async () => {
    upstream.answerWith(completion());
    const before = upstream.requests.length;
    await (await ask({ metadata: { topic: 'boats' }, unknown_member: 1 })).text();
    await (await ask({ metadata: { topic: 'boats' }, store: false })).text();
    const [kept, plain] = upstream.requests.slice(before).map((request) => request.json);
    expect(kept).toEqual({ model: 'gpt-4.1', messages, unknown_member: 1 });
    expect(plain).toMatchObject({ store: false, metadata: { topic: 'boats' } });
  });

  it('drops nothing of a request to a provider that knows neither', async () => {
    const response = await ask({ model: 'sandbox/chat', metadata: { topic: 'boats' } });
    expect(response.headers.get('x-sluice-dropped-params')).toBeNull();
    expect(only().completion).toEqual(await response.json());
  });

  it('has the complete messages of a long prompt', async () => {
    upstream.answerWith(completion());
    const long = [{ role: 'user', content: 'x'.repeat(100_000) }];
    await (await ask({ messages: long, metadata: { topic: 'boats' } })).text();
    expect(only().messages).toEqual(long);
    expect(upstream.requests.at(-1)?.json).toEqual({ model: 'gpt-4.1', messages: long });
  });

  it('is that of the target that responded', async () => {
    let calls = 0;
    upstream.answerWith((request, response) => {
      const broken = pieces([chunk({ role: 'assistant', content: '' }, null, { id: 'chatcmpl-broken' })], 'cut');
      return (++calls === 1 ? broken : stream(['Hello']))(request, response);
    });
    await (await ask({ model: 'both', stream: true })).text();
    expect(calls).toBe(2);
    expect(only()).toMatchObject({ model: 'both', completion: { choices: [{ message: { content: 'Hello' } }] } });
  });

  it('is stored again from the cache, with the metadata of each request', async () => {
    upstream.answerWith(completion({ id: 'chatcmpl-cached' }));
    for (const streamed of [false, true]) {
      stored = [];
      upstream.answerWith(streamed ? stream(['Hello']) : completion());
      const before = upstream.requests.length;
      const first = await (await ask({ model: 'cached', stream: streamed, metadata: { n: '1' } })).text();
      const again = await ask({ model: 'cached', stream: streamed, metadata: { n: '2' } });
      expect(again.headers.get('x-sluice-cache')).toBe('hit');
      expect(asReceived(await again.text())).toBe(asReceived(first));
      expect(upstream.requests.length).toBe(before + 1);
      expect(stored.map(({ metadata }) => metadata)).toEqual([{ n: '1' }, { n: '2' }]);
      const [one, two] = stored.map(({ completion: { id, ...rest } }) => ({ id, rest }));
      expect(two?.rest).toEqual(one?.rest);
      expect(two?.id).not.toBe(one?.id);
    }
  });

  it('is only of a request that asks for it', async () => {
    upstream.answerWith(completion());
    for (const store of [false, null, undefined]) await (await ask({ store })).text();
    expect(stored).toEqual([]);
  });

  it('is only of a complete response', async () => {
    upstream.answerWith(refusal(400, 'No.'));
    expect((await ask({})).status).toBe(400);
    upstream.answerWith(pieces([chunk({ role: 'assistant', content: 'Hel' })], 'cut'));
    expect(await (await ask({ stream: true })).text()).toContain('provider_stream_cut');
    upstream.answerWith(pieces([chunk({ content: 'Hel' }), 'data: {"error":{"message":"No."}}\n\n'], 'end'));
    expect(await (await ask({ stream: true })).text()).toContain('error');
    upstream.answerWith(pieces([chunk({ content: 'Hel' })], 'hang'));
    const leaving = new AbortController();
    const asked = upstream.requests.length;
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', messages, store: true, stream: true }),
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    await upstream.requests[asked]?.aborted;
    expect(stored).toEqual([]);
  });

  it('is not stored for an account with zero retention, nor by the provider, which a header says', async () => {
    const careful = await startGateway({ openai: upstream.url, key: { limits, zeroRetention: true }, completions });
    upstream.answerWith(completion());
    const response = await ask({ metadata: { topic: 'boats' } }, careful);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('store, metadata');
    await response.text();
    upstream.answerWith(stream(['Hello']));
    const plain = await ask({ stream: true }, careful);
    expect(plain.headers.get('x-sluice-dropped-params')).toBe('store');
    await plain.text();
    await careful.close();
    expect(stored).toEqual([]);
    expect(upstream.requests.at(-2)?.json).toEqual({ model: 'gpt-4.1', messages });
  });

  it.each([
    [Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'v'])), /metadata/],
    [{ ['k'.repeat(65)]: 'v' }, /metadata/],
    [{ k: 'v'.repeat(513) }, /metadata/],
    [{ k: 1 }, /metadata/],
  ])('may have only so much metadata: %j is refused', async (metadata, named) => {
    const response = await ask({ metadata });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: expect.stringMatching(named) } });
    expect(stored).toEqual([]);
  });

  it('is not stored where the response is no completion', async () => {
    upstream.answerWith(json(200, { choices: [{ message: { content: 'Hi' } }], usage }));
    await (await ask({})).text();
    expectOpenAi('CreateChatCompletionResponse', only().completion);
  });

  it('has an id of its own where the provider repeats its ids, or has none, streamed or not', async () => {
    const events = (id: Record<string, unknown>) =>
      pieces([chunk({ content: 'Hel' }, null, id), chunk({ content: 'lo' }, 'stop', id), 'data: [DONE]\n\n'], 'end');
    const ids: unknown[] = [];
    for (const given of [{ id: 'chatcmpl-7' }, { id: 'chatcmpl-7' }, { id: undefined }, { id: '' }, { id: null }])
      for (const streamed of [false, true]) {
        stored = [];
        upstream.answerWith(streamed ? events(given) : completion(given));
        const text = await (await ask({ stream: streamed })).text();
        const { id } = only().completion;
        const received = streamed ? text.split('\n').filter((line) => line.startsWith('data: {')) : [text];
        expect(received.map((line) => JSON.parse(line.replace('data: ', '')).id)).toEqual(received.map(() => id));
        ids.push(id);
      }
    expect(new Set(ids).size).toBe(10);
  });

  it('changes no text that says what its id is', async () => {
    const said = 'It is {"id":"chatcmpl-7"}, "id": "chatcmpl-7".\n\ndata: {"id":"chatcmpl-7"}';
    const called = {
      index: 0,
      id: 'chatcmpl-7',
      type: 'function',
      function: { name: 'f', arguments: '{"id":"chatcmpl-7"}' },
    };
    const delta = { content: said, tool_calls: [called] };
    upstream.answerWith(pieces([chunk(delta, 'stop', { id: 'chatcmpl-7' }), 'data: [DONE]\n\n'], 'end'));
    const [line = ''] = (await (await ask({ stream: true })).text()).split('\n');
    expect(JSON.parse(line.slice('data: '.length))).toMatchObject({ id: ownId, choices: [{ delta }] });
  });

  it('has an id of its own where a provider’s stream arrives in pieces', async () => {
    const events = chunk({ content: 'Hel' }) + chunk({ content: 'lo' }, 'stop') + 'data: [DONE]\n\n';
    upstream.answerWith(pieces([...events], 'end'));
    const text = await (await ask({ stream: true })).text();
    expect(asReceived(text)).toBe(events);
    expect(text).not.toContain('chatcmpl-fake');
  });
});

describe('each recording of a provider', () => {
  it.each(recordings)('$name is stored as OpenAI’s document has it', async ({ name, provider, streamOf, isStream }) => {
    const text = recording(name);
    upstream.answerWith(isStream ? streamOf(text) : replayDocument(text));
    const response = await ask({ model: `${provider}/recorded-model`, ...(isStream && { stream: true }) });
    const received = await response.text();
    if (!response.ok || /"error":/.test(received)) return expect(stored).toEqual([]);
    const { completion: kept } = only();
    // Groq's tier `on_demand` is none of OpenAI's.
    expectOpenAi('CreateChatCompletionResponse', { ...kept, service_tier: null });
    expect(received).toContain(kept.id);
    if (!isStream) return expect(kept).toMatchObject(withoutNulls(JSON.parse(received)));
    // The SDK refuses a stream that never names a role.
    if (!received.includes('"role"')) return expect(name).toBe('mistral/mistral-incremental-tool-call.chunks.txt');
    return expect(contentOf(kept)).toEqual(contentOf(await sdkAccumulates(received)));
  });
});

/** What OpenAI's SDK makes of a stream. */
async function sdkAccumulates(events: string): Promise<object> {
  const client = new OpenAI({
    apiKey: 'key',
    fetch: async () => new Response(events, { headers: { 'content-type': 'text/event-stream' } }),
  });
  const body = { model: 'm', messages: [], stream: true as const };
  return ChatCompletionStream.createChatCompletion(client, body).finalChatCompletion();
}

const documentSchema = z.object({
  choices: z.array(
    z.object({
      finish_reason: z.string(),
      message: z.object({
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z
          .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
          .nullish(),
      }),
    }),
  ),
});

/** Of each choice: its text, its calls and how it ended. The SDK keeps only the last of what it does not know. */
function contentOf(document: object): unknown {
  return documentSchema
    .parse(document)
    .choices.map(({ finish_reason: reason, message: { content, refusal, tool_calls: calls } }) => ({
      reason,
      content: content || null,
      refusal: refusal || null,
      calls: calls ?? [],
    }));
}

function withoutNulls(document: object): object {
  const text = JSON.stringify(document, (_name, value: unknown) => value ?? undefined);
  return JSON.parse(text);
}
