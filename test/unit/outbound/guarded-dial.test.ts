import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { guardedDial, type ResolveName } from '../../../src/outbound/guarded-dial.ts';
import { json, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function provider(
  script = json(200, { ok: true }),
): Promise<FakeProvider & { port: string; sockets: () => number }> {
  const fake = await startFakeProvider(script);
  closers.push(() => fake.close());
  return { ...fake, port: new URL(fake.url).port, sockets: () => fake.requests.length };
}

/** Counts connections, and sends nothing. */
async function listener(server: Server = createServer()): Promise<{ port: number; seen: () => number }> {
  let seen = 0;
  server.on('connection', (socket) => {
    seen++;
    socket.on('error', () => undefined);
    closers.push(async () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => server.close());
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, seen: () => seen };
}

function pool(
  origin: string,
  options: { allow?: readonly string[]; resolve?: ResolveName; timeoutMs?: number } = {},
): Pool {
  const { resolve, timeoutMs = 3_000 } = options;
  const guard = new OutboundGuard(options.allow ?? []);
  const dialled = new Pool(origin, {
    connect: guardedDial({ guard, connectTimeoutMs: timeoutMs, ...(resolve && { resolve }) }),
  });
  closers.push(() => dialled.destroy());
  return dialled;
}

const get = (from: Pool, path = '/') => from.request({ path, method: 'GET' });
const refused = { code: 'outbound_refused' };

describe('a guarded dial', () => {
  it('refuses IP addresses that are not public, for which Node calls no lookup', async () => {
    const { port, seen } = await listener();
    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '0.0.0.0', '[::]', '2130706433', '127.1'])
      await expect(get(pool(`http://${host}:${port}`))).rejects.toMatchObject(refused);
    expect(seen()).toBe(0);
  });

  it('refuses a name with one address that is not public, at any position', async () => {
    const { port, seen } = await listener();
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['::1', '2606:4700::1'], ['::ffff:10.0.0.1']])
      await expect(
        get(pool(`http://models.example.com:${port}`, { resolve: async () => addresses })),
      ).rejects.toMatchObject({ ...refused, message: expect.not.stringContaining(addresses.at(-1) ?? '') });
    expect(seen()).toBe(0);
  });

  it('resolves a name once per socket, so that a second response has no effect', async () => {
    const { port, seen } = await listener();
    const answers = [['192.0.2.1'], ['127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    // A name server with a different response to each query. Documentation and loopback addresses are refused.
    const rebinding = pool(`http://rebind.example.com:${port}`, { resolve });
    await expect(get(rebinding)).rejects.toMatchObject(refused);
    expect(asked).toBe(1);
    await expect(get(rebinding)).rejects.toMatchObject(refused);
    expect(asked).toBe(2);
    expect(seen()).toBe(0);
  });

  it('connects to the checked address, with the requested name', async () => {
    const { port, requests } = await provider();
    const checked: (readonly string[])[] = [];
    // Allows loopback: tests must not call public addresses.
    class Lenient extends OutboundGuard {
      override checkAddresses(_host: string, addresses: readonly string[]): void {
        checked.push(addresses);
      }
    }
    const answers = [['127.0.0.1'], ['192.0.2.1']];
    let asked = 0;
    const dial = guardedDial({
      guard: new Lenient([]),
      connectTimeoutMs: 3_000,
      resolve: async () => answers[asked++] ?? [],
    });
    const dialled = new Pool(`http://models.example.com:${port}`, { connect: dial });
    closers.push(() => dialled.destroy());
    expect((await get(dialled)).statusCode).toBe(200);
    expect(requests[0]?.headers.host).toBe(`models.example.com:${port}`);
    // Checked once as a DNS response and once as the remote address of the socket.
    expect([asked, checked]).toEqual([1, [['127.0.0.1'], ['127.0.0.1']]]);
  });

  it('refuses names of this machine before they are resolved', async () => {
    const { port, seen } = await listener();
    let asked = 0;
    const resolve = async () => [`8.8.8.${asked++}`];
    for (const host of ['localhost', 'x.localhost', 'metadata.google.internal', 'redis'])
      await expect(get(pool(`http://${host}:${port}`, { resolve }))).rejects.toMatchObject(refused);
    expect([asked, seen()]).toEqual([0, 0]);
  });

  it('fails with ENOTFOUND if a name has no address or its servers fail', async () => {
    await expect(get(pool('http://none.example.com', { resolve: async () => [] }))).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
    const resolve = () => Promise.reject(Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' }));
    await expect(get(pool('http://broken.example.com', { resolve }))).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it('times out on name servers that never respond', async () => {
    await expect(
      get(pool('http://silent.example.com', { resolve: () => new Promise(() => undefined), timeoutMs: 200 })),
    ).rejects.toMatchObject({ code: 'UND_ERR_CONNECT_TIMEOUT' });
  });

  it('does not follow redirects', async () => {
    const inside = await provider();
    const outside = await provider(json(302, '', { location: `http://127.0.0.1:${inside.port}/latest/meta-data` }));
    const answer = await get(pool(`http://127.0.0.1:${outside.port}`, { allow: [`127.0.0.1:${outside.port}`] }));
    expect(answer.statusCode).toBe(302);
    await answer.body.dump();
    expect([outside.sockets(), inside.sockets()]).toEqual([1, 0]);
  });

  it('reaches destinations that the operator allows, only by that host and port', async () => {
    const allowed = await provider();
    const other = await provider();
    const allow = [`127.0.0.1:${allowed.port}`, `localhost:${allowed.port}`];
    for (const host of ['127.0.0.1', 'localhost'])
      expect((await get(pool(`http://${host}:${allowed.port}`, { allow }))).statusCode).toBe(200);
    expect(allowed.requests.map(({ headers }) => headers.host)).toEqual([
      `127.0.0.1:${allowed.port}`,
      `localhost:${allowed.port}`,
    ]);
    await expect(get(pool(`http://127.0.0.1:${other.port}`, { allow }))).rejects.toMatchObject(refused);
    // A name that resolves to the allowed address is not exempt.
    const resolve = async () => ['127.0.0.1'];
    await expect(get(pool(`http://models.example.com:${allowed.port}`, { allow, resolve }))).rejects.toMatchObject(
      refused,
    );
    expect(other.requests).toEqual([]);
  });

  it('sends the host name in the TLS handshake', async () => {
    const named: string[] = [];
    const server = createTlsServer({
      SNICallback: (name, callback) => {
        named.push(name);
        callback(new Error('no certificate here'));
      },
    });
    server.on('tlsClientError', () => undefined);
    const { port } = await listener(server);
    await expect(get(pool(`https://localhost:${port}`, { allow: [`localhost:${port}`] }))).rejects.toThrow();
    expect(named).toEqual(['localhost']);
  });
});
