import express from 'express';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { closeAfterResponses, createExpressServer } from '../../../src/rest/http/express-server.ts';
import { RawHttp } from '../../harness/raw-http.ts';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;

let asked: PromiseWithResolvers<void>;
let answer: PromiseWithResolvers<void>;
let server: ReturnType<typeof createExpressServer>;
let client: RawHttp;

beforeEach(async () => {
  [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const app = express()
    .get('/quick', (_request, response) => void response.send('quick'))
    .get('/slow', async (_request, response) => {
      asked.resolve();
      await answer.promise;
      response.send('slow');
    })
    .get('/stream', async (_request, response) => {
      response.write('half');
      asked.resolve();
      await answer.promise;
      response.end('whole', () => server.emit('stream ended'));
    });
  server = createExpressServer(app, () => false);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  client = await RawHttp.open(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

it('closes a connection after the response to its next request', async () => {
  closeAfterResponses(server);
  client.send(get('/quick'));
  expect(await client.rest()).toMatch(/^HTTP\/1.1 200 OK[^]*Connection: close\r\n[^]*quick$/);
});

it('closes a connection after a response that is pending', async () => {
  client.send(get('/slow'));
  await asked.promise;
  closeAfterResponses(server);
  answer.resolve();
  expect(await client.rest()).toMatch(/^HTTP\/1.1 200 OK[^]*Connection: close\r\n[^]*slow$/);
});

it('answers one more request on a connection whose response has begun', async () => {
  client.send(get('/stream'));
  await asked.promise;
  closeAfterResponses(server);
  const ended = once(server, 'stream ended');
  answer.resolve();
  await ended;
  client.send(get('/quick'));
  const answers = await client.rest();
  expect(answers).toMatch(/whole[^]*HTTP\/1.1 200 OK[^]*quick$/);
  expect(answers.match(/Connection: close/g)).toHaveLength(1);
});
