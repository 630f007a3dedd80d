import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResponseRouteDependencies } from '../../../src/rest/responses/route-dependencies.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { RawHttp } from '../../harness/raw-http.ts';

const clock = new FakeClock();
let gateway: TestGateway;

const unreached = (): never => expect.fail('nothing that is stored is asked for');

beforeAll(async () => {
  gateway = await startGateway({
    pipelineClock: clock,
    rest: ({ limits, pipeline, idempotency }): { responses: ResponseRouteDependencies } => ({
      responses: {
        limits,
        pipeline,
        idempotency,
        keys: { onRevoked: unreached },
        access: { reachOf: unreached },
        objects: { find: unreached, record: unreached, forget: unreached },
        conversations: { content: unreached, addSoon: unreached },
        connections: { connection: unreached },
        earlier: { needs: () => false, resolve: unreached, conversation: unreached },
        runs: { start: async () => ({ id: 'resp_1', status: 'queued' }), cancel: unreached },
        responses: {
          storeSoon: unreached,
          get: unreached,
          watch: unreached,
          remove: unreached,
          requestCancel: unreached,
          ended: unreached,
        },
      },
    }),
  });
});

afterAll(() => gateway.close());

const chat = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] };
const background = { model: 'sandbox/chat', input: 'Hello', background: true };

it.each([
  ['an answer', '/v1/chat/completions', JSON.stringify(chat), 200],
  ['an error', '/v1/chat/completions', '{', 400],
  ['a response in the background', '/v1/responses', JSON.stringify(background), 200],
])('%s reports the duration of its request from the first byte', async (_name, path, body, status) => {
  const client = await RawHttp.open(gateway.url);
  const hasHead = once(gateway.server, 'request');
  client.send(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${secret}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  await hasHead;
  clock.advance(150);
  client.send(body);
  const answer = await client.answer();
  client.close();
  expect([answer.status, answer.headers.get('openai-processing-ms')]).toEqual([status, '150']);
});
