import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classify } from '../../../../src/gateway/routing/health/failure-class.ts';
import { SluiceError } from '../../../../src/errors/index.ts';
import { completion, refusal, startFakeProvider, stream, type FakeProvider } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

let first: FakeProvider;
let second: FakeProvider;
let gateway: TestGateway;

beforeEach(async () => {
  first = await startFakeProvider();
  second = await startFakeProvider();
  const config = `
routes:
  limits: { targets: [first/a, second/b] }
  claude: { targets: [first/a, anthropic/claude-sonnet-4-5] }
`;
  const anthropic = first.url.replace('/v1', '/anthropic');
  gateway = await startGateway({ config, providers: { first: first.url, second: second.url, anthropic } });
});

afterEach(async () => {
  await gateway.close();
  await first.close();
  await second.close();
});

const messages = [{ role: 'user' as const, content: 'Hello' }];

function ask(body: Record<string, unknown>): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages, ...body }),
  });
}

const claudeAnswer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 1 },
};

describe('names of parameters that are dropped', () => {
  it.each([false, true])(
    'are reported whatever they contain, and however many there are (streamed: %s)',
    async (streamed) => {
      first.answerWith((_request, response) => {
        response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
        const events = [
          { type: 'message_start', message: { ...claudeAnswer, content: [], stop_reason: null } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hello' } },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
          { type: 'message_stop' },
        ];
        response.end(
          streamed
            ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
            : JSON.stringify(claudeAnswer),
        );
      });
      const odd = Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`odd ä\r\n${index} ${'x'.repeat(300)}`, 1]),
      );
      const answer = await ask({
        model: 'anthropic/claude-sonnet-4-5',
        stream: streamed,
        ...odd,
        ['\ud800']: 1,
        seed: 7,
      });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('Hello');
      const dropped = answer.headers.get('x-sluice-dropped-params') ?? '';
      expect(dropped).toMatch(/^odd/);
      expect(dropped).toMatch(/, \d+ more$/);
      expect(dropped.length).toBeLessThan(20_000);
      expect((await ask({ model: 'sandbox/chat' })).status).toBe(200);
    },
  );
});

describe('a model’s name', () => {
  it('is rejected immediately when it is too long', async () => {
    const answer = await ask({ model: `first/${'x'.repeat(1_000_000)}` });
    expect(answer.status).toBe(404);
    expect((await answer.text()).length).toBeLessThan(1_000);
  });
});

describe('continuous rate limits', () => {
  it('cause at most 1.2 attempts per request over two targets', async () => {
    for (const provider of [first, second]) provider.answerWith(refusal(429, 'slow down', { 'retry-after-ms': '1' }));
    for (let request = 0; request < 60; request++) expect((await ask({ model: 'limits' })).status).toBe(429);
    expect(first.requests.length + second.requests.length).toBeLessThanOrEqual(72);
  });
});

describe('a target that cannot accept the request', () => {
  it('returns the error of the previous target', async () => {
    first.answerWith((request, response) =>
      (request.path.includes('anthropic') ? completion() : refusal(503, 'overloaded'))(request, response),
    );
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const answer = await ask({ model: 'claude', messages: [{ role: 'user', content: [audio] }] });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('overloaded');
  });
});

describe('requests that fell back from a dead target', () => {
  it('continue as soon as the first of them has output, not at its end', async () => {
    first.answerWith(refusal(500, 'broken'));
    second.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n');
      await second.whenRequested(20);
      response.end('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    });
    const client = new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const texts = await Promise.all(
      Array.from({ length: 20 }, async () => {
        let text = '';
        for await (const part of await client.chat.completions.create({ model: 'limits', messages, stream: true }))
          text += part.choices[0]?.delta.content ?? '';
        return text;
      }),
    );
    expect(new Set(texts)).toEqual(new Set(['a']));
    second.answerWith(stream(['b']));
  });
});

describe('the class of a failure', () => {
  it.each([
    [{ status: 429, message: 'm', type: 't', code: null }, 'limited'],
    [{ status: 429, message: 'm', type: 't', code: 'insufficient_quota' }, 'quota'],
    [{ status: 402, message: 'm', type: 't', code: null }, 'quota'],
    [{ status: 404, message: 'm', type: 't', code: null }, 'missing'],
    [{ status: 400, message: 'm', type: 't', code: null }, 'client'],
    [{ status: 400, message: 'maximum context length is 8192 tokens', type: 't', code: null }, 'context'],
  ])('of %j is %s', (upstream, expected) => {
    expect(classify(new SluiceError('provider_error', { upstream }))).toBe(expected);
  });
});
