import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/calendar/clock.ts';
import { chat } from '../../../../src/gateway/capabilities/chat/chat.ts';
import { openResponse, responseEncoder } from '../../../../src/gateway/capabilities/responses/open-response.ts';
import type { ResponseHead } from '../../../../src/gateway/client-response.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { decodeResponsesRequest } from '../../../../src/protocols/responses/decode-request.ts';
import { responseNames } from '../../../../src/services/responses/response-id.ts';
import { startFakeProvider } from '../../../harness/fake-provider.ts';
import { startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { messageOf } from '../../providers/anthropic/ask.ts';
import { replayDocument } from '../../providers/replay.ts';

const message = messageOf([
  { type: 'text', text: 'Good day' },
  { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Bern' } },
]);
const model = 'anthropic/claude-sonnet-4-5';

interface Received {
  readonly cache: ResponseHead['cache'];
  readonly body: string;
}

type Ask = (gateway: TestGateway) => Promise<Received>;

function callOf({ key }: TestGateway) {
  const ids = { ...newEventIds(), eventId: '019ab000-0000-7000-8000-000000000001' };
  return { key, ...ids, startedAt: systemClock.monotonic(), cacheMs: null, tags: null, watch: null };
}

/** Without the time of day. */
function fixed(body: string): string {
  return body.replaceAll(/"(created|created_at|completed_at)":\d+/g, '"$1":0');
}

const asChat: Ask = (gateway) =>
  new Promise((resolve, reject) => {
    let cache: ResponseHead['cache'] = null;
    const response = {
      head: (head: ResponseHead) => void (cache = head.cache),
      write: () => true,
      end: (bytes: Buffer | null) => resolve({ cache, body: fixed(String(bytes)) }),
      fail: reject,
      abort: reject,
    };
    const body = Buffer.from(JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }));
    gateway.pipeline.open(chat, { ...callOf(gateway), response }, body);
  });

const asResponse: Ask = (gateway) =>
  new Promise((resolve, reject) => {
    let cache: ResponseHead['cache'] = null;
    const sink = {
      head: (head: ResponseHead) => void (cache = head.cache),
      send: () => true,
      end: (response: object) => resolve({ cache, body: fixed(JSON.stringify(response)) }),
      refuse: reject,
      abort: reject,
    };
    const call = callOf(gateway);
    const request = decodeResponsesRequest({ model, input: 'Hello', store: false });
    openResponse(
      gateway.pipeline,
      call,
      request,
      sink,
      responseEncoder(gateway.pipeline, responseNames, call, request),
    );
  });

describe('the cache', () => {
  it.each([
    ['a chat', asChat],
    ['a response', asResponse],
  ])('replays the translated answer of %s to clients of both protocols', async (_, askFirst) => {
    const upstream = await startFakeProvider(replayDocument(JSON.stringify(message)));
    const options = { providers: { anthropic: upstream.url } };
    const uncached = await startGateway(options);
    const gateway = await startGateway({ ...options, key: { cacheMs: 60_000 } });
    try {
      const [chatBody, responseBody] = [(await asChat(uncached)).body, (await asResponse(uncached)).body];
      expect(responseBody).toContain(String.raw`"arguments":"{\"city\":\"Bern\"}"`);
      expect(await askFirst(gateway)).toEqual({ cache: 'miss', body: askFirst === asChat ? chatBody : responseBody });
      expect(await asChat(gateway)).toEqual({ cache: 'hit', body: chatBody });
      const free = responseBody.replace(/"cost":[\d.]+/, '"cost":0');
      expect(await asResponse(gateway)).toEqual({ cache: 'hit', body: free });
      expect(upstream.requests).toHaveLength(3);
      for (const settled of await gateway.settledCount(3))
        expect(settled).toMatchObject({ input_tokens: 3, output_tokens: 2 });
    } finally {
      await Promise.all([gateway.close(), uncached.close()]);
      await upstream.close();
    }
  });
});
