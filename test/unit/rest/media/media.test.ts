import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MediaService } from '../../../../src/services/media/media.service.ts';
import { MediaLinks } from '../../../../src/services/media/media-links.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { loopbackFetch } from '../../../harness/fake-shelf.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const masterKey = 'a master key of the tests, long enough';
const bytes = Buffer.from('0123456789');

let gateway: TestGateway;
let clock: FakeClock;
let service: MediaService;

beforeEach(async () => {
  clock = new FakeClock(Date.now());
  gateway = await startGateway({ clock });
  service = new MediaService(gateway.shelf, masterKey, loopbackFetch(), clock);
});

afterEach(() => gateway.close());

function publish(contentType = 'image/png'): Promise<{ id: string; url: string }> {
  return service.publish(bytes, { accountId: 'account', contentType, origin: gateway.url });
}

describe('a media URL', () => {
  it('serves the file without a key, by GET and HEAD, with its cache lifetime', async () => {
    const { url } = await publish();
    expect(url).toMatch(new RegExp(`^${gateway.url}/media/[0-9a-f-]{36}\\?expires=\\d+&signature=[\\w-]{43}$`));
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(answer.headers.get('cache-control')).toMatch(/^private, max-age=3(?:600|5\d\d), immutable$/);
    expect(await answer.text()).toBe('0123456789');
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe('10');
    expect(await head.text()).toBe('');
  });

  it.each([
    ['bytes=2-4', 206, 'bytes 2-4/10', '234'],
    ['bytes=7-', 206, 'bytes 7-9/10', '789'],
    ['bytes=-3', 206, 'bytes 7-9/10', '789'],
    ['bytes=0-99', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=10-', 416, 'bytes */10', ''],
    ['bytes=-0', 416, 'bytes */10', ''],
    ['bytes=-99', 206, 'bytes 0-9/10', '0123456789'],
    ['bytes=0-1,4-5', 200, null, '0123456789'],
    ['bytes=5-2', 200, null, '0123456789'],
    ['lines=1-2', 200, null, '0123456789'],
  ])('serves the range %s', async (range, status, contentRange, body) => {
    const { url } = await publish();
    const answer = await fetch(url, { headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(await answer.text()).toBe(body);
  });

  it('serves content that a browser would run only as bytes', async () => {
    const { url } = await publish('image/svg+xml');
    expect((await fetch(url)).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('is valid for an hour', async () => {
    const { url } = await publish();
    clock.advance(3_599_000 - 1_000);
    expect((await fetch(url)).status).toBe(200);
    clock.advance(2_000);
    const late = await fetch(url);
    expect(late.status).toBe(403);
    expect(await late.json()).toMatchObject({ error: { code: 'media_link_expired' } });
  });

  it('is refused if any part was changed, without details of the file', async () => {
    const { url, id } = await publish();
    const { id: other } = await publish();
    const later = url.replace(/expires=(\d+)/, (_, seconds: string) => `expires=${Number(seconds) + 1}`);
    const cut = url.slice(0, -1);
    const twice = `${url}&signature=x`;
    const changed = [
      url.replace(id, other),
      later,
      cut,
      twice,
      `${gateway.url}/media/${id}`,
      `${url.replace(/expires=\d+/, 'expires=1e12')}`,
    ];
    for (const link of changed) {
      const answer = await fetch(link);
      expect([link, answer.status]).toEqual([link, 403]);
      expect(await answer.json()).toMatchObject({ error: { code: 'media_link_invalid' } });
    }
  });

  it('is refused if it was signed with another master key', async () => {
    const { id } = await publish();
    const foreign = new MediaLinks('another master key of thirty-two characters');
    const answer = await fetch(foreign.make(gateway.url, id, new Date(clock.now() + 60_000)));
    expect(answer.status).toBe(403);
  });

  it('returns 404 for a deleted file', async () => {
    const { url, id } = await publish();
    gateway.shelf.kept.delete(id);
    const answer = await fetch(url);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('supports neither writing nor listing', async () => {
    const { url } = await publish();
    const written = await fetch(url, { method: 'POST' });
    expect([written.status, written.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(`${gateway.url}/media`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/media/`)).status).toBe(404);
  });
});

describe('an origin', () => {
  it.each([
    ['Gateway.Example:8443', 'http://gateway.example:8443'],
    ['[::1]:4000', 'http://[::1]:4000'],
    ['localhost', 'http://localhost'],
  ])('is the host %s of the request', async (host, origin) => {
    expect(await linkFor(host)).toMatch(new RegExp(`^${origin.replaceAll(/[[\]]/g, '\\$&')}/media/`));
  });

  it.each(['evil.example/path?x=', 'a b', 'user@evil.example', '"><script>', '', 'a'.repeat(300), 'x:99999999'])(
    'is the address that was reached where the host is %j',
    async (host) => {
      expect(await linkFor(host)).toMatch(new RegExp(`^${gateway.url}/media/`));
    },
  );

  it('ignores headers of an untrusted proxy', async () => {
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    expect(await linkFor('gateway.example', forwarded)).toMatch(/^http:\/\/gateway\.example\/media\//);
  });
});

/** The URL of an image generated with this Host header. */
async function linkFor(host: string, headers: Record<string, string> = {}): Promise<string> {
  const body = JSON.stringify({ model: 'sandbox/image', prompt: 'a', size: '16x16', response_format: 'url' });
  const request = httpRequest(`${gateway.url}/v1/images/generations`, {
    method: 'POST',
    setHost: false,
    headers: { host, authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
  });
  const [answer]: IncomingMessage[] = await once(request.end(body), 'response');
  const told = JSON.parse(answer === undefined ? '{}' : await text(answer));
  return told.data[0].url;
}

describe('the media fetcher', () => {
  let server: Server;
  let origin: string;
  const { signal } = new AbortController();
  const source = { provider: 'openai', connectionId: 'openai' };

  async function fetched(path: string): Promise<string> {
    const { content, contentType } = await loopbackFetch()(source, `${origin}${path}`, signal);
    return `${contentType}: ${await text(Readable.from(content))}`;
  }

  beforeEach(async () => {
    server = createServer((request, response) => {
      const hops = Number(/^\/hops\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 0);
      if (hops > 0) response.writeHead(302, { location: `/hops/${hops - 1}` }).end();
      else if (request.url === '/inside') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      else if (request.url === '/large') response.end(Buffer.alloc(1024 * 1024 + 1));
      else if (request.url === '/larger') {
        response.write(Buffer.alloc(1024 * 1024), () => response.end(Buffer.alloc(1)));
      } else if (request.url === '/cut') {
        response.writeHead(200, { 'content-length': '10' });
        response.write('half', () => response.destroy());
      } else response.writeHead(200, { 'content-type': 'Image/PNG; charset=x' }).end('a picture');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  });

  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('follows a few redirects', async () => {
    expect(await fetched('/')).toBe('image/png: a picture');
    expect(await fetched('/hops/3')).toBe('image/png: a picture');
    await expect(fetched('/hops/4')).rejects.toMatchObject({ code: 'provider_invalid_response' });
  });

  it('only requests public addresses', async () => {
    const inside = [
      'http://169.254.169.254/latest',
      'http://localhost:1/a.png',
      'file:///etc/passwd',
      'http://[::1]/a',
    ];
    for (const url of inside)
      await expect(loopbackFetch()(source, url, signal)).rejects.toMatchObject({ code: 'provider_invalid_response' });
    await expect(fetched('/inside')).rejects.toMatchObject({ code: 'provider_invalid_response' });
  });

  it('refuses media that are too large or truncated', async () => {
    for (const path of ['/large', '/larger'])
      await expect(fetched(path)).rejects.toMatchObject({ code: 'provider_invalid_response' });
    await expect(fetched('/cut')).rejects.toMatchObject({ code: 'provider_stream_cut' });
    await expect(loopbackFetch()(source, 'http://127.0.0.1:1/a', signal)).rejects.toMatchObject({
      code: 'provider_unreachable',
    });
  });

  it('ends when its client has disconnected', async () => {
    await expect(loopbackFetch()(source, `${origin}/`, AbortSignal.abort())).rejects.toThrow();
  });
});
