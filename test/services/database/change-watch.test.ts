import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ChangeWatch, SINCE, type ChangeFeed } from '../../../src/database/change-watch.ts';
import type { Database } from '../../../src/database/database.ts';
import { watchEndedSessions } from '../../../src/services/sessions/watch-ended-sessions.ts';
import { watchKeyChanges } from '../../../src/services/keys/watch-key-changes.ts';
import { watchAccounts } from '../../../src/services/members/watch-accounts.ts';
import { watchPlanChanges } from '../../../src/services/plans/watch-plan-changes.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

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
  const warn = vi.fn();

  beforeEach(async () => {
    database = await databases.open();
    watch = new ChangeWatch(database, { warn });
    told.length = 0;
    warn.mockClear();
    for (const table of ['apples', 'pears'])
      await database.query(`create table ${table} (name text, ripe boolean, changed_at timestamptz default now())`);
  });

  it('are delivered once to all feeds by one poll', async () => {
    await watch.poll();
    for (const table of ['apples', 'pears']) watch.add(feed(table, told));
    await database.query("insert into apples values ('a', false, now()), ('old', false, now() - interval '1 hour')");
    await database.query("insert into pears values ('a', true)");
    await watch.poll();
    expect(told.splice(0)).toEqual(['apples a', 'pears a ripe']);
    await watch.poll();
    expect(told).toEqual([]);
    await database.query("update apples set ripe = true where name = 'a'");
    await Promise.all([watch.poll(), watch.poll()]);
    expect(told).toEqual(['apples a ripe']);
  });

  it('are delivered again only to a feed that failed', async () => {
    let fails = true;
    const { select, changed } = feed('apples', told);
    watch.add<Fruit>({
      select,
      changed: (row) => {
        if (fails && row.name === 'a') throw new Error('not now');
        changed(row);
      },
    });
    await database.query("insert into apples values ('a', false), ('b', false)");
    await watch.poll();
    expect(told).toEqual(['apples b']);
    expect(warn).toHaveBeenCalledOnce();
    fails = false;
    await watch.poll();
    await watch.poll();
    expect(told).toEqual(['apples b', 'apples a']);
  });

  it('are not delivered to a removed feed, also during a poll', async () => {
    const stop = watch.add(feed('apples', told));
    watch.add(feed('pears', told));
    await database.query("insert into apples values ('a', false)");
    const looking = watch.poll();
    stop();
    await looking;
    await watch.poll();
    expect(told).toEqual([]);
  });

  it('of keys, plans, sessions and accounts are delivered, using an index', async () => {
    const accountId = '10000000-0000-4000-8000-000000000000';
    await database.query("insert into accounts (id, name) values ($1, 'A')", [accountId]);
    await database.query(
      `insert into plan_changes (id, account_id, from_plan, to_plan, from_fee_nano, to_fee_nano, effective_at, period_start, period_end, amount_nano)
       values (gen_random_uuid(), $1, 'free', 'pro', 0, 0, now(), now(), now() + interval '1 day', 0)`,
      [accountId],
    );
    watchPlanChanges(watch, (id) => void told.push(id));
    await watch.poll();
    expect(told).toEqual([accountId]);
    const selects: string[] = [];
    const listed: Pick<ChangeWatch, 'add'> = {
      add: ({ select }) => {
        selects.push(select);
        return () => undefined;
      },
    };
    watchKeyChanges(listed, { evict: () => undefined, revoked: () => undefined });
    watchPlanChanges(listed, () => undefined);
    watchEndedSessions(listed, { ended: () => undefined });
    watchAccounts(listed, { memberChanged: () => undefined, accountChanged: () => undefined });
    expect(selects).toHaveLength(5);
    for (const select of selects) {
      const plan = await database.transaction(async (client) => {
        await client.query('set local enable_seqscan = off');
        const { rows } = await client.query(`explain (format json) ${select}`, [60_000]);
        return JSON.stringify(z.array(z.unknown()).parse(rows));
      });
      expect(plan).toContain('Index Cond');
      expect(plan).toContain('statement_timestamp');
    }
  });
});

describe('change polling', () => {
  it('runs within a second, includes changes during a database outage, and stops when closed', async () => {
    const clock = new FakeClock();
    const changes: { name: string; at: number }[] = [];
    let away: Error | null = null;
    let looks = 0;
    const query = async (_text: string, [backMs]: readonly unknown[] = []): Promise<never[]> => {
      looks++;
      if (away) throw away;
      const rows = changes.filter(({ at }) => at > clock.monotonic() - Number(backMs));
      return JSON.parse(JSON.stringify(rows.map(({ name }) => ({ feed: 0, change: JSON.stringify({ name }) }))));
    };
    const told: string[] = [];
    const warn = vi.fn();
    const watch = new ChangeWatch({ query }, { warn }, clock);
    watch.add(feed('apples', told));
    changes.push({ name: 'a', at: clock.monotonic() });
    await clock.advanceAsync(10_000);
    expect(told).toEqual([]);
    watch.start();
    await clock.advanceAsync(999);
    expect(told).toEqual(['apples a']);
    away = new Error('Connection terminated unexpectedly');
    changes.push({ name: 'b', at: clock.monotonic() });
    await clock.advanceAsync(300_000);
    expect(told).toHaveLength(1);
    expect(warn).not.toHaveBeenCalled();
    // Another error is logged once, even directly after a connection failure.
    away = new Error('there is no such table');
    await clock.advanceAsync(10_000);
    expect(warn).toHaveBeenCalledOnce();
    away = null;
    await clock.advanceAsync(999);
    expect(told).toEqual(['apples a', 'apples b']);
    await clock.advanceAsync(300_000);
    expect(told).toHaveLength(2);
    watch.close();
    const before = looks;
    await clock.advanceAsync(10_000);
    expect(looks).toBe(before);
  });
});
