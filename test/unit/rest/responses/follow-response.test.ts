import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import express from 'express';
import { expect, it } from 'vitest';
import { followResponse } from '../../../../src/rest/responses/follow-response.ts';
import { SluiceError } from '../../../../src/errors/index.ts';
import { key } from '../../../harness/gateway.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { readEvents } from '../../../harness/read-events.ts';

const EVENT_BYTES = 1024 * 1024;
const EVENTS = 64;

it('reads events of a response only as fast as its client', async () => {
  const waiting: number[] = [];
  const app = express().get('/', (_request, response) => {
    response.locals.key = key;
    async function* events(): AsyncGenerator<string> {
      for (let at = 0; at < EVENTS; at++) {
        waiting.push(response.writableLength);
        yield JSON.stringify({ type: 'response.output_text.delta', delta: 'x'.repeat(EVENT_BYTES) });
      }
    }
    const responses = { get: async () => null, watch: events };
    return followResponse(
      { responses, keys: { onRevoked: () => () => undefined } },
      response,
      { accountId: key.accountId, apiKeyId: null },
      'resp_1',
      -1,
    );
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const [answer]: [IncomingMessage] = await new Promise((done, fail) => {
    get({ port: address.port, host: '127.0.0.1', agent: false }, (...args) => done(args)).on('error', fail);
  });
  let received = 0;
  for await (const part of answer) received += part.length;
  expect(received).toBeGreaterThan(EVENTS * EVENT_BYTES);
  expect(waiting).toHaveLength(EVENTS);
  expect(Math.max(...waiting)).toBeLessThan(EVENT_BYTES);
  server.close();
});

it('ends a stream that cannot be continued with an error event with the next sequence number', async () => {
  const told = { type: 'response.output_text.delta', sequence_number: 4, delta: 'A' };
  const app = express().get('/', (_request, response) => {
    response.locals.key = key;
    async function* events(): AsyncGenerator<string> {
      yield JSON.stringify(told);
      throw new SluiceError('database_unavailable');
    }
    return followResponse(
      { responses: { get: async () => null, watch: events }, keys: { onRevoked: () => () => undefined } },
      response,
      { accountId: key.accountId, apiKeyId: null },
      'resp_1',
      3,
    );
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const text = await (await fetch(`http://127.0.0.1:${address.port}/`)).text();
  server.closeAllConnections();
  server.close();
  const [, last] = readEvents(text);
  expect(last?.event).toBe('error');
  const event: unknown = JSON.parse(last?.data ?? '');
  expectOpenAi('ResponseStreamEvent', event);
  expect(event).toMatchObject({ sequence_number: 5, code: 'database_unavailable' });
});
