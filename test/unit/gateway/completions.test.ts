import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Completions } from '../../../src/gateway/completions/completions.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { startGateway, type TestGateway } from '../../harness/gateway.ts';

const ACCOUNTS = { ada: '00000000-0000-4000-8000-0000000000a1', bob: '00000000-0000-4000-8000-0000000000b1' };
const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'hello' }] };

describe('completions by a clientRequestId', () => {
  let gateway: TestGateway;
  let clock: FakeClock;
  beforeEach(async () => {
    gateway = await startGateway();
    clock = new FakeClock();
  });
  afterEach(() => gateway.close());

  const keyOf = (owner: keyof typeof ACCOUNTS): KeyRecord => ({
    ...gateway.key,
    id: `key-of-${owner}`,
    accountId: ACCOUNTS[owner],
    limits: { ...gateway.key.limits, requestsPerMinute: Infinity, tokensPerMinute: Infinity },
  });

  const run = async (completions: Completions, owner: keyof typeof ACCOUNTS, id: string): Promise<string[]> => {
    const types: string[] = [];
    const input = { key: keyOf(owner), clientRequestId: id, body, after: null };
    for await (const item of completions.run(input, new AbortController().signal))
      if ('event' in item) types.push(item.event.type);
    return types;
  };

  it('keeps the ids of one account when another runs many completions', async () => {
    const completions = new Completions({ pipeline: gateway.pipeline }, clock);
    const first = await run(completions, 'ada', 'mine');
    for (let index = 0; index < 1_000; index++) await run(completions, 'bob', `other-${index}`);
    expect(await run(completions, 'ada', 'mine')).toEqual(first);
    expect(gateway.settled()).toHaveLength(1_001);
  });

  it('rejects an id whose events were dropped, for 24 hours', async () => {
    const completions = new Completions({ pipeline: gateway.pipeline }, clock);
    await run(completions, 'ada', 'mine');
    clock.advance(5 * 60_000);
    await expect(run(completions, 'ada', 'mine')).rejects.toMatchObject({ code: 'request_id_spent' });
    clock.advance(24 * 60 * 60_000 - 5 * 60_000 - 1);
    await expect(run(completions, 'ada', 'mine')).rejects.toMatchObject({ code: 'request_id_spent' });
    clock.advance(1);
    await run(completions, 'ada', 'mine');
    expect(gateway.settled()).toHaveLength(2);
  });

  it('drops the events of a completion at its end under zero retention', async () => {
    const completions = new Completions({ pipeline: gateway.pipeline }, clock);
    const input = { key: { ...keyOf('ada'), zeroRetention: true }, clientRequestId: 'mine', body, after: null };
    const { signal } = new AbortController();
    const types: string[] = [];
    let cursor: string | null = null;
    for await (const item of completions.run(input, signal)) {
      if (item.type !== 'event') continue;
      types.push(item.event.type);
      cursor ??= item.cursor;
    }
    // Who reads it while it runs reads it to its end.
    expect(types.at(-1)).toBe('finished');
    for (const after of [null, cursor])
      await expect(
        (async () => {
          for await (const item of completions.run({ ...input, after }, signal)) expect(item).toBeUndefined();
        })(),
      ).rejects.toMatchObject({ code: 'request_id_spent' });
    expect(clock.pending).toBe(0);
  });

  it('rejects an account that has used all its ids, and no other', async () => {
    const completions = new Completions({ pipeline: gateway.pipeline }, clock, {
      idsPerAccount: 2,
      readablePerAccount: 1,
    });
    await run(completions, 'ada', 'first');
    await run(completions, 'ada', 'second');
    await expect(run(completions, 'ada', 'third')).rejects.toMatchObject({
      code: 'too_many_request_ids',
      message: expect.stringContaining('2 values of `clientRequestId`'),
    });
    await expect(run(completions, 'ada', 'first')).rejects.toMatchObject({ code: 'request_id_spent' });
    await run(completions, 'bob', 'first');
    expect(gateway.settled()).toHaveLength(3);
  });

  it('releases an id whose request did not run', async () => {
    const completions = new Completions({ pipeline: gateway.pipeline }, clock);
    const refused = { key: keyOf('ada'), clientRequestId: 'mine', body: { ...body, model: 'no/model' }, after: null };
    for await (const item of completions.run(refused, new AbortController().signal))
      expect(item).toMatchObject({ event: { type: 'failed', code: 'model_not_found' } });
    clock.advance(5 * 60_000);
    expect(await run(completions, 'ada', 'mine')).toContain('finished');
  });
});
