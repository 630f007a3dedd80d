import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { MediaFetcher } from '../../../src/outbound/media-fetcher.ts';

interface Site {
  readonly server: Server;
  readonly port: number;
  /** Requested paths. */
  readonly asked: string[];
}

/** The operator's server, another one, and one that the operator exempts from the guard. */
let own: Site;
let beside: Site;
let allowed: Site;
let fetcher: MediaFetcher;

/** Responds with its path, or redirects to the address in `/to/<address>`. */
async function site(): Promise<Site> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const to = /^\/to\/(.+)$/.exec(url)?.[1];
    if (to === undefined) response.writeHead(200, { 'content-type': 'image/png; a=b' }).end(`at ${url}`);
    else response.writeHead(302, { location: decodeURIComponent(to) }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, asked, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

beforeEach(async () => {
  [own, beside, allowed] = await Promise.all([site(), site(), site()]);
  fetcher = new MediaFetcher({
    guard: new OutboundGuard([`127.0.0.1:${allowed.port}`]),
    connectTimeoutMs: () => 60_000,
    sizeLimit: 1_000,
    operatorsBase: (id) => (id === 'studio' ? `http://127.0.0.1:${own.port}/v1` : null),
  });
});

afterEach(async () => {
  await fetcher.close();
  for (const { server } of [own, beside, allowed]) {
    server.closeAllConnections();
    server.close();
  }
});

async function fetched(connectionId: string, url: string): Promise<string> {
  const signal = new AbortController().signal;
  const { contentType, content } = await fetcher.fetch({ provider: 'studio', connectionId }, url, signal);
  expect(contentType).toBe('image/png');
  return (await buffer(Readable.from(content))).toString();
}

const at = ({ port }: Site, path = '/a.png', host = '127.0.0.1'): string => `http://${host}:${port}${path}`;
const leading = (from: Site, to: string): string => at(from, `/to/${encodeURIComponent(to)}`);
const refusal = { code: 'provider_invalid_response', message: expect.stringContaining('studio') };

describe('a URL in a provider’s response', () => {
  it('is given up after the connect timeout that is configured when it is fetched', async () => {
    let connectTimeoutMs = 60_000;
    const reloaded = new MediaFetcher({
      guard: new OutboundGuard([]),
      connectTimeoutMs: () => connectTimeoutMs,
      sizeLimit: 1_000,
      resolve: () => new Promise(() => undefined),
    });
    connectTimeoutMs = 1;
    const { signal } = new AbortController();
    const source = { provider: 'studio', connectionId: 'studio' };
    await expect(reloaded.fetch(source, 'http://media.example/a.png', signal)).rejects.toMatchObject({
      code: 'provider_unreachable',
    });
    await reloaded.close();
  });

  it('may be on the operator’s server, also after redirects on that server', async () => {
    expect(await fetched('studio', at(own))).toBe('at /a.png');
    expect(await fetched('studio', leading(own, '/b.png'))).toBe('at /b.png');
    expect(await fetched('studio', leading(own, leading(own, at(own, '/c.png'))))).toBe('at /c.png');
  });

  it('may not be elsewhere on the operator’s network', async () => {
    for (const url of [
      at(beside),
      leading(own, at(beside)),
      at(own, '/a.png', 'localhost'),
      at(own, '/a.png', '2130706433'),
      at(own, '/a.png', 'user:password@127.0.0.1'),
      'http://169.254.169.254/latest/meta-data',
      `http://[::ffff:127.0.0.1]:${own.port}/a.png`,
    ])
      await expect(fetched('studio', url), url).rejects.toMatchObject(refusal);
    expect(beside.asked).toEqual([]);
    expect(own.asked.filter((path) => path === '/a.png')).toEqual([]);
  });

  it('of a tenant’s provider may not be on it, by name, by redirect, or with the operator’s connection name', async () => {
    for (const id of ['studio:0b5f', 'tenant', 'Studio', '', '__proto__'])
      for (const url of [at(own), leading(own, at(own)), leading(allowed, at(own))])
        await expect(fetched(id, url), `${id} ${url}`).rejects.toMatchObject(refusal);
    expect(own.asked).toEqual([]);
    expect(await fetched('tenant', at(allowed))).toBe('at /a.png');
  });

  it('may not return to it after a redirect of another server', async () => {
    await expect(fetched('studio', leading(allowed, at(own)))).rejects.toMatchObject(refusal);
    await expect(fetched('studio', leading(own, leading(allowed, at(own))))).rejects.toMatchObject(refusal);
    expect(own.asked.filter((path) => path === '/a.png')).toEqual([]);
    expect(await fetched('studio', leading(own, at(allowed)))).toBe('at /a.png');
  });
});
