import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newEventIds } from '../../../../src/gateway/event-id.ts';
import { CommonMembers } from '../../../../src/gateway/usage/journal/common-members.ts';
import { recoverUnsettled } from '../../../../src/gateway/usage/journal/recover-unsettled.ts';
import { JournalDrainer } from '../../../../src/gateway/usage/journal/drainer.ts';
import { Segment } from '../../../../src/gateway/usage/journal/segment.ts';
import type { DurabilityWaiter } from '../../../../src/gateway/usage/journal/durability-waiter.ts';
import { UsageJournal } from '../../../../src/gateway/usage/journal/usage-journal.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { wholeRows } from '../../../harness/journal-rows.ts';

const newEventId = (): string => newEventIds().eventId;
const failOnCorrupt = (corrupt: string): never => expect.fail(corrupt);
const quiet = { error: () => undefined, info: () => undefined };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-journal-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function record(eventId: string, more: object = {}): string {
  return JSON.stringify({ event_id: eventId, ...more });
}

/** Rows as a database would keep them: each event once. */
function memorySink(fail: () => boolean = () => false) {
  const rows = new Map<string, Readonly<Record<string, unknown>>>();
  let calls = 0;
  return {
    rows,
    get calls() {
      return calls;
    },
    store: async (json: Buffer, commonsJson: string) => {
      calls++;
      if (fail()) throw new Error('the database is away');
      for (const row of wholeRows(JSON.parse(json.toString()), JSON.parse(commonsJson)))
        if (!rows.has(row.event_id)) rows.set(row.event_id, row);
    },
  };
}

class Waiter implements DurabilityWaiter {
  durable = 0;
  failed = 0;
  onDurable(): void {
    this.durable++;
  }
  onJournalFailure(): void {
    this.failed++;
  }
}

