import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LiveCompletion } from '../../../src/live/events.ts';
import type { FeedItem } from '../../../src/live/feed.ts';
import { LiveHub } from '../../../src/live/live-hub.ts';
import { Topic } from '../../../src/live/topic.ts';
import { RedisLiveBus } from '../../../src/storage/live/redis-live-bus.ts';
import { describeWithRedis, startRedis, type RunningRedis } from '../../harness/redis.ts';

const quiet = { warn: () => undefined };
/** Nobody is told when another process begins to listen. */
const until = (holds: () => boolean): Promise<void> => expect.poll(holds, { interval: 5 }).toBe(true);

function completion(accountId: string, text: string): LiveCompletion {
  const update = { type: 'delta', choice: 0, text } as const;
  return { accountId, apiKeyId: 'key', requestId: 'req', model: 'a/b', at: 1, update };
}

function shown(item: FeedItem<LiveCompletion> | undefined): unknown {
  if (item?.type !== 'event') return item?.type;
  return item.event.update.type === 'delta' ? item.event.update.text : item.event.update;
}

describeWithRedis('live events over Redis', () => {
  let redis: RunningRedis;
  let one: RedisLiveBus;
  let another: RedisLiveBus;
  let leaving: AbortController;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => {
    one = new RedisLiveBus(redis.servers, quiet);
    another = new RedisLiveBus(redis.servers, quiet);
    one.open();
    another.open();
    leaving = new AbortController();
  });
  afterEach(() => {
    leaving.abort();
    one.close();
    another.close();
  });

  it('reach subscribers in another process in their order, with their sums of money, and no other account', async () => {
    const [here, there] = [new LiveHub(one), new LiveHub(another)];
    expect(here.hasSubscribers('mine')).toBe(false);
    const items = there.subscribe('mine', null, leaving.signal);
    const first = items.next();
    await until(() => here.hasSubscribers('mine'));
    expect(here.hasSubscribers('theirs')).toBe(false);
    here.publish(completion('theirs', 'not for me'));
    for (let index = 0; index < 500; index++) here.publish(completion('mine', `${index}`));
    const finished = {
      type: 'finished',
      finishReason: 'stop',
      inputTokens: 1,
      outputTokens: 2,
      cachedTokens: 0,
      reasoningTokens: 0,
      estimated: false,
      costNano: 12_345_678_901_234_567_890n,
      durationMs: 1,
      firstTokenMs: null,
    } as const;
    here.publish({ ...completion('mine', ''), update: finished });
    const seen = [shown((await first).value)];
    while (seen.length < 501) seen.push(shown((await items.next()).value));
    expect(seen).toEqual([...Array.from({ length: 500 }, (_, index) => `${index}`), finished]);
    here.close();
    there.close();
  });

  it('are heard once by subscribers of the process that publishes them', async () => {
    const hub = new LiveHub(one);
    const other = new LiveHub(another);
    const items = hub.subscribe('mine', null, leaving.signal);
    const first = items.next();
    // Both listen, so that it goes over Redis too.
    void other.subscribe('mine', null, leaving.signal).next();
    await until(() => one.hasSubscribers('completions:mine') && another.hasSubscribers('completions:mine'));
    hub.publish(completion('mine', 'a'));
    other.publish(completion('mine', 'b'));
    expect([shown((await first).value), shown((await items.next()).value)]).toEqual(['a', 'b']);
    hub.close();
    other.close();
  });

  it('tell of a gap when the connection was lost, and go on', async () => {
    const [here, there] = [new LiveHub(one), new LiveHub(another)];
    const items = there.subscribe('mine', null, leaving.signal);
    const first = items.next();
    await until(() => here.hasSubscribers('mine'));
    here.publish(completion('mine', 'before'));
    expect(shown((await first).value)).toBe('before');
    await redis.kill();
    here.publish(completion('mine', 'lost'));
    const next = items.next();
    await redis.start();
    expect(shown((await next).value)).toBe('gap');
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const item of items) seen.push(shown(item));
    })();
    await until(() => {
      here.publish(completion('mine', 'after'));
      return seen.includes('after');
    });
    expect(seen).not.toContain('lost');
    leaving.abort();
    await reading;
    here.close();
    there.close();
  });

  it('carry other topics too, such as budgets that pass a threshold', async () => {
    const here = new Topic<{ spentNano: bigint }>({ kind: 'thresholds', bus: one });
    const there = new Topic<{ spentNano: bigint }>({ kind: 'thresholds', bus: another });
    const items = there.subscribe('mine', leaving.signal);
    const first = items.next();
    await until(() => one.hasSubscribers('thresholds:mine'));
    here.publish('mine', { spentNano: 7n });
    expect((await first).value).toEqual({ spentNano: 7n });
    here.close();
    there.close();
  });
});
