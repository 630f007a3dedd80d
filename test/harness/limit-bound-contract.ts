import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../src/errors/index.ts';
import type { KeyRecord, RateLimits } from '../../src/gateway/keys/key-directory.ts';
import { type Reservation, type LimitStore, boundsFor } from '../../src/gateway/limits/limit-store.ts';
import { FakeClock } from './fake-clock.ts';
import { key as anyKey } from './gateway.ts';
import type { MakeStore } from './limit-store-contract.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const none: RateLimits = {
  requestsPerMinute: Infinity,
  tokensPerMinute: Infinity,
  requestsPerDay: Infinity,
  concurrency: Infinity,
};
const own: RateLimits = { requestsPerMinute: 100, tokensPerMinute: 10_000, requestsPerDay: Infinity, concurrency: 50 };
const twoKeys = (accountLimits: RateLimits): readonly [KeyRecord, KeyRecord] => [
  { ...anyKey, id: 'one', limits: own, accountLimits },
  { ...anyKey, id: 'another', limits: own, accountLimits },
];

let event = 0;

interface Asked {
  readonly tokens?: number;
  readonly capability?: string;
  readonly model?: string;
  readonly requestedModel?: string;
}

function holdOf(
  key: KeyRecord,
  { tokens = 1, capability = 'chat', model = 'openai/gpt', requestedModel = model }: Asked,
): Reservation {
  const bounds = boundsFor(key, { capability, model, requestedModel });
  return { eventId: `bounded ${++event}`, at: NOON, bounds, tokens, costNano: 0n };
}

async function refusal(store: LimitStore, key: KeyRecord, hold: Reservation): Promise<SluiceError | null> {
  try {
    await store.reserve(key, 'openai/gpt', hold);
    return null;
  } catch (error) {
    if (error instanceof SluiceError) return error;
    throw error;
  }
}

async function ask(store: LimitStore, key: KeyRecord, asked: Asked = {}): Promise<string | null> {
  return (await refusal(store, key, holdOf(key, asked)))?.code ?? null;
}