describe('the usage journal', () => {
  it('calls the waiter when a line is on disk, after the turn that appended it', async () => {
    const journal = new UsageJournal(folder, quiet);
    const waiter = new Waiter();
    journal.begin(record(newEventId()), waiter);
    expect(waiter.durable).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(waiter.durable).toBe(1);
    expect(journal.current.size).toBeGreaterThan(0);
    journal.close();
  });

  it('is drained into rows, and its segments removed', async () => {
    const journal = new UsageJournal(folder, quiet);
    const sink = memorySink();
    const drainer = new JournalDrainer(journal, sink, quiet);
    const ids = Array.from({ length: 2_000 }, () => newEventId());
    for (const id of ids)
      journal.appendSettleRecord(
        record(id, { padding: 'x'.repeat(2_000) }),
        journal.begin(record(id), new Waiter()),
        new Waiter(),
      );
    expect(await drainer.stop(5_000)).toBe(true);
    expect([...sink.rows.keys()].sort()).toEqual([...ids].sort());
    expect(sink.calls).toBeGreaterThan(1);
    expect(journal.undrainedBytes).toBe(0);
    journal.close();
  });

  it('passes rows with their shared members, also from another batch or before a kill', async () => {
    const keys = Array.from({ length: 12 }, (_, at) => new CommonMembers(`,"account_id":"account ${at}"`));
    const route = new CommonMembers(',"model":"m","rates":null');
    const journal = new UsageJournal(folder, quiet);
    const expected: object[] = [];
    const settle = (at: number): void => {
      const id = newEventId();
      const [key = route] = keys.slice(at % keys.length);
      const refer = () => ({ of_key: journal.refer(key), of_route: journal.refer(route) });
      const segment = journal.begin(record(id, refer()), new Waiter());
      if (at === 500) journal.rotate();
      journal.appendSettleRecord(record(id, { ...refer(), padding: 'x'.repeat(at) }), segment, null);
      expected.push({
        event_id: id,
        account_id: `account ${at % keys.length}`,
        model: 'm',
        rates: null,
        padding: 'x'.repeat(at),
      });
    };
    for (let at = 0; at < 1_000; at += 1) settle(at);
    let isAway = true;
    const sink = memorySink(() => isAway);
    const draining = { writers: 2, batchBytes: 64 * 1024 };
    const drainer = new JournalDrainer(journal, sink, quiet, draining);
    await expect(drainer.drain()).rejects.toThrow('away');
    isAway = false;
    await drainer.drain();
    expect([...sink.rows.values()]).toEqual(expected);
    expect(sink.calls).toBeGreaterThan(4);
    // The referenced members of the following ones are in the part of the segment that is drained.
    for (let at = 0; at < 10; at += 1) settle(at);
    await drainer.drain();
    expect([...sink.rows.values()]).toEqual(expected);
    for (let at = 0; at < 10; at += 1) settle(at);
    journal.flush();
    const next = new UsageJournal(folder, quiet);
    expect(recoverUnsettled(next, failOnCorrupt)).toBe(0);
    await new JournalDrainer(next, sink, quiet, draining).drain();
    expect([...sink.rows.values()]).toEqual(expected);
    next.close();
  });

  it('drains what it contained at the start, including this turn, though more lines arrive', async () => {
    const journal = new UsageJournal(folder, quiet);
    const settle = (): string => {
      const id = newEventId();
      journal.appendSettleRecord(record(id), journal.begin(record(id), new Waiter()), null);
      return id;
    };
    const sink = memorySink();
    const drainer = new JournalDrainer(
      journal,
      {
        store: async (rows) => {
          await sink.store(rows, '[]');
          // As on a busy server: with each batch that is stored, another is written.
          settle();
          journal.flush();
        },
      },
      quiet,
    );
    const before = settle();
    await drainer.drain();
    expect([...sink.rows.keys()]).toEqual([before]);
    expect(journal.undrainedBytes).toBeGreaterThan(0);
    journal.close();
  });

  it('has one concurrent batch per writer, and advances only past stored batches', async () => {
    const journal = new UsageJournal(folder, quiet);
    const ids = Array.from({ length: 1_000 }, () => newEventId());
    for (const id of ids)
      journal.appendSettleRecord(
        record(id, { padding: 'x'.repeat(2_000) }),
        journal.begin(record(id), new Waiter()),
        null,
      );
    const sink = memorySink();
    let [underWay, most, first] = [0, 0, true];
    const stored = Promise.withResolvers<void>();
    const store = async (rows: Buffer): Promise<void> => {
      const fails = first;
      first = false;
      most = Math.max(most, ++underWay);
      // The first one is reported last.
      if (fails) await stored.promise;
      try {
        if (fails) throw new Error('the database is away');
        await sink.store(rows, '[]');
        stored.resolve();
      } finally {
        underWay--;
      }
    };
    const drainer = new JournalDrainer(journal, { store }, quiet, { writers: 2, batchBytes: 512 * 1024 });
    await expect(drainer.drain()).rejects.toThrow('away');
    expect([most, underWay]).toEqual([2, 0]);
    expect(sink.rows.size).toBeGreaterThan(0);
    expect(sink.rows.size).toBeLessThan(ids.length);
    const undrained = journal.undrainedBytes;
    expect(undrained).toBe(journal.segments.reduce((sum, { size }) => sum + size, 0));
    await drainer.drain();
    expect(most).toBe(2);
    expect([...sink.rows.keys()].sort()).toEqual([...ids].sort());
    expect(journal.undrainedBytes).toBe(0);
    journal.close();
  });

  it('may have a batch fail during an earlier one, and reports the first failure in order', async () => {
    const journal = new UsageJournal(folder, quiet);
    for (let at = 0; at < 4; at += 1)
      journal.appendSettleRecord(
        record(newEventId(), { padding: 'x'.repeat(400) }),
        journal.begin(record(newEventId()), new Waiter()),
        null,
      );
    let calls = 0;
    const second = Promise.withResolvers<void>();
    const store = async (): Promise<void> => {
      const call = ++calls;
      if (call === 2) second.resolve();
      else await second.promise;
      // Node looks at the end of a turn who cares for the second.
      if (call === 1) await nextTurn();
      throw new Error(`batch ${call} is refused`);
    };
    const drainer = new JournalDrainer(journal, { store }, quiet, { writers: 2, batchBytes: 1_024 });
    await expect(drainer.drain()).rejects.toThrow('batch 1');
    expect(calls).toBe(2);
    journal.close();
  });

  it('continues in the current file where no further one can be created', async () => {
    const result: string[] = [];
    const journal = new UsageJournal(folder, { ...quiet, error: (_fields, message) => void result.push(message) });
    rmSync(folder, { recursive: true });
    const waiter = new Waiter();
    for (let at = 0; at < 10; at += 1) {
      journal.appendSettleWithoutBegin(record(newEventId(), { padding: 'x'.repeat(1_000_000) }));
      journal.begin(record(newEventId()), waiter);
      journal.flush();
    }
    expect([waiter.durable, waiter.failed]).toEqual([10, 0]);
    expect(result).toEqual([expect.stringContaining('creation of a usage journal segment')]);
    const sink = memorySink();
    await new JournalDrainer(journal, sink, quiet).drain();
    expect(sink.rows.size).toBe(10);
  });

  it('bills no other account where a digit of a reference is corrupt', async () => {
    const keys = ['a', 'b', 'c'].map((account) => new CommonMembers(`,"account_id":"${account}"`));
    const route = new CommonMembers(',"model":"m"');
    const before = new UsageJournal(folder, quiet);
    for (const key of keys)
      for (let at = 0; at < 2; at += 1) {
        const eventId = newEventId();
        const refers = record(eventId, {
          of_key: before.refer(key),
          of_route: before.refer(route),
          expected: key.json,
        });
        before.appendSettleRecord(refers, before.begin(record(eventId), new Waiter()), null);
      }
    before.flush();
    const [name = ''] = readdirSync(folder);
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    // The places of all digits of numbers by which something is referred to.
    const places = [...text.matchAll(/"(?:common|of_key|of_route)":(\d+)/g)].flatMap(
      ({ 0: whole, 1: digits = '', index }) => Array.from(digits, (_, at) => index + whole.length - digits.length + at),
    );
    expect(places.length).toBeGreaterThan(10);
    before.close();
    for (const place of places)
      for (let digit = 0; digit < 10; digit += 1) {
        // Invalid JSON, which the store reports.
        if (digit === 0 && /\d/.test(text.charAt(place + 1))) continue;
        writeFileSync(path, `${text.slice(0, place)}${digit}${text.slice(place + 1)}`);
        const after = new UsageJournal(folder, quiet);
        recoverUnsettled(after, () => undefined);
        const sink = memorySink();
        await new JournalDrainer(after, sink, quiet).drain();
        expect(sink.rows.size).toBe(6);
        for (const row of sink.rows.values())
          if (row['account_id'] !== undefined)
            expect(row['expected']).toBe(`,"account_id":"${String(row['account_id'])}"`);
        after.close();
      }
  });

  it('starts no further file while the current one is empty', () => {
    const journal = new UsageJournal(folder, quiet);
    const before = readdirSync(folder);
    journal.rotate();
    expect(readdirSync(folder)).toEqual(before);
    journal.begin(record(newEventId()), new Waiter());
    journal.rotate();
    expect(readdirSync(folder)).toHaveLength(before.length + 1);
    journal.close();
  });

  it('retains a segment with an open begin', async () => {
    const journal = new UsageJournal(folder, quiet);
    const drainer = new JournalDrainer(journal, memorySink(), quiet);
    const id = newEventId();
    const begunIn = journal.begin(record(id), new Waiter());
    journal.rotate();
    await drainer.drain();
    expect(readdirSync(folder)).toHaveLength(2);
    journal.appendSettleRecord(record(id), begunIn, null);
    journal.flush();
    await drainer.drain();
    expect(readdirSync(folder)).toHaveLength(1);
    journal.close();
  });

  it('retains the line that revokes a begin as long as the begin', async () => {
    const journal = new UsageJournal(folder, quiet);
    const sink = memorySink();
    const drainer = new JournalDrainer(journal, sink, quiet);
    const [long, refused] = [newEventId(), newEventId()];
    const begunIn = journal.begin(record(long), new Waiter());
    journal.withdraw(refused, journal.begin(record(refused), new Waiter()), null);
    const later = newEventId();
    const laterIn = journal.begin(record(later), new Waiter());
    journal.rotate();
    journal.withdraw(later, laterIn, null);
    journal.rotate();
    await drainer.drain();
    expect(readdirSync(folder)).toHaveLength(3);
    // As after a kill: another process reads what is there.
    const killed = `${folder}-killed`;
    cpSync(folder, killed, { recursive: true });
    const after = new UsageJournal(killed, quiet);
    const interrupted = memorySink();
    expect(recoverUnsettled(after, failOnCorrupt)).toBe(1);
    await new JournalDrainer(after, interrupted, quiet).drain();
    expect([...interrupted.rows.keys()]).toEqual([long]);
    after.close();
    rmSync(killed, { recursive: true });
    journal.appendSettleRecord(record(long), begunIn, null);
    journal.flush();
    await drainer.drain();
    expect(readdirSync(folder)).toHaveLength(1);
    expect([...sink.rows.keys()]).toEqual([long]);
    journal.close();
  });

  it('removes the oldest segment first, so that a kill in between leaves no begin without the line that revokes it', () => {
    const journal = new UsageJournal(folder, quiet);
    const refused = newEventId();
    const begunIn = journal.begin(record(refused), new Waiter());
    journal.rotate();
    journal.withdraw(refused, begunIn, null);
    journal.rotate();
    for (const segment of journal.segments) segment.drained = segment.size;
    const removed: string[] = [];
    const remove = vi.spyOn(Segment.prototype, 'remove').mockImplementation(function (this: Segment) {
      removed.push(this.path);
    });
    journal.removeDrained();
    remove.mockRestore();
    expect(removed).toHaveLength(2);
    expect(removed).toEqual(removed.toSorted());
    journal.close();
  });

  it('retains a begin while its settle cannot be written', async () => {
    const journal = new UsageJournal(folder, quiet);
    const drainer = new JournalDrainer(journal, memorySink(), quiet);
    const id = newEventId();
    const begunIn = journal.begin(record(id), new Waiter());
    journal.rotate();
    const append = vi.spyOn(Segment.prototype, 'append').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    journal.appendSettleRecord(record(id), begunIn, null);
    await drainer.drain();
    append.mockRestore();
    expect(readdirSync(folder)).toHaveLength(2);
    // A new process finds the begin record.
    const after = new UsageJournal(folder, quiet);
    expect(recoverUnsettled(after, failOnCorrupt)).toBe(1);
    after.close();
    await drainer.drain();
    expect(journal.failure).toBeNull();
    journal.close();
  });

  it('is written as soon as the disk has room, without further lines', () => {
    const clock = new FakeClock();
    const journal = new UsageJournal(folder, quiet, clock);
    const append = vi.spyOn(Segment.prototype, 'append').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    const id = newEventId();
    journal.appendSettleRecord(record(id), journal.begin(record(id), new Waiter()), null);
    journal.flush();
    expect(journal.failure?.message).toBe('the disk is full');
    clock.advance(1_000);
    expect(journal.failure?.message).toBe('the disk is full');
    append.mockRestore();
    clock.advance(1_000);
    expect(journal.failure).toBeNull();
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      expect.stringContaining(id),
    ]);
    journal.close();
  });

  it('is drained 250 ms after a line, closes a drained segment after a minute, and needs no timer then', async () => {
    const clock = new FakeClock();
    const journal = new UsageJournal(folder, quiet, clock);
    const sink = memorySink();
    const drainer = new JournalDrainer(journal, sink, quiet, undefined, clock);
    drainer.start();
    await clock.advanceAsync(250);
    expect(clock.pending).toBe(0);
    const ids = [newEventId(), newEventId(), newEventId()];
    for (const id of ids) {
      journal.appendSettleRecord(record(id), journal.begin(record(id), new Waiter()), null);
      await clock.advanceAsync(250);
      expect([...sink.rows.keys()]).toContain(id);
      await clock.advanceAsync(1_000);
    }
    const before = readdirSync(folder);
    await clock.advanceAsync(61_000);
    expect(readdirSync(folder)).not.toEqual(before);
    expect(journal.current.size).toBe(0);
    expect(clock.pending).toBe(0);
    await drainer.stop(1);
    journal.close();
  });

  it('is drained by one timer, also where a line is appended while a segment is closed', async () => {
    const clock = new FakeClock();
    const journal = new UsageJournal(folder, quiet, clock);
    const sink = memorySink();
    const drainer = new JournalDrainer(journal, sink, quiet, undefined, clock);
    drainer.start();
    const [first, second] = [newEventId(), newEventId()];
    journal.appendSettleWithoutBegin(record(first));
    await clock.advanceAsync(1_000);
    expect([...sink.rows.keys()]).toEqual([first]);
    clock.advance(61_000);
    journal.appendSettleWithoutBegin(record(second));
    await clock.advanceAsync(0);
    expect(clock.pending).toBe(1);
    await clock.advanceAsync(250);
    expect([...sink.rows.keys()]).toEqual([first, second]);
    await drainer.stop(1);
    journal.close();
  });

  it('is drained until the database is available, also without further lines', async () => {
    const clock = new FakeClock();
    const journal = new UsageJournal(folder, quiet, clock);
    let away = true;
    const sink = memorySink(() => away);
    const drainer = new JournalDrainer(journal, sink, quiet, undefined, clock);
    drainer.start();
    await clock.advanceAsync(250);
    const id = newEventId();
    journal.appendSettleRecord(record(id), journal.begin(record(id), new Waiter()), null);
    await clock.advanceAsync(20_000);
    expect(drainer.failing).toBe(true);
    away = false;
    await clock.advanceAsync(4_000);
    expect([...sink.rows.keys()]).toEqual([id]);
    await drainer.stop(1);
    journal.close();
  });

  it('waits while the database is unavailable, and loses nothing', async () => {
    let away = true;
    const journal = new UsageJournal(folder, quiet);
    const sink = memorySink(() => away);
    const drainer = new JournalDrainer(journal, sink, quiet);
    const id = newEventId();
    journal.appendSettleRecord(record(id), journal.begin(record(id), new Waiter()), null);
    journal.flush();
    await expect(drainer.drain()).rejects.toThrow('away');
    expect(journal.undrainedBytes).toBeGreaterThan(0);
    away = false;
    await drainer.drain();
    expect([...sink.rows.keys()]).toEqual([id]);
    journal.close();
  });
});

