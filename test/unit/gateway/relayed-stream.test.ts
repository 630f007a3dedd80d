import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CompletionUpdate } from '../../../src/live/events.ts';
import { pieces, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

let provider: FakeProvider;
let gateway: TestGateway;

beforeEach(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({
    providers: {
      anthropic: provider.url,
      gemini: provider.url,
      responder: { baseUrl: provider.url, options: { api: 'responses' } },
    },
  });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const named = (type: string, members: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

const messages = {
  start: named('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [],
      usage: { input_tokens: 7, output_tokens: 1 },
    },
  }),
  texts: [
    named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hello' } }),
    named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: ' there' } }),
  ],
  end: [
    named('content_block_stop', { index: 0 }),
    named('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }),
    named('message_stop', {}),
  ],
};
const google = (parts: object[], more: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3 }, modelVersion: 'g' })}\r\n\r\n`;

/** For each protocol: a request, the provider's first event, those with its output, and the last ones. */
const protocols = [
  {
    protocol: 'Messages',
    path: '/v1/messages',
    body: { model: 'anthropic/claude', max_tokens: 50, stream: true, messages: [{ role: 'user', content: 'Hi' }] },
    ...messages,
  },
  {
    protocol: 'Gemini',
    path: '/v1beta/models/gemini/g:streamGenerateContent?alt=sse',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    start: '',
    texts: [google([{ text: 'Hello' }]), google([{ text: ' there' }])],
    end: [google([{ text: '' }], { finishReason: 'STOP' })],
  },
];

function post(path: string, body: object): Promise<Response> {
  return fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe.each(protocols)('a stream that is relayed as $protocol', ({ path, body, start, texts, end }) => {
  it('is shown to live subscribers as its provider sends it', async () => {
    const updates: CompletionUpdate[] = [];
    const feed = gateway.live.subscribe(gateway.key.accountId, null, new AbortController().signal);
    const first = feed.next();
    provider.answerWith(pieces([start, ...texts, ...end].filter(Boolean), 'end'));
    await (await post(path, body)).text();
    for (let item = await first; !item.done; item = await feed.next()) {
      if (item.value.type === 'gap') continue;
      updates.push(item.value.event.update);
      if (['succeeded', 'failed', 'aborted', 'finished'].includes(updates.at(-1)?.type ?? '')) break;
    }
    const shown = updates.flatMap((update) => (update.type === 'delta' ? [update.text] : []));
    expect(shown.join('')).toBe('Hello there');
  });

  it('is billed by what had arrived when its client disconnects', async () => {
    provider.answerWith(pieces([start, ...texts].filter(Boolean), 'hang'));
    const client = httpRequest(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    });
    client.on('error', () => undefined);
    client.end(JSON.stringify(body));
    const [response] = await once(client, 'response');
    await once(response, 'data');
    client.destroy();
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', input_tokens: 7 });
    expect(record?.output_tokens).toBeGreaterThan(0);
    await provider.requests[0]?.aborted;
  });

  it('ends with an error of the protocol where its provider breaks off', async () => {
    provider.answerWith(pieces([start, ...texts].filter(Boolean), 'cut'));
    const text = await (await post(path, body)).text();
    expect(text.startsWith([start, ...texts].join(''))).toBe(true);
    expect(text.slice([start, ...texts].join('').length)).toMatch(/^(event: error\n)?data: \{.*"error":\{/);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', error_code: 'provider_stream_cut' });
  });

  it('is taken over by another target while nothing of it was sent', async () => {
    await gateway.close();
    gateway = await startGateway({
      providers: { anthropic: provider.url, gemini: provider.url },
      config: `
routes:
  both: { targets: [{ model: anthropic/claude }, { model: gemini/g }] }
`,
    });
    const isFirst = path.includes('messages');
    const broken = isFirst ? messages.start : '';
    provider.answerWith((request, response) => {
      if (request.path.includes('messages')) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(broken || ': alive\n\n', () => response.socket?.destroy());
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end([google([{ text: 'Hello there' }], { finishReason: 'STOP' })].join(''));
    });
    const target = isFirst ? path : '/v1beta/models/both:streamGenerateContent?alt=sse';
    const text = await (await post(target, isFirst ? { ...body, model: 'both' } : body)).text();
    expect(text).toContain('Hello there');
    expect(text).not.toContain('"error"');
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'succeeded', model: 'gemini/g' });
  });
});
