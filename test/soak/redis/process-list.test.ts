import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { LimitRedis } from '../../../src/storage/limits/limit-redis.ts';
import { ProcessList } from '../../../src/storage/limits/process-list.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { askServer } from '../../harness/redis-cluster.ts';
import {
  describeWithRedis,
  startRedis,
  UNREACHED_TIMEOUT_MS as timeoutMs,
  type RunningRedis,
} from '../../harness/redis.ts';

const log = { warn: () => undefined, info: () => undefined };
const LIST = 'sluice:limit:processes';
const MISSED = 'sluice:limit:missed:';

describeWithRedis('processes that share limits', () => {
  let redis: RunningRedis;
  let limits: LimitRedis;
  let clock: FakeClock;
  let events: string[];

  beforeAll(async () => {
    redis = await startRedis();
    limits = new LimitRedis({ servers: redis.servers, log, timeoutMs }, () => undefined);
    await limits.open();
  });
  beforeEach(async () => {
    clock = new FakeClock(Date.now());
    events = [];
    await lose();
  });
  afterAll(() => {
    limits.close();
    return redis.stop();
  });

  const lose = (): Promise<unknown> => askServer(redis.url, ['FLUSHALL']);
  const isListed = async (name: string): Promise<boolean> =>
    (await askServer(redis.url, ['ZSCORE', LIST, name])) !== null;

  function list(name: string, before: (command: readonly string[]) => void = () => undefined): ProcessList {
    return new ProcessList({
      name,
      keys: { list: LIST, missed: MISSED },
      clock,
      keptMs: 60_000,
      send: async (key, command) => {
        before(command);
        return limits.send(key, command);
      },
      holdAgain: async () => {
        events.push(`${name} holds again, ${(await isListed(name)) ? 'listed' : 'not listed'}`);
        return new Set();
      },
      onInexact: (why) => void events.push(`${name}: ${why}`),
    });
  }

  async function twoThatKnowEachOther(): Promise<[ProcessList, ProcessList]> {
    const both: [ProcessList, ProcessList] = [list('one'), list('another')];
    for (const each of [...both, ...both]) await each.update();
    events.length = 0;
    return both;
  }

  it('are counted, each once', async () => {
    const [one, another] = await twoThatKnowEachOther();
    expect(await one.update()).toBe(2);
    expect(await another.update()).toBe(2);
    await one.whenComplete();
    expect(events).toEqual([]);
  });

  it('wait for one that has not held again what Redis lost', async () => {
    const [one, another] = await twoThatKnowEachOther();
    // However long Redis was away.
    clock.advance(50_000);
    await lose();
    const { pending } = clock;
    let isComplete = false;
    const waiting = one.whenComplete().then(() => (isComplete = true));
    for (let polls = 0; polls < 20; polls++) {
      await clock.whenPending(pending + 1);
      clock.advance(100);
    }
    expect(isComplete).toBe(false);
    await another.update();
    expect(events).toEqual(['one holds again, not listed', 'another holds again, not listed']);
    await clock.whenPending(pending + 1);
    clock.advance(100);
    await waiting;
  });

  it('go on without one that does not return, which learns of it', async () => {
    const [one, another] = await twoThatKnowEachOther();
    await lose();
    let isComplete = false;
    void one.whenComplete().then(() => (isComplete = true));
    await expect
      .poll(async () => {
        await clock.advanceAsync(1_000);
        return isComplete;
      })
      .toBe(true);
    await another.update();
    await another.update();
    expect(events.filter((event) => !event.includes('holds again'))).toEqual([
      'another: budgets were counted without this process',
    ]);
  });

  it('hold again what a server with older data lost, and wait for each other', async () => {
    const both: [ProcessList, ProcessList] = [list('one'), list('another')];
    for (const each of both) await each.update();
    const scores = await Promise.all(['one', 'another'].map((name) => askServer(redis.url, ['ZSCORE', LIST, name])));
    clock.advance(2_000);
    for (const each of [...both, ...both]) await each.update();
    events.length = 0;
    const [score, otherScore] = scores.map(String);
    await askServer(redis.url, ['ZADD', LIST, score ?? '', 'one', otherScore ?? '', 'another']);
    const { pending } = clock;
    let isComplete = false;
    const waiting = both[0].whenComplete().then(() => (isComplete = true));
    await clock.whenPending(pending + 1);
    expect(isComplete).toBe(false);
    await both[1].update();
    clock.advance(100);
    await waiting;
    expect(events).toEqual([
      'one holds again, not listed',
      'one: Redis has older data than before',
      'another holds again, not listed',
      'another: Redis has older data than before',
    ]);
  });

  it('have budgets counted again also where Redis is unavailable just after they are listed', async () => {
    let isAway = false;
    const one = list('one', ([command]) => {
      if (isAway && command === 'DEL') throw new Error('Redis is unavailable');
    });
    await one.update();
    const score = String(await askServer(redis.url, ['ZSCORE', LIST, 'one']));
    clock.advance(2_000);
    await one.update();
    await askServer(redis.url, ['ZADD', LIST, score, 'one']);
    isAway = true;
    await expect(one.update()).rejects.toThrow('Redis is unavailable');
    expect(await isListed('one')).toBe(true);
    isAway = false;
    events.length = 0;
    await one.update();
    await one.update();
    expect(events).toEqual(['one: Redis has older data than before']);
  });
});
