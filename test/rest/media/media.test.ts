import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MediaService } from '../../../src/services/media/media.service.ts';
import { MediaLinks } from '../../../src/services/media/media-links.ts';
import { loopbackFetch } from '../../harness/fake-shelf.ts';
import { startGateway, type TestGateway } from '../../harness/gateway.ts';

const masterKey = 'a master key of the tests, long enough';
const bytes = Buffer.from('0123456789');

let gateway: TestGateway;
let now: Date;
let service: MediaService;

beforeEach(async () => {
  now = new Date();
  gateway = await startGateway({ mediaNow: () => now });
  service = new MediaService(gateway.shelf, masterKey, loopbackFetch(), () => now);
});

afterEach(() => gateway.close());

function publish(contentType = 'image/png'): Promise<{ id: string; url: string }> {
  return service.publish(bytes, { accountId: 'account', contentType, origin: gateway.url });
}

describe('a link to media', () => {
  it('gives them without a key, by GET and HEAD, and says how long they may be kept', async () => {
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
    expect(answer.headers.get('cache-control')).toMatch(/^private, max-age=3(?:600|599), immutable$/);
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
    ['bytes=5-2', 200, null, '0123456789'],
    ['lines=1-2', 200, null, '0123456789'],
  ])('gives the range %s', async (range, status, contentRange, body) => {
    const { url } = await publish();
    const answer = await fetch(url, { headers: { range } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-range')).toBe(contentRange);
    expect(await answer.text()).toBe(body);
  });

  it('gives what a browser would run as bytes only', async () => {
    const { url } = await publish('image/svg+xml');
    expect((await fetch(url)).headers.get('content-type')).toBe('application/octet-stream');
  });

  it('is good for an hour, and then never again', async () => {
    const { url } = await publish();
    now = new Date(now.getTime() + 3_599_000 - 1_000);
    expect((await fetch(url)).status).toBe(200);
    now = new Date(now.getTime() + 2_000);
    const late = await fetch(url);
    expect(late.status).toBe(403);
    expect(await late.json()).toMatchObject({ error: { code: 'media_link_expired' } });
  });

  it('that was changed anywhere is refused, and says no more of what is there', async () => {
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

  it('made under another master key is refused', async () => {
    const { id } = await publish();
    const foreign = new MediaLinks('another master key of thirty-two characters');
    const answer = await fetch(foreign.make(gateway.url, id, new Date(now.getTime() + 60_000)));
    expect(answer.status).toBe(403);
  });

  it('to what is gone is a 404', async () => {
    const { url, id } = await publish();
    gateway.shelf.kept.delete(id);
    const answer = await fetch(url);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
  });

  it('cannot be written to, and nothing is listed', async () => {
    const { url } = await publish();
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405);
    expect((await fetch(`${gateway.url}/media`)).status).toBe(404);
    expect((await fetch(`${gateway.url}/media/`)).status).toBe(404);
  });
});

describe('the media fetcher', () => {
  it('follows a few redirects, each looked at, and never leaves the public internet', async () => {
    const get = loopbackFetch();
    const { signal } = new AbortController();
    for (const url of [
      'http://169.254.169.254/latest',
      'http://localhost:1/a.png',
      'file:///etc/passwd',
      'http://[::1]/a',
    ])
      await expect(get('openai', url.startsWith('file') ? url : url, signal)).rejects.toMatchObject({
        code: 'provider_invalid_response',
      });
  });
});
