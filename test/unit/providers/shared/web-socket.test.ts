import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { WebSocket } from 'ws';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../../src/calendar/clock.ts';
import { OutboundGuard } from '../../../../src/outbound/guard.ts';
import { guardedDial, type ResolveName } from '../../../../src/outbound/guarded-dial.ts';
import { openWebSocket } from '../../../../src/providers/shared/http/web-socket.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { startFakeSocketProvider, type FakeSocketProvider } from '../../../harness/fake-socket-provider.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const tls = { key: fixture('localhost.key.pem'), cert: fixture('localhost.cert.pem') };
const addressTls = { key: fixture('address.key.pem'), cert: fixture('address.cert.pem') };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

function trust(certificate: string): void {
  const known = getCACertificates('default');
  setDefaultCACertificates([...known, certificate]);
  closers.push(async () => setDefaultCACertificates(known));
}

/** Accepts a connection and sends nothing. */
async function silentServer(): Promise<{ url: string; accepted: Promise<Socket> }> {
  const server = createServer();
  const accepted = new Promise<Socket>((resolve) =>
    server.once('connection', (peer) => {
      // Read, so that its end is noticed.
      peer.resume().on('error', () => undefined);
      closers.push(async () => peer.destroy());
      resolve(peer);
    }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => server.close());
  return { url: `https://127.0.0.1:${portOf(server)}/v1`, accepted };
}

async function provider(options: typeof tls | null = null): Promise<FakeSocketProvider> {
  const started = await startFakeSocketProvider(options);
  closers.push(() => started.close());
  return started;
}

function opened(
  url: string,
  { dial = buildConnector({ timeout: 5_000 }), clock }: { dial?: buildConnector.connector; clock?: Clock } = {},
): WebSocket {
  const headers = ['authorization', 'Bearer sk-of-the-operator', 'x-of-the-client', '1'];
  const socket = openWebSocket({
    url: new URL(`${url}/responses?a=1`),
    headers,
    dial,
    timeoutMs: 5_000,
    ...(clock && { clock }),
  });
  closers.push(async () => socket.terminate());
  return socket;
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function guarded(allow: readonly string[], resolve?: ResolveName): { dial: buildConnector.connector } {
  return {
    dial: guardedDial({ guard: new OutboundGuard(allow), connectTimeoutMs: 5_000, ...(resolve && { resolve }) }),
  };
}

async function failure(socket: WebSocket): Promise<unknown> {
  const [error]: unknown[] = await once(socket, 'error');
  return error;
}

describe('a WebSocket to a provider', () => {
  it('has the path, the query, the host and the headers of a request', async () => {
    const { url, sockets } = await provider();
    await once(opened(url), 'open');
    expect(sockets[0]).toMatchObject({
      path: '/v1/responses?a=1',
      headers: { host: new URL(url).host, authorization: 'Bearer sk-of-the-operator', 'x-of-the-client': '1' },
    });
  });

  it('uses HTTP/1.1 over TLS, where the server prefers HTTP/2', async () => {
    trust(tls.cert);
    const { url, sockets } = await provider(tls);
    const address = new URL(url);
    const socket = opened(`https://localhost:${address.port}/v1`);
    const [[answer]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')]);
    expect(answer.socket).toBeInstanceOf(TLSSocket);
    expect(answer.socket).toMatchObject({ authorized: true, alpnProtocol: 'http/1.1', servername: 'localhost' });
    expect(sockets[0]?.headers.host).toBe(`localhost:${address.port}`);
  });

  it('is opened to an address whose certificate is of that address', async () => {
    trust(addressTls.cert);
    const { url } = await provider(addressTls);
    const socket = opened(url);
    const [[answer]] = await Promise.all([once(socket, 'upgrade'), once(socket, 'open')]);
    expect(answer.socket).toMatchObject({ authorized: true });
  });

  it('is not opened to a server whose certificate is not trusted', async () => {
    const { url, sockets } = await provider(tls);
    expect(await failure(opened(`https://localhost:${new URL(url).port}/v1`))).toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(sockets).toHaveLength(0);
  });

  it.each([
    ['an address', '127.0.0.1', tls],
    ['a name', 'localhost', addressTls],
  ])('is not opened to %s whose certificate is of another host', async (_case, host, credentials) => {
    trust(credentials.cert);
    const { url, sockets } = await provider(credentials);
    expect(await failure(opened(`https://${host}:${new URL(url).port}/v1`))).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
    expect(sockets).toHaveLength(0);
  });

  it('fails where the TLS handshake takes too long', async () => {
    const { url, accepted } = await silentServer();
    const clock = new FakeClock();
    const socket = opened(url, { clock });
    const peer = await accepted;
    await clock.whenPending(1);
    clock.advance(5_000);
    expect(await failure(socket)).toMatchObject({ message: expect.stringContaining('TLS handshake') });
    await once(peer, 'close');
  });

  it('leaves no TCP socket where it closes during the TLS handshake', async () => {
    const { url, accepted } = await silentServer();
    const clock = new FakeClock();
    const socket = opened(url, { clock });
    socket.on('error', () => undefined);
    const peer = await accepted;
    await clock.whenPending(1);
    socket.terminate();
    await once(peer, 'close');
    expect(clock.pending).toBe(0);
  });

  it('leaves no TCP socket where it closes before that is dialled', async () => {
    const { url, accepted } = await silentServer();
    const dialled = Promise.withResolvers<() => void>();
    const connect = buildConnector({ timeout: 5_000 });
    const socket = opened(url, {
      dial: (options, callback) => dialled.resolve(() => connect(options, callback)),
    });
    socket.on('error', () => undefined);
    const dial = await dialled.promise;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.terminate();
    await closed;
    dial();
    await once(await accepted, 'close');
  });

  it('is dialled under the guard against private addresses', async () => {
    const { url, sockets } = await provider();
    const { port } = new URL(url);
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '2130706433'])
      for (const scheme of ['http', 'https'])
        expect(await failure(opened(`${scheme}://${host}:${port}`, guarded([])))).toMatchObject({
          code: 'outbound_refused',
        });
    const rebinding = guarded([], async () => ['8.8.8.8', '127.0.0.1']);
    expect(await failure(opened(`http://models.example.com:${port}`, rebinding))).toMatchObject({
      code: 'outbound_refused',
    });
    expect(sockets).toHaveLength(0);
    await once(opened(url, guarded([`127.0.0.1:${port}`])), 'open');
  });
});
