import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DropJournal } from '../../../../src/gateway/usage/journal/drop-journal.ts';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';

const quiet = { error: () => undefined, info: () => undefined };
const accountId = newEventIds().eventId;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-dropped-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Fails while it is away. */
class MemoryStore {
  isAway = false;
  readonly rows = new Map<string, string>();

  async store(json: Buffer): Promise<void> {
    if (this.isAway) throw new Error('the database is away');
    const rows: { event_id: string; account_id: string }[] = JSON.parse(json.toString());
    for (const row of rows) this.rows.set(row.event_id, row.account_id);
  }
}

function journal(store: MemoryStore, clock = new FakeClock()): DropJournal {
  return new DropJournal({ folder, store, log: quiet, clock });
}

describe('the journal of dropped content', () => {
  it('stores each record, also a mass of them', async () => {
    const store = new MemoryStore();
    const drops = journal(store);
    const ids = Array.from({ length: 5_000 }, () => newEventIds().eventId);
    for (const id of ids) drops.add(id, accountId);
    await drops.flush();
    expect(new Set(store.rows.keys())).toEqual(new Set(ids));
    expect(new Set(store.rows.values())).toEqual(new Set([accountId]));
    await drops.stop(1_000);
  });

  it('stores after an outage what was dropped in it', async () => {
    const store = new MemoryStore();
    const clock = new FakeClock();
    const drops = journal(store, clock);
    drops.start();
    store.isAway = true;
    const { eventId } = newEventIds();
    drops.add(eventId, accountId);
    await expect(drops.flush()).rejects.toThrow('away');
    await clock.advanceAsync(60_000);
    expect(store.rows.size).toBe(0);
    store.isAway = false;
    await clock.advanceAsync(10_000);
    expect([...store.rows.keys()]).toEqual([eventId]);
    await drops.stop(1_000);
  });

  it('stores after a kill what was not stored before', async () => {
    const away = new MemoryStore();
    away.isAway = true;
    const killed = journal(away);
    const { eventId } = newEventIds();
    killed.add(eventId, accountId);
    await nextTurn();
    const store = new MemoryStore();
    const drops = journal(store);
    await drops.flush();
    expect([...store.rows.keys()]).toEqual([eventId]);
    await drops.stop(1_000);
  });

  it('counts what it cannot record once it is stopped', async () => {
    const drops = journal(new MemoryStore());
    await drops.stop(1_000);
    drops.add(newEventIds().eventId, accountId);
    expect(drops.lostCount).toBe(1);
  });
});
