import express from 'express';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConnectionRoom } from '../../../src/descriptors/descriptors.ts';
import { GatewayMetrics } from '../../../src/gateway/metrics/metrics.ts';
import { ConnectionLimit } from '../../../src/rest/connections/connection-limit.ts';
import { renderErrors } from '../../../src/rest/http/errors.ts';
import { createExpressServer } from '../../../src/rest/http/express-server.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const MESSAGE = 'This server is out of file descriptors, so it rejected the request. Send it again in a few seconds.';
const openAiError = {
  error: { message: MESSAGE, type: 'service_unavailable', param: null, code: 'resources_exhausted' },
};
const anthropicError = { type: 'error', error: { type: 'overloaded_error', message: MESSAGE } };
const googleError = { error: { code: 503, message: MESSAGE, status: 'UNAVAILABLE' } };

describe('a server without room for connections', () => {
  let room: ConnectionRoom;
  let clock: FakeClock;
  let server: Server;
  let limit: ConnectionLimit;
  let metrics: GatewayMetrics;
  let logged: object[];
  let served: number;
  let port: number;

  beforeEach(async () => {
    room = 'refusal';
    clock = new FakeClock();
    metrics = new GatewayMetrics();
    logged = [];
    served = 0;
    const app = express().use((_request, response) => {
      served++;
      response.send('served');
    });
    const log = { error: (fields: object) => void logged.push(fields) };
    limit = new ConnectionLimit({ roomFor: () => room }, (error) => log.error({ code: error.code }), clock);
    server = createExpressServer(
      app,
      limit.before(() => false, renderErrors(log, metrics)),
    );
    limit.watch(server);
    server.on('upgrade', (_request, socket) => {
      if (!socket.writableEnded) socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, init);
  const post = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    send(path, { method: 'POST', headers, body: 'x'.repeat(300_000) });
  const raw = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    socket.write(text);
    let received = '';
    for await (const chunk of socket) received += chunk;
    return received;
  };

  it.each([
    ['/v1/chat/completions', {}, openAiError],
    ['/v1/responses', {}, openAiError],
    ['/v1/messages?beta=true', {}, anthropicError],
    ['/v1/messages/count_tokens', {}, anthropicError],
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', {}, googleError],
    ['/v1/models/gemini-2.5-flash:generateContent', {}, googleError],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }, anthropicError],
    ['/graphql', {}, openAiError],
  ])('answers %s with 503 in the protocol of the client, and closes', async (path, headers, body) => {
    const response = await post(path, headers);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject(body);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(response.headers.get('connection')).toBe('close');
    expect(limit.refused).toBe(1);
    expect(metrics.errors.get('resources_exhausted')).toBe(1);
  });

  it('still tells probes how it is', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect(await (await send(path)).text()).toBe('served');
  });

  it('serves connections again once there is room', async () => {
    expect((await post('/v1/chat/completions')).status).toBe(503);
    room = 'full';
    expect(await (await post('/v1/chat/completions')).text()).toBe('served');
    expect(limit.refused).toBe(1);
  });

  it('opens no WebSocket', async () => {
    const upgrade = 'GET /graphql HTTP/1.1\r\nhost: here\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    expect(await raw(upgrade)).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\nretry-after: 2\r\n/);
  });

  it('answers without reading a request where nothing is left, and says so in the log', async () => {
    room = 'none';
    const received = await raw('');
    expect(received).toMatch(
      /^HTTP\/1\.1 503 Service Unavailable\r\nretry-after: 2\r\n[^]*\r\ncache-control: no-store\r\nconnection: close\r\n/,
    );
    expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toEqual(openAiError);
    expect(logged).toEqual([{ code: 'resources_exhausted' }]);
  });

  it('serves no request of a connection that it closes', async () => {
    room = 'none';
    const request = 'POST /v1/chat/completions HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n{}';
    const received = await raw(request + request);
    expect(received.match(/^HTTP\/1\.1 503 /gm)).toHaveLength(1);
    expect(served).toBe(0);
  });

  it('logs many rejected requests in one line', async () => {
    for (let count = 0; count < 20; count++) await post('/v1/chat/completions');
    expect(logged).toEqual([expect.objectContaining({ code: 'resources_exhausted', requestsSinceLastLine: 1 })]);
  });

  it('closes a connection that sends no request', async () => {
    const accepted = once(server, 'connection');
    const socket = connect(port, '127.0.0.1');
    await accepted;
    clock.advance(4_999);
    expect(socket.destroyed).toBe(false);
    clock.advance(1);
    await once(socket, 'close');
  });
});
