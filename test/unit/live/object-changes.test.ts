import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BusListener, LiveBus } from '../../../src/live/live-bus.ts';
import { ObjectChanges } from '../../../src/live/object-changes.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const RECHECK_MS = 15_000;

/** What two processes share, without a server between them. */
class Wire {
  readonly sent: string[] = [];
  readonly #listeners = new Set<{ from: Wire; topic: string; listener: BusListener }>();

  /** The end of one process. */
  end(): LiveBus {
    const own = new Set<BusListener>();
    return {
      hasSubscribers: (topic) => [...this.#listeners].some((each) => each.topic === topic && !own.has(each.listener)),
      publish: (topic, message) => {
        this.sent.push(`${topic} ${message}`);
        for (const each of this.#listeners)
          if (each.topic === topic && !own.has(each.listener)) each.listener.onMessage(message);
      },
      listen: (topic, listener) => {
        const heard = { from: this, topic, listener };
        own.add(listener);
        this.#listeners.add(heard);
        return () => void this.#listeners.delete(heard);
      },
    };
  }

  lose(): void {
    for (const { listener } of this.#listeners) listener.onLoss();
  }
}

describe('ObjectChanges', () => {
  let clock: FakeClock;
  let wire: Wire;
  let here: ObjectChanges;
  let there: ObjectChanges;
  let closing: AbortController;

  beforeEach(() => {
    clock = new FakeClock();
    wire = new Wire();
    here = new ObjectChanges({ kind: 'things', bus: wire.end(), clock });
    there = new ObjectChanges({ kind: 'things', bus: wire.end(), clock });
    closing = new AbortController();
  });

  afterEach(() => closing.abort());

  it('announces a change at once, and fifty thousand more of the same object once every 500 ms', async () => {
    const reader = there.follow('account', closing.signal);
    const next = reader.next(RECHECK_MS);
    here.changed('account', 'a');
    expect(await next).toEqual(new Set(['a']));
    for (let count = 0; count < 50_000; count++) here.changed('account', 'a');
    expect(wire.sent).toEqual(['things:account a']);
    const after = reader.next(RECHECK_MS);
    clock.advance(500);
    expect(await after).toEqual(new Set(['a']));
    clock.advance(500);
    here.changed('account', 'a');
    expect(await reader.next(RECHECK_MS)).toEqual(new Set(['a']));
    expect(wire.sent).toHaveLength(3);
  });

  it('collects what changes while a reader does not read, of its own account only', async () => {
    const reader = here.follow('account', closing.signal);
    for (const id of ['a', 'b']) here.changed('account', id);
    here.changed('another', 'c');
    there.changed('account', 'd');
    expect(await reader.next(RECHECK_MS)).toEqual(new Set(['a', 'b', 'd']));
  });

  it('tells a reader to read all after a loss, after too many changes and after a while without any', async () => {
    const reader = here.follow('account', closing.signal);
    here.changed('account', 'a');
    wire.lose();
    expect(await reader.next(RECHECK_MS)).toBeNull();
    for (let count = 0; count < 1_001; count++) here.changed('account', `${count}`);
    expect(await reader.next(RECHECK_MS)).toBeNull();
    const quiet = reader.next(RECHECK_MS);
    clock.advance(RECHECK_MS);
    expect(await quiet).toBeNull();
    here.changed('account', 'b');
    expect(await reader.next(RECHECK_MS)).toEqual(new Set(['b']));
  });

  it('sends nothing to other processes that nobody there reads, also after the last reader has left', async () => {
    here.changed('account', 'a');
    const reader = there.follow('account', closing.signal);
    const next = reader.next(RECHECK_MS);
    closing.abort();
    expect(await next).toBeNull();
    clock.advance(500);
    here.changed('account', 'a');
    expect(wire.sent).toEqual([]);
  });

  it('announces what it held back when its process ends', async () => {
    const reader = there.follow('account', closing.signal);
    for (let count = 0; count < 2; count++) here.changed('account', 'a');
    await reader.next(RECHECK_MS);
    here.close();
    expect(await reader.next(RECHECK_MS)).toEqual(new Set(['a']));
    expect(clock.pending).toBe(0);
  });
});
