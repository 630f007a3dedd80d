import { once } from 'node:events';
import { request } from 'node:http';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../../../src/gateway/keys/spend-bound.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import {
  chunk,
  completion,
  json,
  pieces,
  refusal,
  silence,
  startFakeProvider,
  stream,
  streamEvents,
  usage,
  type FakeProvider,
} from '../../../harness/fake-provider.ts';
import {
  key as anyKey,
  secret,
  startGateway,
  type GatewayOptions,
  type TestGateway,
} from '../../../harness/gateway.ts';
import { readEventData, readEvents } from '../../../harness/read-events.ts';

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

async function open(options: GatewayOptions = {}): Promise<void> {
  gateway = await startGateway({ openai: provider.url, ...options });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
}

beforeEach(async () => {
  provider = await startFakeProvider();
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

/** Additional members of a complete response. */
const manyMembers = `{"choices":[{"message":{}}]${',"m":0'.repeat(1_000_001)}}`;

const hello = { model: 'openai/gpt-4.1-mini', messages: [{ role: 'user' as const, content: 'Hello' }] };

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function errorOf(
  response: Response,
): Promise<{ message: string; type: string; param: string | null; code: string | null }> {
  const { error } = JSON.parse(await response.text());
  return error;
}

describe('an unstreamed completion', () => {
  it('relays the provider’s bytes, sent with its model name and our credentials', async () => {
    await open();
    const { data, response } = await client.chat.completions.create(hello).withResponse();
    expect(data.choices[0]?.message.content).toBe('Hello from the provider');
    const [request] = provider.requests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe('Bearer provider-key');
    expect(request?.json).toEqual({ ...hello, model: 'gpt-4.1-mini' });
    expect(response.headers.get('x-sluice-provider')).toBe('openai');
    expect(response.headers.get('x-sluice-model')).toBe('openai/gpt-4.1-mini');
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
    expect(response.headers.get('openai-processing-ms')).toMatch(/^\d+$/);
  });

  it('is settled once, priced by the reported usage', async () => {
    await open();
    const { response } = await client.chat.completions.create({ ...hello, user: 'someone' }).withResponse();
    const [record, ...others] = gateway.settled();
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      status: 'succeeded',
      model: 'openai/gpt-4.1-mini',
      input_tokens: 12,
      output_tokens: 5,
      cached_tokens: 4,
      reasoning_tokens: 2,
      estimated: false,
      finish_reason: 'stop',
      end_user: 'someone',
      // 8 x 0.4 + 4 x 0.1 + 5 x 1.6 USD per million.
      cost_nano: '11600',
    });
    expect(response.headers.get('x-sluice-cost')).toBe('0.0000116');
    expect(response.headers.get('x-request-id')).toBe(`req_${record?.event_id.replaceAll('-', '')}`);
  });

  it('estimates usage that a provider does not report, and marks it', async () => {
    await open();
    provider.answerWith(completion({ usage: undefined }));
    await client.chat.completions.create(hello);
    expect(gateway.settled()[0]).toMatchObject({ estimated: true, status: 'succeeded' });
    expect(gateway.settled()[0]?.output_tokens).toBeGreaterThan(0);
  });

  it.each([
    ['negative', { prompt_tokens: -1, completion_tokens: 5 }],
    ['fractional', { prompt_tokens: 1.5, completion_tokens: 5 }],
    ['no numbers', { prompt_tokens: '12', completion_tokens: null }],
  ])('ignores %s usage', async (_name, faulty) => {
    await open();
    provider.answerWith(completion({ usage: faulty }));
    await client.chat.completions.create(hello);
    expect(gateway.settled()[0]).toMatchObject({ estimated: true });
  });

  it('accepts a model by its alias and by its bare name', async () => {
    await open();
    await client.chat.completions.create({ ...hello, model: 'fast' });
    await client.chat.completions.create({ ...hello, model: 'gpt-4.1-mini' });
    expect(provider.requests.map(({ json: body }) => body.model)).toEqual(['gpt-4.1-mini', 'gpt-4.1-mini']);
  });

  it('forwards members that only the provider knows', async () => {
    await open();
    await post({ ...hello, min_p: 0.1, chat_template_kwargs: { thinking: true } });
    expect(provider.requests[0]?.json).toMatchObject({ min_p: 0.1, chat_template_kwargs: { thinking: true } });
  });
});

