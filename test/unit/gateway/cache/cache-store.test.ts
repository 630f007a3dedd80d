import { describe, expect, it } from 'vitest';
import { cacheKey } from '../../../../src/gateway/cache/cache-key.ts';
import { MemoryResponseCache } from '../../../../src/gateway/cache/response-cache.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

describe('the cache key of a request', () => {
  const request = { model: 'a', messages: [{ role: 'user', content: 'x' }], temperature: 0 };

  it('does not depend on member order, and treats null as absent', () => {
    const other = { temperature: 0, messages: [{ content: 'x', role: 'user' }], model: 'alias of a', top_p: null };
    expect(cacheKey('account', 'chat', 'a', request)).toBe(cacheKey('account', 'chat', 'a', other));
  });

  it.each([
    ['another account', cacheKey('other', 'chat', 'a', request)],
    ['another model', cacheKey('account', 'chat', 'b', request)],
    ['another capability', cacheKey('account', 'embeddings', 'a', request)],
    ['another temperature', cacheKey('account', 'chat', 'a', { ...request, temperature: 1 })],
    ['another text', cacheKey('account', 'chat', 'a', { ...request, messages: [{ role: 'user', content: 'y' }] })],
    [
      'another order of messages',
      cacheKey('account', 'chat', 'a', { ...request, messages: [...request.messages, ...request.messages] }),
    ],
  ])('differs for %s', (_name, other) => {
    expect(other).not.toBe(cacheKey('account', 'chat', 'a', request));
  });
});

describe('the in-memory cache', () => {
  const clock = new FakeClock();

  it('stays within its size and evicts the least recently used entry', () => {
    const cache = new MemoryResponseCache(4_000, clock);
    const answer = { model: 'm', provider: 'p', dropped: [], keptAt: 0, costNano: 0n, body: Buffer.alloc(700) };
    for (const key of ['a', 'b', 'c']) cache.set(key, answer, 1_000);
    expect(cache.get('a')).toBe(answer);
    cache.set('d', answer, 1_000);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('a')).toBe(answer);
    cache.set('e', { ...answer, body: Buffer.alloc(5_000) }, 1_000);
    expect(cache.get('e')).toBeUndefined();
    expect(cache.bytes).toBeLessThanOrEqual(4_000);
    cache.set('a', answer, 1_000);
    clock.advance(1_000);
    for (const key of ['a', 'c', 'd']) expect(cache.get(key)).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });
});
