import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../harness/fake-clock.ts';
import { json, silence, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { unstoredResponses } from '../../harness/unstored-responses.ts';

const DEADLINE_MS = 10_000;
const AT_ONCE = 8;

/** Four characters are a token of an estimate. */
const text = 'x'.repeat(400);
const ESTIMATE = 100;
const COUNT = 7;

interface Counted {
  readonly path: string;
  readonly body: object;
  readonly member: string;
  readonly answer: object;
}

const protocols: readonly (readonly [name: string, counted: Counted])[] = [
  [
    'Messages',
    {
      path: '/v1/messages/count_tokens',
      body: { model: 'anthropic/claude', messages: [{ role: 'user', content: text }] },
      member: 'input_tokens',
      answer: { input_tokens: COUNT },
    },
  ],
  [
    'Gemini',
    {
      path: '/v1beta/models/gemini/gemini-3-pro:countTokens',
      body: { contents: [{ role: 'user', parts: [{ text }] }] },
      member: 'totalTokens',
      answer: { totalTokens: COUNT },
    },
  ],
  [
    'Responses',
    {
      path: '/v1/responses/input_tokens',
      body: { model: 'openai/m', input: text },
      member: 'input_tokens',
      answer: { object: 'response.input_tokens', input_tokens: COUNT },
    },
  ],
];

let upstream: FakeProvider;
let gateway: TestGateway;
let clock: FakeClock;

beforeEach(async () => {
  clock = new FakeClock();
  upstream = await startFakeProvider(silence);
  gateway = await startGateway({
    providers: {
      anthropic: upstream.url,
      gemini: upstream.url,
      openai: { baseUrl: upstream.url, options: { api: 'responses' } },
      groq: upstream.url,
    },
    rest: unstoredResponses,
    pipelineClock: clock,
  });
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

describe('a count of tokens of the sandbox', () => {
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
    const response = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return Object(await response.json());
  };

  it.each(['Hello world', 'Grüße an alle, die hier lesen und zählen.', 'x'.repeat(4_000)])(
    'is the number that the request itself is metered with: %#',
    async (content) => {
      const model = 'sandbox/chat';
      const tools = [{ name: 'look_up', description: 'Looks up a word', input_schema: { type: 'object' } }];
      const request = { model, system: 'Be brief.', messages: [{ role: 'user', content }], tools };
      const sent = await post('/v1/messages', { ...request, max_tokens: 5 });
      const counted = await post('/v1/messages/count_tokens', request);
      expect(counted).toEqual({ input_tokens: Object(sent.usage).input_tokens });

      const contents = [{ role: 'user', parts: [{ text: content }] }];
      const generated = await post(`/v1beta/models/${model}:generateContent`, { contents });
      const total = { totalTokens: Object(generated.usageMetadata).promptTokenCount };
      expect(await post(`/v1beta/models/${model}:countTokens`, { contents })).toEqual(total);
      expect(await post(`/v1beta/models/${model}:countTokens`, { generateContentRequest: { contents } })).toEqual(
        total,
      );
    },
  );
});

describe.each(protocols)('a count of tokens in the protocol %s', (_name, { path, body, member, answer }) => {
  const count = (): Promise<Response> =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const expectEstimate = async (response: Response): Promise<void> => {
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-estimated')).toBe(member);
    expect(await response.json()).toEqual({ ...answer, [member]: ESTIMATE });
  };

  const expectCount = async (response: Response): Promise<void> => {
    expect(response.status).toBe(200);
    expect(response.headers.has('x-sluice-estimated')).toBe(false);
    expect(await response.json()).toEqual(answer);
  };

  it('is an estimate where the provider does not count within 10 s', async () => {
    const counting = count();
    const { aborted } = await upstream.nextRequest();
    const timers = clock.pending;
    clock.advance(DEADLINE_MS - 1);
    expect(clock.pending).toBe(timers);
    clock.advance(1);
    expect(clock.pending).toBe(timers - 1);
    await expectEstimate(await counting);
    await aborted;
  });

  it('leaves no timer behind', async () => {
    const before = clock.pending;
    upstream.answerWith(json(200, answer));
    await expectCount(await count());
    expect(clock.pending).toBe(before);
  });

  it('is an estimate while eight others of the key are at a provider', async () => {
    const open: ServerResponse[] = [];
    upstream.answerWith((_request, response) => void open.push(response));
    const counting = Array.from({ length: AT_ONCE }, count);
    await upstream.whenRequested(AT_ONCE);
    await expectEstimate(await count());
    expect(upstream.requests).toHaveLength(AT_ONCE);

    for (const response of open) response.writeHead(200).end(JSON.stringify(answer));
    for (const response of await Promise.all(counting)) await expectCount(response);
    upstream.answerWith(json(200, answer));
    await expectCount(await count());
    expect(upstream.requests).toHaveLength(AT_ONCE + 1);
  });

  it('does not occupy a place after its end, however it ends', async () => {
    upstream.answerWith(json(500, {}));
    for (let failed = 0; failed < AT_ONCE; failed++) await expectEstimate(await count());
    // The provider is avoided after failures of requests, and these are none.
    upstream.answerWith(json(200, answer));
    await expectCount(await count());
  });
});

describe('a count of tokens of Responses', () => {
  const count = (body: object): Promise<Response> =>
    fetch(`${gateway.url}/v1/responses/input_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'openai-beta': 'x=1' },
      body: JSON.stringify(body),
    });

  it('reaches its provider as the client wrote it', async () => {
    upstream.answerWith(json(200, { object: 'response.input_tokens', input_tokens: COUNT }));
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
    const response = await count({ model: 'openai/m', input: text, tools, instructions: 'Be brief.' });
    expect(await response.json()).toEqual({ object: 'response.input_tokens', input_tokens: COUNT });
    const [received] = upstream.requests;
    expect(received?.path).toBe('/v1/responses/input_tokens');
    expect(received?.json).toEqual({ model: 'm', input: text, tools, instructions: 'Be brief.' });
    expect(received?.headers['openai-beta']).toBe('x=1');
    expect(gateway.settled()).toEqual([]);
  });

  it('is an estimate where its provider has no such count', async () => {
    const response = await count({ model: 'groq/m', input: text });
    expect(response.headers.get('x-sluice-estimated')).toBe('input_tokens');
    expect(await response.json()).toEqual({ object: 'response.input_tokens', input_tokens: ESTIMATE });
    expect(upstream.requests).toHaveLength(0);
  });

  it('is refused as its provider refuses it', async () => {
    upstream.answerWith(json(400, { error: { message: 'Unknown item.', type: 'invalid_request_error', code: null } }));
    const response = await count({ model: 'openai/m', input: text });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: 'Unknown item.' } });
  });
});
