import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import type { WebSocket } from 'ws';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundGuard } from '../../../../src/outbound/guard.ts';
import { guardedDial, type ResolveName } from '../../../../src/outbound/guarded-dial.ts';
import { openWebSocket } from '../../../../src/providers/shared/http/web-socket.ts';
import { startFakeSocketProvider, type FakeSocketProvider } from '../../../harness/fake-socket-provider.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/tls/${name}`, import.meta.url), 'utf8');
const tls = { key: fixture('localhost.key.pem'), cert: fixture('localhost.cert.pem') };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function provider(options: typeof tls | null = null): Promise<FakeSocketProvider> {
  const started = await startFakeSocketProvider(options);
  closers.push(() => started.close());
  return started;
}

function opened(
  url: string,
  { dial = buildConnector({ timeout: 5_000 }) }: { dial?: buildConnector.connector } = {},
): WebSocket {
  const headers = ['authorization', 'Bearer sk-of-the-operator', 'x-of-the-client', '1'];
  const socket = openWebSocket({ url: new URL(`${url}/responses?a=1`), headers, dial, timeoutMs: 5_000 });
  closers.push(async () => socket.terminate());
  return socket;
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
    const known = getCACertificates('default');
    setDefaultCACertificates([...known, tls.cert]);
    try {
      const { url, sockets } = await provider(tls);
      const address = new URL(url);
      const socket = opened(`https://localhost:${address.port}/v1`);
      const [answer] = await once(socket, 'upgrade');
      expect(answer.socket).toBeInstanceOf(TLSSocket);
      expect(answer.socket).toMatchObject({ authorized: true, alpnProtocol: 'http/1.1', servername: 'localhost' });
      await once(socket, 'open');
      expect(sockets[0]?.headers.host).toBe(`localhost:${address.port}`);
    } finally {
      setDefaultCACertificates(known);
    }
  });

  it('is not opened to a server whose certificate is not trusted, or is of another name', async () => {
    const { url, sockets } = await provider(tls);
    const { port } = new URL(url);
    expect(await failure(opened(`https://localhost:${port}/v1`))).toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    const known = getCACertificates('default');
    setDefaultCACertificates([...known, tls.cert]);
    try {
      expect(await failure(opened(url))).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    } finally {
      setDefaultCACertificates(known);
    }
    expect(sockets).toHaveLength(0);
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
