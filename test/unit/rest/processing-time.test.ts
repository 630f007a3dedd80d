import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeClock } from '../../harness/fake-clock.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { RawHttp } from '../../harness/raw-http.ts';
import { unstoredResponses } from '../../harness/unstored-responses.ts';

const clock = new FakeClock();
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    pipelineClock: clock,
    rest: unstoredResponses,
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