describe('a streamed completion', () => {
  it('is read chunk by chunk by the official SDK', async () => {
    await open();
    provider.answerWith(stream(['One', ' two', ' three']));
    let text = '';
    for await (const part of await client.chat.completions.create({ ...hello, stream: true }))
      text += part.choices[0]?.delta.content ?? '';
    expect(text).toBe('One two three');
  });

  it('requests usage from the provider and hides it from clients that did not request it', async () => {
    await open();
    provider.answerWith(stream(['One', ' two']));
    const body = await (await post({ ...hello, stream: true })).text();
    expect(provider.requests[0]?.json.stream_options).toEqual({ include_usage: true });
    expect(body).toBe(streamEvents(['One', ' two'], false).join(''));
    expect(gateway.settled()[0]).toMatchObject({
      status: 'succeeded',
      input_tokens: 12,
      output_tokens: 5,
      estimated: false,
      streamed: true,
    });
  });

  it('forwards the client’s other stream options', async () => {
    await open();
    provider.answerWith(stream(['One']));
    await (await post({ ...hello, stream: true, stream_options: { include_obfuscation: false } })).text();
    expect(provider.requests[0]?.json.stream_options).toEqual({ include_obfuscation: false, include_usage: true });
  });

  it('returns usage with its cost to a client that requested it', async () => {
    await open();
    provider.answerWith(stream(['One']));
    const response = await post({ ...hello, stream: true, stream_options: { include_usage: true } });
    const text = await response.text();
    const events = readEventData(text);
    expect(events.pop()).toMatchObject({ choices: [], usage: { ...usage, cost: 0.000_011_6 } });
    expect(events.every((event) => event.usage === null)).toBe(true);
    expect(readEvents(text).at(-1)?.data).toBe('[DONE]');
  });

  it('has exactly the headers of a stream', async () => {
    await open();
    provider.answerWith(stream(['One']));
    const response = await post({ ...hello, stream: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('content-length')).toBeNull();
    await response.text();
  });

  it('relays UTF-8 and events that are split anywhere', async () => {
    await open();
    const whole = Buffer.from(streamEvents(['Grüße 🌍', ' — “quoted”\n\ndata: [DONE]\n\n'], true).join(''));
    provider.answerWith(
      pieces(
        Array.from({ length: Math.ceil(whole.length / 7) }, (_, index) => whole.subarray(index * 7, index * 7 + 7)),
        'end',
      ),
    );
    let text = '';
    for await (const part of await client.chat.completions.create({ ...hello, stream: true }))
      text += part.choices[0]?.delta.content ?? '';
    expect(text).toBe('Grüße 🌍 — “quoted”\n\ndata: [DONE]\n\n');
    expect(gateway.settled()[0]).toMatchObject({ output_tokens: 5, finish_reason: 'stop' });
  });

  it('parses CR LF, spaced JSON and comments', async () => {
    await open();
    const spaced = streamEvents(['One'], true).map((event) =>
      event.replaceAll('":', '": ').replaceAll(',"', ', "').replaceAll('\n', '\r\n'),
    );
    provider.answerWith(pieces([': keep-alive\r\n\r\n', ...spaced], 'end'));
    const body = await (await post({ ...hello, stream: true })).text();
    expect(body).not.toContain('usage');
    expect(body).not.toContain('\r');
    expect(gateway.settled()[0]).toMatchObject({ input_tokens: 12, output_tokens: 5, finish_reason: 'stop' });
  });

  it('completes a stream that has a finish reason but no [DONE]', async () => {
    await open();
    provider.answerWith(pieces(streamEvents(['One'], true).slice(0, -1), 'end'));
    expect(await (await post({ ...hello, stream: true })).text()).toMatch(/data: \[DONE\]\n\n$/);
    expect(gateway.settled()[0]).toMatchObject({ status: 'succeeded' });
  });

  it('reports an interrupted stream after its complete events, and settles its usage', async () => {
    await open();
    provider.answerWith(pieces([chunk({ content: 'One' }), 'data: {"choices":[{"index":0,"del'], 'cut'));
    const events = readEventData(await (await post({ ...hello, stream: true })).text());
    expect(events).toHaveLength(2);
    expect(events[1].error.code).toBe('provider_stream_cut');
    expect(gateway.settled()[0]).toMatchObject({
      status: 'failed',
      error_code: 'provider_stream_cut',
      estimated: true,
    });
  });

  it('returns an error in the first chunk with its status, not as a stream', async () => {
    await open();
    provider.answerWith(pieces(['data: {"error":{"message":"overloaded","type":"server_error"}}\n\n'], 'end'));
    const response = await post({ ...hello, stream: true });
    expect(response.status).toBe(502);
    expect((await errorOf(response)).message).toContain('overloaded');
    expect(gateway.settled()[0]).toMatchObject({ status: 'failed', output_tokens: 0, cost_nano: '0' });
  });

  it('sends an error within a stream as the last event, which the SDK throws', async () => {
    await open();
    provider.answerWith(
      pieces([chunk({ content: 'One' }), 'data: {"error":{"message":"broken","type":"server_error"}}\n\n'], 'end'),
    );
    const parts: string[] = [];
    const reading = (async () => {
      for await (const part of await client.chat.completions.create({ ...hello, stream: true }))
        parts.push(part.choices[0]?.delta.content ?? '');
    })();
    await expect(reading).rejects.toThrow(/broken/);
    expect(parts).toEqual(['One']);
  });

  it('refuses an event without end', async () => {
    await open();
    const megabyte = 'x'.repeat(1024 * 1024);
    provider.answerWith(
      pieces(['data: {"choices":[{"delta":{"content":"', ...Array.from({ length: 20 }, () => megabyte)], 'hang'),
    );
    const response = await post({ ...hello, stream: true });
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe('provider_invalid_response');
  });
});

describe('a provider that sends malformed events', () => {
  const watch = async (): Promise<AbortController> => {
    const leaving = new AbortController();
    const feed = gateway.live.subscribe(gateway.key.accountId, null, leaving.signal);
    void feed.next();
    await new Promise((resolve) => setImmediate(resolve));
    return leaving;
  };

  it('with extra blank lines, before and within, watched', async () => {
    await open();
    const leaving = await watch();
    provider.answerWith(pieces([': alive\n\n\n', ...streamEvents(['One'], true).map((event) => `${event}\n`)], 'end'));
    expect(await (await post({ ...hello, stream: true })).text()).toContain('One');
    leaving.abort();
  });

  it('with usage that is nested too deep to be serialised', async () => {
    await open();
    const deep = `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
    provider.answerWith(pieces([chunk({ content: 'One' }), `data: ${deep}\n\n`, 'data: [DONE]\n\n'], 'end'));
    const body = await (await post({ ...hello, stream: true, stream_options: { include_usage: true } })).text();
    expect(body).toContain('invalid response');
    expect(gateway.settled()).toHaveLength(1);
  });

  it('with a finish reason that databases do not accept', async () => {
    await open();
    provider.answerWith(completion({ choices: [{ index: 0, message: {}, finish_reason: '\u0000' }] }));
    expect((await post(hello)).status).toBe(200);
    expect(gateway.settled()[0]).toMatchObject({ status: 'succeeded', finish_reason: null });
  });

  it('with comments before its error still returns the status of the error', async () => {
    await open();
    provider.answerWith(pieces([': alive\n\n', 'data: {"error":{"message":"overloaded"}}\n\n'], 'end'));
    expect((await post({ ...hello, stream: true })).status).toBe(502);
    expect(gateway.settled()[0]).toMatchObject({ cost_nano: '0', first_token_ms: null });
  });
});

describe('a model’s name', () => {
  it('is encoded for headers', async () => {
    await open();
    const response = await post({ ...hello, model: 'openai/模型' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-model')).toBe('openai/%E6%A8%A1%E5%9E%8B');
  });

  it('contains no control character', async () => {
    await open();
    const response = await post({ ...hello, model: 'openai/a\nb' });
    expect(response.status).toBe(400);
  });
});

describe('a client that disconnects', () => {
  it('before the first token closes the provider’s socket, and the request is settled once', async () => {
    await open();
    provider.answerWith(silence);
    const leaving = new AbortController();
    const answer = client.chat.completions.create({ ...hello, stream: true }, { signal: leaving.signal });
    const request = await provider.nextRequest();
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await request.aborted;
    expect(await gateway.settledCount(1)).toMatchObject([{ status: 'aborted', http_status: 499, estimated: true }]);
    expect(gateway.pipeline.openCount).toBe(0);
  });

  it('within the stream is billed for the generated output, marked as estimated', async () => {
    await open();
    provider.answerWith(
      pieces(
        [
          chunk({ role: 'assistant', content: '' }),
          ...Array.from({ length: 20 }, (_, index) => chunk({ content: ` word${index}` })),
        ],
        'hang',
      ),
    );
    const answer = await client.chat.completions.create({ ...hello, stream: true });
    const request = await provider.nextRequest();
    for await (const part of answer) if (part.choices[0]?.delta.content === ' word19') break;
    await request.aborted;
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', estimated: true });
    expect(record?.output_tokens).toBeGreaterThan(15);
    expect(record?.output_tokens).toBeLessThan(80);
    expect(BigInt(record?.cost_nano ?? 0)).toBeGreaterThan(0n);
  });

  it('without streaming closes the provider’s socket too', async () => {
    await open();
    provider.answerWith(silence);
    const leaving = new AbortController();
    const answer = client.chat.completions.create(hello, { signal: leaving.signal });
    const request = await provider.nextRequest();
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await request.aborted;
    expect(await gateway.settledCount(1)).toMatchObject([{ status: 'aborted' }]);
  });
});

describe('a failing provider', () => {
  it('that cannot be reached returns 502', async () => {
    await open({ openai: 'http://127.0.0.1:9/v1' });
    const response = await post(hello);
    expect(response.status).toBe(502);
    expect((await errorOf(response)).code).toBe('provider_unreachable');
    expect(gateway.settled()[0]).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it.each([
    [400, 400],
    [404, 404],
    [422, 422],
  ])('that rejects with %i has its message relayed', async (status, told) => {
    await open();
    provider.answerWith(refusal(status, 'the provider’s own words'));
    const response = await post(hello);
    expect(response.status).toBe(told);
    expect(await errorOf(response)).toMatchObject({
      message: 'the provider’s own words',
      type: 'some_error',
      code: 'some_code',
    });
  });

  it('that rate limits returns 429 with its retry-after', async () => {
    await open();
    provider.answerWith(refusal(429, 'slow down', { 'retry-after': '7' }));
    const response = await post(hello);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(response.headers.get('retry-after-ms')).toBe('7000');
  });

  it('that rejects the credentials does not expose them', async () => {
    await open();
    provider.answerWith(refusal(401, 'Incorrect API key provided: provider-key'));
    const response = await post(hello);
    expect(response.status).toBe(502);
    expect(JSON.stringify(await errorOf(response))).not.toContain('provider-key');
  });

  it.each([
    ['an error page', json(500, '<html>oops</html>', { 'content-type': 'text/html' }), 502],
    ['an overload', refusal(503, 'busy'), 503],
    ['no JSON', json(200, 'not json'), 502],
    ['a JSON array', json(200, []), 502],
    ['an answer without choices', json(200, {}), 502],
    ['more members than can be parsed soon', json(200, manyMembers), 502],
    ['a compressed answer', json(200, 'x', { 'content-encoding': 'gzip' }), 502],
    ['a redirect', json(302, '', { location: 'http://127.0.0.1:1/' }), 502],
  ])('that sends %s returns a clear error', async (_name, script, status) => {
    await open();
    provider.answerWith(script);
    const response = await post(hello);
    expect(response.status).toBe(status);
    expect((await errorOf(response)).message).toMatch(/provider openai/i);
  });

  it.each([
    ['response headers', silence, { headers: 300 }, 504],
    ['first token', pieces([''], 'hang'), { firstToken: 300 }, 504],
  ])('that never sends its %s returns 504', async (stage, script, timeouts, status) => {
    await open({ timeouts });
    provider.answerWith(script);
    const response = await post({ ...hello, stream: true });
    expect(response.status).toBe(status);
    expect((await errorOf(response)).message).toContain(stage);
    await (
      await provider.nextRequest()
    ).aborted;
  });

  it('that stalls between chunks ends the stream with an error', async () => {
    await open({ timeouts: { betweenChunks: 300 } });
    provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
    const body = await (await post({ ...hello, stream: true })).text();
    expect(body).toContain('"code":"provider_timeout"');
    expect(gateway.settled()[0]).toMatchObject({ status: 'failed', error_code: 'provider_timeout' });
  });

  it('does not have its cookies or hop-by-hop headers relayed', async () => {
    await open();
    provider.answerWith(
      json(
        200,
        { choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }] },
        { 'set-cookie': 'a=b', 'proxy-authenticate': 'x' },
      ),
    );
    const response = await post(hello);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('proxy-authenticate')).toBeNull();
  });
});

describe('bad input', () => {
  it.each([
    ['no JSON', '{"model":', 400, null],
    ['an empty body', '', 400, null],
    ['null', 'null', 400, null],
    ['an array', '[]', 400, null],
    ['no model', '{"messages":[]}', 400, null],
    [
      'an unknown model',
      '{"model":"nobody/nothing","messages":[{"role":"user","content":"x"}]}',
      404,
      'model_not_found',
    ],
    [
      'an unknown sandbox model',
      '{"model":"sandbox/nothing","messages":[{"role":"user","content":"x"}]}',
      404,
      'model_not_found',
    ],
    ['no messages', '{"model":"openai/gpt-4.1-mini"}', 400, 'missing_required_parameter'],
    [
      'a temperature too high',
      '{"model":"openai/gpt-4.1-mini","messages":[{"role":"user","content":"x"}],"temperature":3}',
      400,
      'decimal_above_max_value',
    ],
    ['brackets without end', `{"model":"openai/gpt-4.1-mini","messages":${'['.repeat(50_000)}`, 400, null],
  ])('%s returns a clear error, and nothing is metered', async (_name, body, status, code) => {
    await open();
    const response = await post(body);
    expect(response.status).toBe(status);
    expect((await errorOf(response)).code).toBe(code);
    expect(gateway.settled()).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  it('an invalid key is reported before an invalid body', async () => {
    await open();
    expect((await post('{', { authorization: 'Bearer sk-sluice-wrong' })).status).toBe(401);
    expect((await post('{', { authorization: '' })).status).toBe(401);
  });

  it('another content type returns 415', async () => {
    await open();
    const response = await post('model=x', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(response.status).toBe(415);
  });

  it.each([
    ['announced', { 'content-length': String(60 * 1024 * 1024) }],
    ['sent in chunks', { 'transfer-encoding': 'chunked' }],
  ])(
    'a body above the limit, %s, returns 413 even to a client that sends it completely first',
    async (_how, headers) => {
      await open();
      const sending = request(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      });
      const answered = once(sending, 'response');
      const part = Buffer.alloc(1024 * 1024, ' ');
      for (let sent = 0; sent < 60; sent++) await new Promise((done) => sending.write(part, done));
      sending.end();
      const [response] = await answered;
      expect([response.statusCode, response.headers.connection]).toEqual([413, 'close']);
      response.resume();
      expect(provider.requests).toEqual([]);
      expect((await post(hello)).status).toBe(200);
    },
  );

  it('a model that the key may not use does not exist for it', async () => {
    await open({ key: { allowedModels: ['sandbox/chat'] } });
    expect((await post(hello)).status).toBe(404);
    expect((await post({ ...hello, model: 'sandbox/chat' })).status).toBe(200);
  });
});

describe('limits', () => {
  it('are reported in headers from the enforced state', async () => {
    await open({
      key: { limits: { requestsPerMinute: 2, tokensPerMinute: 10_000, requestsPerDay: Infinity, concurrency: 5 } },
      clock: new FakeClock(),
    });
    const remaining: (string | null)[] = [];
    for (let request = 0; request < 2; request++)
      remaining.push((await post(hello)).headers.get('x-ratelimit-remaining-requests'));
    expect(remaining).toEqual(['1', '0']);
    const refused = await post(hello);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after-ms')).toBe('30000');
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('2');
    expect(refused.headers.get('x-ratelimit-reset-requests')).toBe('1m0s');
    expect(await errorOf(refused)).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded' });
    expect(provider.requests).toHaveLength(2);
  });

  it('reserve tokens while a stream runs, and release the unused ones', async () => {
    await open({
      key: { limits: { requestsPerMinute: 100, tokensPerMinute: 1_000, requestsPerDay: Infinity, concurrency: 5 } },
      clock: new FakeClock(),
    });
    provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
    const leaving = new AbortController();
    await client.chat.completions.create({ ...hello, stream: true, max_tokens: 900 }, { signal: leaving.signal });
    expect((await post({ ...hello, max_tokens: 900 })).status).toBe(429);
    leaving.abort();
    await gateway.settledCount(1);
    provider.answerWith(completion());
    expect((await post({ ...hello, max_tokens: 900 })).status).toBe(200);
  });

  it('of a model and of the account are in the headers, whichever is exhausted first', async () => {
    const none = {
      requestsPerMinute: Infinity,
      tokensPerMinute: Infinity,
      requestsPerDay: Infinity,
      concurrency: Infinity,
    };
    await open({
      key: {
        accountLimits: { ...none, tokensPerMinute: 50_000 },
        partLimits: {
          models: new Map([['gpt-4.1-mini', { ...none, requestsPerMinute: 2 }]]),
          capabilities: new Map(),
        },
      },
      clock: new FakeClock(),
    });
    const told: (string | null)[][] = [];
    const all = ['limit-requests', 'remaining-requests', 'limit-tokens'];
    for (let request = 0; request < 2; request++) {
      const { headers } = await post({ ...hello, model: 'openai/gpt-4.1-mini' });
      told.push(all.map((name) => headers.get(`x-ratelimit-${name}`)));
    }
    expect(told).toEqual([
      ['2', '1', '50000'],
      ['2', '0', '50000'],
    ]);
    const refused = await post({ ...hello, model: 'openai/gpt-4.1-mini' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(refused.headers.get('retry-after-ms')).toBe('30000');
    expect((await errorOf(refused)).message).toContain(
      'The limit applies to this API key for the model `gpt-4.1-mini`.',
    );
    expect((await post({ ...hello, model: 'sandbox/chat' })).status).toBe(200);
  });

  it('of money report when they reset, and that earlier retries fail', async () => {
    const clock = new FakeClock(Date.parse('2026-11-21T15:00:00Z'));
    const { id, accountId } = anyKey;
    const own = { id: `key:${id}`, subject: 'key', accountId, amountNano: 1_000_000n, timeZone: 'UTC' } as const;
    const refusedWith = async (budget: Budget) => {
      await open({ key: { budgets: [budget] }, clock });
      gateway.limits.open(budget);
      gateway.limits.add(budget, budget.amountNano, clock.now());
      const refused = await post({ ...hello, max_tokens: 100 });
      const { message, code } = await errorOf(refused);
      const [after, afterMs, should] = ['retry-after', 'retry-after-ms', 'x-should-retry'].map((name) =>
        refused.headers.get(name),
      );
      return { status: refused.status, code, after, afterMs, should, message };
    };
    const daily = await refusedWith({ ...own, period: 'DAY' });
    expect(daily).toMatchObject({ status: 429, code: 'insufficient_quota', after: '32400', afterMs: '32400000' });
    expect(daily.should).toBe('false');
    expect(daily.message).toContain('The quota resets at 2026-11-22T00:00:00Z.');
    await gateway.close();
    const monthly = await refusedWith({ ...own, period: 'MONTH' });
    expect(monthly).toMatchObject({ code: 'insufficient_quota', after: null, afterMs: null, should: 'false' });
    expect(monthly.message).toContain('The quota resets at 2026-12-01T00:00:00Z.');
  });

  it('limit concurrency, and release each slot', async () => {
    await open({
      key: { limits: { requestsPerMinute: 100, tokensPerMinute: 100_000, requestsPerDay: Infinity, concurrency: 1 } },
    });
    provider.answerWith(silence);
    const leaving = new AbortController();
    const first = client.chat.completions.create(hello, { signal: leaving.signal });
    await provider.nextRequest();
    const refused = await post(hello);
    expect(refused.status).toBe(429);
    expect((await errorOf(refused)).message).toContain('concurrent requests');
    leaving.abort();
    await expect(first).rejects.toThrow();
    await gateway.settledCount(1);
    provider.answerWith(completion());
    expect((await post(hello)).status).toBe(200);
  });
});

describe('shutdown', () => {
  it('lets open streams complete within the drain limit', async () => {
    await open();
    const closing = Promise.withResolvers<void>();
    provider.answerWith(async (_request, response) => {
      const [role = '', first = '', ...rest] = streamEvents(['One', 'Two'], true);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(role + first);
      await closing.promise;
      response.end(rest.join(''));
    });
    const response = await post({ ...hello, stream: true });
    const stopping = gateway.pipeline.stop(600_000);
    expect((await post(hello)).status).toBe(503);
    closing.resolve();
    expect(await response.text()).toContain('[DONE]');
    await stopping;
    expect(gateway.settled()[0]).toMatchObject({ status: 'succeeded' });
  });

  it('ends open streams with a settled error, and accepts no new request', async () => {
    await open();
    provider.answerWith(pieces([chunk({ content: 'One' })], 'hang'));
    const response = await post({ ...hello, stream: true });
    const stopping = gateway.pipeline.stop(50);
    expect((await post(hello)).status).toBe(503);
    expect(await response.text()).toContain('"code":"shutting_down"');
    await stopping;
    expect(gateway.settled()[0]).toMatchObject({ status: 'failed', error_code: 'shutting_down', estimated: true });
  });
});