describe('the records of a killed process', () => {
  it('are recovered: settled records are stored once, begins without a settle as interrupted', async () => {
    const [done, cut, halfWritten] = [newEventId(), newEventId(), newEventId()];
    const before = new UsageJournal(folder, quiet);
    before.appendSettleRecord(
      record(done, { status: 'succeeded' }),
      before.begin(record(done, { status: 'interrupted' }), new Waiter()),
      null,
    );
    before.begin(record(cut, { status: 'interrupted' }), new Waiter());
    before.flush();
    const [file = ''] = readdirSync(folder);
    appendFileSync(join(folder, file), `S${record(halfWritten).slice(0, 30)}`);

    const after = new UsageJournal(folder, quiet);
    expect(recoverUnsettled(after, failOnCorrupt)).toBe(1);
    const sink = memorySink();
    const drainer = new JournalDrainer(after, sink, quiet);
    await drainer.drain();
    expect([...sink.rows.values()].map(({ event_id: id, status }) => [id, status]).sort()).toEqual(
      [
        [done, 'succeeded'],
        [cut, 'interrupted'],
      ].sort(),
    );
    expect(readdirSync(folder)).toHaveLength(1);
    after.close();
  });

  it('have the cost of their input, at the prices of their begin', async () => {
    const begun = {
      began_at: '2026-11-01T10:00:00.000Z',
      model: 'openai/gpt-4.1-mini',
      provider: 'openai',
      rates: { input: '0.4', output: '1.6' },
      input_tokens: 1_000,
    };
    const cut = newEventId();
    const before = new UsageJournal(folder, quiet);
    before.begin(record(cut, begun), new Waiter());
    before.flush();
    const after = new UsageJournal(folder, quiet);
    recoverUnsettled(after, failOnCorrupt);
    const sink = memorySink();
    await new JournalDrainer(after, sink, quiet).drain();
    expect(sink.rows.get(cut)).toMatchObject({
      ...begun,
      status: 'interrupted',
      estimated: true,
      output_tokens: 0,
      cost_nano: '400000',
      attempts: [],
    });
    after.close();
  });

  it('contain the shared members, which each segment has once', async () => {
    const [account, model] = [
      new CommonMembers(',"account_id":"a","markup_ppm":5'),
      new CommonMembers(',"model":"m","rates":null'),
    ];
    const before = new UsageJournal(folder, quiet);
    const begin = (): string => {
      const id = newEventId();
      before.begin(record(id, { of_key: before.refer(account), of_route: before.refer(model) }), new Waiter());
      return id;
    };
    const cut = [begin(), begin()];
    before.rotate();
    cut.push(begin());
    before.flush();
    const [first = '', second = ''] = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect([first, second].map((lines) => lines.split('\n').map((line) => line.slice(0, 1)))).toEqual([
      ['C', 'C', 'B', 'B', ''],
      ['C', 'C', 'B', ''],
    ]);
    const after = new UsageJournal(folder, quiet);
    expect(recoverUnsettled(after, failOnCorrupt)).toBe(3);
    const sink = memorySink();
    await new JournalDrainer(after, sink, quiet).drain();
    expect([...sink.rows.keys()].toSorted()).toEqual(cut.toSorted());
    for (const row of sink.rows.values()) {
      expect(row).toMatchObject({ account_id: 'a', model: 'm', rates: null, markup_ppm: 5, status: 'interrupted' });
      expect(Object.keys(row)).not.toContain('of_key');
      expect(Object.keys(row)).not.toContain('common');
    }
    after.close();
  });

  it('never get the shared members of others where their own are corrupt', async () => {
    const before = new UsageJournal(folder, quiet);
    const [first, second] = [new CommonMembers(',"account_id":"a"'), new CommonMembers(',"account_id":"b"')];
    const ids = [first, second].map((members) => {
      const id = newEventId();
      before.begin(record(id, { of_key: before.refer(members) }), new Waiter());
      return id;
    });
    before.flush();
    const [name = ''] = readdirSync(folder);
    const path = join(folder, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace('{"common":1', '{"commoX":1'));
    const result: string[] = [];
    const after = new UsageJournal(folder, quiet);
    recoverUnsettled(after, (text) => result.push(text));
    expect(result).toEqual([expect.stringContaining('"b"'), expect.stringContaining(ids[1] ?? '-')]);
    const sink = memorySink();
    await new JournalDrainer(after, sink, quiet).drain();
    expect([...sink.rows.values()]).toMatchObject([{ event_id: ids[0], account_id: 'a' }]);
    after.close();
  });

  it('are reported as corrupt where their shared members are lost', () => {
    const before = new UsageJournal(folder, quiet);
    before.begin(record(newEventId(), { of_key: 0 }), new Waiter());
    before.flush();
    const result: string[] = [];
    const after = new UsageJournal(folder, quiet);
    recoverUnsettled(after, (text, error) => result.push(`${text} ${String(error)}`));
    expect(result).toEqual([expect.stringContaining('are lost')]);
    after.close();
  });

  it('are resolved although one record is corrupt, which is reported', () => {
    const [corrupt, cut] = [newEventId(), newEventId()];
    const before = new UsageJournal(folder, quiet);
    before.begin(record(corrupt).replace('}', '\u0000'), new Waiter());
    before.begin(record(cut), new Waiter());
    before.flush();
    const after = new UsageJournal(folder, quiet);
    const result: string[] = [];
    expect(recoverUnsettled(after, (text) => result.push(text))).toBe(1);
    expect(result).toHaveLength(1);
    expect(result[0]).toContain(corrupt);
    after.close();
  });

  it('are resolved in the same way when the next process is killed too', async () => {
    const cut = newEventId();
    const first = new UsageJournal(folder, quiet);
    first.begin(record(cut), new Waiter());
    first.flush();
    recoverUnsettled(new UsageJournal(folder, quiet), failOnCorrupt);
    const third = new UsageJournal(folder, quiet);
    expect(recoverUnsettled(third, failOnCorrupt)).toBe(0);
    const sink = memorySink();
    await new JournalDrainer(third, sink, quiet).drain();
    expect([...sink.rows.keys()]).toEqual([cut]);
    third.close();
  });
});