/** What holds of every limit store that bounds a request in several ways at once. */
export function limitBoundContract(name: string, make: MakeStore, runs = 100): void {
  describe(`bounds ${name}`, () => {
    it('of an account hold for all of its keys together, and say so', async () => {
      const store = await make(new FakeClock(NOON));
      const [one, another] = twoKeys({ ...none, requestsPerMinute: 3 });
      expect([await ask(store, one), await ask(store, another), await ask(store, one)]).toEqual([null, null, null]);
      const refused = await refusal(store, another, holdOf(another, {}));
      expect(refused).toMatchObject({ code: 'rate_limit_requests', retryAfterMs: 20_000 });
      expect(refused?.message).toContain('Limit 3, Used 3');
      expect(refused?.message).toContain('The limit is shared by all keys of the account');
      expect(store.view(another)).toMatchObject({ limitRequests: 3, remainingRequests: 0, resetRequestsMs: 60_000 });
      // Of an account that is another's nothing is taken.
      expect(await ask(store, { ...one, id: 'stranger', accountId: 'other' })).toBeNull();
    });

    it('of a key hold for it alone, and say so', async () => {
      const store = await make(new FakeClock(NOON));
      const [one, another] = twoKeys({ ...none, requestsPerMinute: 1_000 });
      const narrow = { ...one, limits: { ...one.limits, requestsPerMinute: 1 } };
      expect([await ask(store, narrow), await ask(store, another)]).toEqual([null, null]);
      const refused = await refusal(store, narrow, holdOf(narrow, {}));
      expect(refused?.message).toContain('Limit 1, Used 1');
      expect(refused?.message).toContain('The limit applies to this API key');
    });

    it('take of none where one refuses', async () => {
      const store = await make(new FakeClock(NOON));
      const [one, another] = twoKeys({ ...none, tokensPerMinute: 100, concurrency: 40 });
      expect(await ask(store, one, { tokens: 90 })).toBeNull();
      for (let time = 0; time < 5; time++) expect(await ask(store, another, { tokens: 20 })).toBe('rate_limit_tokens');
      const { limitRequests, remainingRequests, limitTokens, remainingTokens } = store.view(another);
      expect({ limitRequests, remainingRequests, limitTokens, remainingTokens }).toEqual({
        limitRequests: 100,
        remainingRequests: 100,
        limitTokens: 100,
        remainingTokens: 10,
      });
    });

    it('give back what a request took of each, and count what it used in each', async () => {
      const store = await make(new FakeClock(NOON));
      const [one, another] = twoKeys({ ...none, tokensPerMinute: 1_000, concurrency: 1 });
      const held = holdOf(one, { tokens: 900 });
      expect(await refusal(store, one, held)).toBeNull();
      expect(await ask(store, another)).toBe('rate_limit_concurrency');
      store.settle(one, held, { tokens: 300, costNano: 0n });
      expect(await ask(store, another, { tokens: 701 })).toBe('rate_limit_tokens');
      expect(await ask(store, another, { tokens: 700 })).toBeNull();
    });

    it('count the tokens of those alone that served', async () => {
      const store = await make(new FakeClock(NOON));
      const models = new Map([['openai/gpt', { ...none, tokensPerMinute: 1_000, concurrency: 1 }]]);
      const key: KeyRecord = { ...anyKey, limits: own, partLimits: { models, capabilities: new Map() } };
      const held = holdOf(key, { tokens: 900 });
      expect(await refusal(store, key, held)).toBeNull();
      const unserved = new Set(held.bounds.filter(({ of }) => of === 'model').map(({ id }) => id));
      store.settle(key, held, { tokens: 400, costNano: 0n, unserved });
      // The model's own bucket is full again, and its slot is free; the key's has what was used.
      expect(await ask(store, key, { tokens: 1_000 })).toBeNull();
      expect(store.view(key).remainingTokens).toBe(10_000 - 400 - 1_000);
    });

    it('of a model or a capability hold for requests of those alone', async () => {
      const store = await make(new FakeClock(NOON));
      const key: KeyRecord = {
        ...anyKey,
        limits: own,
        partLimits: {
          models: new Map([
            ['openai/gpt', { ...none, requestsPerMinute: 2 }],
            ['fast', { ...none, requestsPerDay: 1 }],
          ]),
          capabilities: new Map([['images', { ...none, concurrency: 1 }]]),
        },
      };
      expect([await ask(store, key), await ask(store, key)]).toEqual([null, null]);
      const refused = await refusal(store, key, holdOf(key, {}));
      expect(refused).toMatchObject({ code: 'rate_limit_requests' });
      expect(refused?.message).toContain('The limit applies to this API key for the model `openai/gpt`.');
      // The same model by the name of a route, and another model.
      expect(await ask(store, key, { requestedModel: 'fast' })).toBe('rate_limit_requests');
      expect(await ask(store, key, { model: 'openai/other' })).toBeNull();
      expect(await ask(store, key, { model: 'openai/other', requestedModel: 'fast' })).toBeNull();
      expect(await ask(store, key, { model: 'openai/other', requestedModel: 'fast' })).toBe('rate_limit_requests');
      const image = holdOf(key, { capability: 'images', model: 'openai/image' });
      expect(await refusal(store, key, image)).toBeNull();
      expect(await ask(store, key, { capability: 'images', model: 'openai/image' })).toBe('rate_limit_concurrency');
      store.settle(key, image, { tokens: 1, costNano: 0n });
      expect(await ask(store, key, { capability: 'images', model: 'openai/image' })).toBeNull();
    });

    it('tell what is used up first', async () => {
      const store = await make(new FakeClock(NOON));
      const models = new Map([['openai/gpt', { ...none, requestsPerMinute: 5, tokensPerMinute: 50_000 }]]);
      const key: KeyRecord = { ...anyKey, limits: own, partLimits: { models, capabilities: new Map() } };
      const hold = holdOf(key, { tokens: 100 });
      expect(await refusal(store, key, hold)).toBeNull();
      expect(store.view(key, hold.bounds)).toMatchObject({
        limitRequests: 5,
        remainingRequests: 4,
        limitTokens: 10_000,
        remainingTokens: 9_900,
      });
      expect(store.view(key)).toMatchObject({ limitRequests: 100, remainingRequests: 99 });
    });

    it('refuse at once what would not fit into one of them ever', async () => {
      const store = await make(new FakeClock(NOON));
      const [one] = twoKeys({ ...none, tokensPerMinute: 100 });
      expect(await ask(store, one, { tokens: 101 })).toBe('tokens_above_limit');
    });

    it('never admit more than the fewest of them, whichever key asks for what', async () => {
      const arrivals = fc.array(
        fc.record({
          wait: fc.integer({ min: 0, max: 3_000 }),
          tokens: fc.integer({ min: 1, max: 200 }),
          isOther: fc.boolean(),
          model: fc.constantFrom('openai/gpt', 'openai/other'),
        }),
        { maxLength: 150 },
      );
      await fc.assert(
        fc.asyncProperty(arrivals, async (all) => {
          const clock = new FakeClock(NOON);
          const store = await make(clock);
          const models = new Map([['openai/gpt', { ...none, requestsPerMinute: 20 }]]);
          const keys = twoKeys({ ...none, requestsPerMinute: 60, tokensPerMinute: 2_000 }).map((key) => ({
            ...key,
            partLimits: { models, capabilities: new Map() },
          }));
          const admitted = { requests: 0, tokens: 0, ofModel: new Map<string, number>() };
          for (const { wait, tokens, isOther, model } of all) {
            clock.setNow(clock.now() + wait);
            const key = keys[isOther ? 1 : 0];
            if (key === undefined || (await ask(store, key, { tokens, model })) !== null) continue;
            admitted.requests++;
            admitted.tokens += tokens;
            if (model === 'openai/gpt') admitted.ofModel.set(key.id, (admitted.ofModel.get(key.id) ?? 0) + 1);
            const minutes = (clock.now() - NOON) / 60_000;
            expect(admitted.requests).toBeLessThanOrEqual(60 + 60 * minutes + 1e-6);
            expect(admitted.tokens).toBeLessThanOrEqual(2_000 + 2_000 * minutes + 1e-6);
            for (const requests of admitted.ofModel.values())
              expect(requests).toBeLessThanOrEqual(20 + 20 * minutes + 1e-6);
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
