import express from 'express';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExpressServer, closeIdleConnections } from '../../../src/rest/http/express-server.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const IDLE_MS = 200;
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;

describe('connections that are idle', () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const app = express()
    .get('/quick', (_request, response) => void response.send('quick'))
    .get('/slow', async (_request, response) => {
      asked.resolve();
      await answer.promise;
      response.send('slow');
    });
  const server = createExpressServer(app, () => false);
  let socket: Socket;
  let accepted: Socket;
  let answered: string;

  closeIdleConnections(server, IDLE_MS, clock);

  beforeEach(async () => {
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen on a port');
    const connected = once(server, 'connection');
    socket = connect(address.port, '127.0.0.1');
    [accepted] = await connected;
    answered = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answered += text));
  });

  afterEach(() => socket.destroy());
  afterAll(() => server.close());

  it('are closed, before their first request too', async () => {
    clock.advance(IDLE_MS - 1);
    expect(accepted.destroyed).toBe(false);
    clock.advance(1);
    expect(accepted.destroyed).toBe(true);
    await once(socket, 'close');
    expect(answered).toBe('');
  });

  it('stay open for the next request, and close without one', async () => {
    for (let count = 0; count < 2; count++) {
      socket.write(request('/quick'));
      await once(socket, 'data');
      // Counted from the next check: this one detects the traffic.
      clock.advance(IDLE_MS);
      expect(accepted.destroyed).toBe(false);
    }
    clock.advance(IDLE_MS);
    expect(accepted.destroyed).toBe(true);
    await once(socket, 'close');
    expect(answered.match(/200 OK/g)).toHaveLength(2);
  });

  it('stay open while a response is pending, however long it takes', async () => {
    socket.write(request('/slow'));
    await asked.promise;
    clock.advance(IDLE_MS * 10);
    expect(accepted.destroyed).toBe(false);
    answer.resolve();
    await once(socket, 'data');
    expect(answered).toContain('200 OK');
    clock.advance(IDLE_MS * 2);
    expect(accepted.destroyed).toBe(true);
    await once(socket, 'close');
  });
});
