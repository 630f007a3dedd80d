import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createExpressServer } from '../../../src/rest/express-server.ts';
import { closeIdleConnections } from '../../../src/rest/idle-connections.ts';

const IDLE_MS = 200;
const SLOW_MS = IDLE_MS * 4;
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: here\r\n\r\n`;

describe('connections that are idle', () => {
  const app = express()
    .get('/quick', (_request, response) => void response.send('quick'))
    .get('/slow', async (_request, response) => {
      await sleep(SLOW_MS);
      response.send('slow');
    });
  const server = createExpressServer(app, () => false);
  let socket: Socket;
  let answered: string;

  closeIdleConnections(server, IDLE_MS);

  beforeEach(async () => {
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen on a port');
    socket = connect(address.port, '127.0.0.1');
    answered = '';
    socket.setEncoding('latin1').on('data', (text: string) => (answered += text));
  });

  afterEach(() => socket.destroy());
  afterAll(() => server.close());

  it('are closed, before their first request too', async () => {
    await once(socket, 'close');
    expect(answered).toBe('');
  });

  it('are kept for the next request, and closed when none comes', async () => {
    socket.write(request('/quick'));
    await once(socket, 'data');
    socket.write(request('/quick'));
    await once(socket, 'close');
    expect(answered.match(/200 OK/g)).toHaveLength(2);
  });

  it('are none while an answer is awaited, however long it takes', async () => {
    socket.write(request('/slow'));
    await once(socket, 'data');
    expect(answered).toContain('200 OK');
    await once(socket, 'close');
  });
});
