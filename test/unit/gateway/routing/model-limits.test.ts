import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KeyRecord, RateLimits } from '../../../../src/gateway/keys/key-directory.ts';
import { FallbackLimits } from '../../../../src/gateway/limits/fallback-limits.ts';
import { type Reservation, boundsFor } from '../../../../src/gateway/limits/limit-store.ts';
import { MemoryLimitStore } from '../../../../src/gateway/limits/memory-limit-store.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { completion, refusal, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { key as anyKey, secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const none: RateLimits = {
  requestsPerMinute: Infinity,
  tokensPerMinute: Infinity,
  requestsPerDay: Infinity,
  concurrency: Infinity,
};
const config = `
routes:
  both: { targets: [first/model-a, second/model-b] }
  three: { targets: [first/model-a, second/model-b, second/model-c] }
`;

function limitsOf(models: Readonly<Record<string, Partial<RateLimits>>>): Pick<KeyRecord, 'partLimits'> {
  const entries = Object.entries(models).map(([model, limits]) => [model, { ...none, ...limits }] as const);
  return { partLimits: { models: new Map(entries), capabilities: new Map() } };
}

describe('limits of one model', () => {
  let first: FakeProvider;
  let second: FakeProvider;
  let gateway: TestGateway;

  beforeEach(async () => {
    first = await startFakeProvider(refusal(503, 'overloaded'));
    second = await startFakeProvider(
      completion({ usage: { prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 } }),
    );
  });
  afterEach(async () => {
    await gateway.close();
    await first.close();
    await second.close();
  });

  async function start(models: Readonly<Record<string, Partial<RateLimits>>>): Promise<void> {
    const clock = new FakeClock(1_000_000);
    const providers = { first: first.url, second: second.url };
    gateway = await startGateway({ config, providers, key: limitsOf(models), clock });
  }

  async function ask(model: string) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }),
    });
    await response.text();
    return { status: response.status, model: response.headers.get('x-sluice-model') };
  }

  /** The remaining capacity of a model's own limits. */
  function left(model: string) {
    const request = { capability: 'chat', model, requestedModel: model };
    const bounds = boundsFor(gateway.key, request).filter(({ of }) => of === 'model');
    const { remainingRequests, remainingTokens } = gateway.limits.view(gateway.key, bounds);
    return { remainingRequests, remainingTokens };
  }

  it('count a request for its fallback model', async () => {
    await start({ 'second/model-b': { requestsPerMinute: 2 } });
    expect(await ask('both')).toEqual({ status: 200, model: 'second/model-b' });
    expect(await ask('both')).toEqual({ status: 200, model: 'second/model-b' });
    // The client gets the error of the first target.
    expect((await ask('both')).status).toBe(503);
    expect(await ask('second/model-b')).toMatchObject({ status: 429 });
    expect(second.requests).toHaveLength(2);
  });

  it('skip a fallback without room', async () => {
    await start({ 'second/model-b': { requestsPerMinute: 1 } });
    expect(await ask('three')).toEqual({ status: 200, model: 'second/model-b' });
    expect(await ask('three')).toEqual({ status: 200, model: 'second/model-c' });
    expect(gateway.settled().map(({ attempts }) => attempts.map(({ error }) => error))).toEqual([
      ['provider_overloaded', null],
      ['provider_overloaded', 'rate_limit_requests', null],
    ]);
  });

  it('count tokens for the responding model only, and release the slots of all', async () => {
    const limits = { tokensPerMinute: 1_000, requestsPerMinute: 10, concurrency: 1 };
    await start({ 'first/model-a': limits, 'second/model-b': limits });
    for (let request = 1; request <= 2; request++) {
      expect(await ask('both')).toEqual({ status: 200, model: 'second/model-b' });
      await gateway.settledCount(request);
      expect(left('first/model-a')).toEqual({ remainingRequests: 10 - request, remainingTokens: 1_000 });
      expect(left('second/model-b')).toEqual({
        remainingRequests: 10 - request,
        remainingTokens: 1_000 - 50 * request,
      });
    }
  });

  it('are released where no model responded', async () => {
    second.answerWith(refusal(503, 'overloaded'));
    const limits = { tokensPerMinute: 1_000, concurrency: 1 };
    await start({ 'first/model-a': limits, 'second/model-b': limits });
    expect((await ask('both')).status).toBe(503);
    await gateway.settledCount(1);
    expect([left('first/model-a').remainingTokens, left('second/model-b').remainingTokens]).toEqual([1_000, 1_000]);
  });
});

describe('limits of one model in a remote store', () => {
  /** Responds on demand. */
  class SlowStore extends MemoryLimitStore {
    readonly answers: (() => void)[] = [];

    override reserve(key: KeyRecord, model: string, hold: Reservation): Promise<void> {
      return new Promise((resolve, reject) => {
        this.answers.push(() => {
          try {
            resolve(super.reserve(key, model, hold));
          } catch (error) {
            reject(error);
          }
        });
      });
    }
  }

  it('are released where the request has ended meanwhile', async () => {
    const store = new SlowStore(new FakeClock(1_000_000));
    const key: KeyRecord = { ...anyKey, ...limitsOf({ b: { concurrency: 1, tokensPerMinute: 500 } }) };
    const hold = { eventId: 'event', at: 0, bounds: [], tokens: 100, costNano: 0n };
    const request = { capability: 'chat', model: 'first/a', requestedModel: 'both' };
    const limits = new FallbackLimits(store, key, request, hold);
    const taking = limits.reserve('second/b');
    limits.settle('first/a', 0);
    store.answers.shift()?.();
    expect(await taking).toBeNull();
    const again = new FallbackLimits(store, key, request, { ...hold, eventId: 'another' });
    const [one, another] = [again.reserve('second/b'), again.reserve('second/b')];
    store.answers.shift()?.();
    expect(await one).toBeNull();
    store.answers.shift()?.();
    expect(await another).toMatchObject({ code: 'rate_limit_concurrency' });
    expect(again.reserve('first/a')).toBeNull();
    expect(store.view(key, boundsFor(key, { ...request, model: 'second/b' })).remainingTokens).toBe(400);
  });
});
