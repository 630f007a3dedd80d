import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeWatch, SINCE, type ChangeFeed } from '../../src/database/change-watch.ts';
import type { Database } from '../../src/database/database.ts';
import { describeOnEachDatabase } from '../harness/databases.ts';

interface Fruit {
  readonly name: string;
  readonly ripe: boolean;
}

function feed(table: string, told: string[]): ChangeFeed<Fruit> {
  return {
    select: `select name, ripe from ${table} where changed_at > ${SINCE}`,
    changed: ({ name, ripe }) => void told.push(`${table} ${name}${ripe ? ' ripe' : ''}`),
  };
}

describeOnEachDatabase('changes by other processes', (databases) => {
  let database: Database;
  let watch: ChangeWatch;
  const told: string[] = [];

  beforeEach(async () => {
    database = await databases.open();
    watch = new ChangeWatch(database, false);
    told.length = 0;
    for (const table of ['apples', 'pears'])
      await database.query(`create table ${table} (name text, ripe boolean, changed_at timestamptz default now())`);
  });

  it('are told of by all feeds at one look, each change once', async () => {
    for (const table of ['apples', 'pears']) watch.add(feed(table, told));
    await database.query("insert into apples values ('a', false, now()), ('old', false, now() - interval '1 hour')");
    await database.query("insert into pears values ('a', true)");
    await watch.look();
    expect(told.splice(0)).toEqual(['apples a', 'pears a ripe']);
    await watch.look();
    expect(told).toEqual([]);
    await database.query("update apples set ripe = true where name = 'a'");
    await Promise.all([watch.look(), watch.look()]);
    expect(told).toEqual(['apples a ripe']);
  });

  it('are not told of to a feed that was taken away', async () => {
    const stop = watch.add(feed('apples', told));
    watch.add(feed('pears', told));
    await database.query("insert into apples values ('a', false)");
    stop();
    await watch.look();
    expect(told).toEqual([]);
  });
});

describe('a look for changes', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('comes within a second, also at those that a lost database hid, and no more when nobody listens', async () => {
    const changes: { name: string; at: number }[] = [];
    let [away, looks] = [false, 0];
    const query = async (_text: string, [backMs]: readonly unknown[] = []): Promise<never[]> => {
      looks++;
      if (away) throw new Error('away');
      const rows = changes.filter(({ at }) => at > performance.now() - Number(backMs));
      return JSON.parse(JSON.stringify(rows.map(({ name }) => ({ feed: 0, change: JSON.stringify({ name }) }))));
    };
    const told: string[] = [];
    const stop = new ChangeWatch({ query }, true).add(feed('apples', told));
    changes.push({ name: 'a', at: performance.now() });
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual(['apples a']);
    away = true;
    changes.push({ name: 'b', at: performance.now() });
    await vi.advanceTimersByTimeAsync(300_000);
    expect(told).toHaveLength(1);
    away = false;
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual(['apples a', 'apples b']);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(told).toHaveLength(2);
    stop();
    const before = looks;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(looks).toBe(before);
  });
});
