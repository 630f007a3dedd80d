import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { KeyExpiry, type ExpiryOf } from '../../../src/gateway/keys/key-expiry.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { chunk, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { key as anyKey, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;

describe('a response that is open when its key expires', () => {
  let provider: FakeProvider;
  let gateway: TestGateway;
  let clock: FakeClock;
  let isClosed: Promise<void>;

  beforeEach(async () => {
    clock = new FakeClock(NOON);
    const closed = Promise.withResolvers<void>();
    isClosed = closed.promise;
    provider = await startFakeProvider((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ content: 'Hello' }));
      response.on('close', () => closed.resolve());
    });
  });
  afterEach(async () => {
    await gateway.close();
    await provider.close();
  });

  async function begin(key: Partial<KeyRecord>, expiryOf?: ExpiryOf): Promise<Response> {
    const options = { openai: provider.url, key: { expiresAt: NOON + MINUTE, ...key }, pipelineClock: clock };
    gateway = await startGateway({ ...options, ...(expiryOf && { expiryOf }) });
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(answer.status).toBe(200);
    return answer;
  }

  it.each([
    ['an API key', {}, 'This API key expired at 2026-11-21T12:01:00.000Z.'],
    ['an access token', { tokenId: 'token', credential: 'access_token' }, 'This access token expired at'],
  ] as const)('ends with an error, closes the provider’s connection, and is settled: %s', async (_what, key, text) => {
    const answer = await begin(key);
    clock.advance(MINUTE - 1);
    expect(gateway.pipeline.openCount).toBe(1);
    clock.advance(500);
    const said = await answer.text();
    expect(said).toContain('Hello');
    expect(said).toContain(text);
    await isClosed;
    expect(await gateway.settledCount(1)).toMatchObject([{ status: 'failed', http_status: 401 }]);
  });

  it('ends where the expiry of its key was not extended', async () => {
    const answer = await begin({}, () => Promise.resolve(NOON + MINUTE));
    clock.advance(MINUTE);
    await Promise.resolve();
    clock.advance(500);
    expect(await answer.text()).toContain('This API key expired');
  });

  it('continues where the expiry of its key was extended', async () => {
    const answer = await begin({}, () => Promise.resolve(NOON + MINUTE + 10_000));
    clock.advance(MINUTE);
    await Promise.resolve();
    clock.advance(10_000 - 500);
    expect(gateway.pipeline.openCount).toBe(1);
    // The end is read once more, and is the same now.
    clock.advance(500);
    await Promise.resolve();
    clock.advance(500);
    expect(await answer.text()).toContain('This API key expired');
  });
});

describe('the expiry of a key', () => {
  it('counts as unchanged where the current one cannot be read', async () => {
    const expiry = new KeyExpiry(() => Promise.reject(new Error('the database is away')));
    const key: KeyRecord = { ...anyKey, expiresAt: NOON };
    expect([expiry.hasExpired(key, NOON - 1), expiry.hasExpired(key, NOON)]).toEqual([false, false]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(expiry.hasExpired(key, NOON)).toBe(true);
  });

  it('can be removed', async () => {
    const expiry = new KeyExpiry(() => Promise.resolve(null));
    const key: KeyRecord = { ...anyKey, expiresAt: NOON };
    expect(expiry.hasExpired(key, NOON)).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect(expiry.hasExpired(key, NOON * 2)).toBe(false);
  });
});
