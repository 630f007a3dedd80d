import { describe, expect, it } from 'vitest';
import { delay } from '../../../src/calendar/clock.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

describe('a fake clock', () => {
  it('stands still until it is advanced', () => {
    const clock = new FakeClock(START);
    expect([clock.now(), clock.now()]).toEqual([START, START]);
    const began = clock.monotonic();
    clock.advance(1_500);
    expect(clock.now()).toBe(START + 1_500);
    expect(clock.monotonic()).toBe(began + 1_500);
  });

  it('starts at the same moment in each test', () => {
    expect(new FakeClock().now()).toBe(new FakeClock().now());
  });

  it('runs timers in the order of their time, each at its own', () => {
    const clock = new FakeClock(START);
    const ran: [string, number][] = [];
    const record = (name: string) => () => void ran.push([name, clock.now() - START]);
    clock.setTimeout(record('late'), 300);
    clock.setTimeout(record('early'), 100);
    clock.setTimeout(record('early, started second'), 100);
    clock.setTimeout(record('not yet'), 301);
    clock.advance(300);
    expect(ran).toEqual([
      ['early', 100],
      ['early, started second', 100],
      ['late', 300],
    ]);
    expect(clock.pending).toBe(1);
  });

  it('runs a timer that another one starts, where it falls due as well', () => {
    const clock = new FakeClock(START);
    const ran: number[] = [];
    const again = (): void => {
      ran.push(clock.now() - START);
      clock.setTimeout(again, 40);
    };
    clock.setTimeout(again, 40);
    clock.advance(100);
    expect(ran).toEqual([40, 80]);
  });

  it('resolves a promise when as many timers are pending as it waits for', async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    const waiting = [1, 2].map((count) => clock.whenPending(count).then(() => seen.push(`${count}`)));
    clock.setTimeout(() => undefined, 10);
    await waiting[0];
    expect(seen).toEqual(['1']);
    clock.setTimeout(() => undefined, 10);
    await waiting[1];
    await clock.whenPending(2);
    expect(seen).toEqual(['1', '2']);
  });

  it('repeats an interval until it is cancelled', () => {
    const clock = new FakeClock();
    let count = 0;
    const timer = clock.setInterval(() => {
      if (++count === 3) timer.cancel();
    }, 10);
    clock.advance(1_000);
    expect(count).toBe(3);
    expect(clock.pending).toBe(0);
  });

  it('runs no cancelled timer', () => {
    const clock = new FakeClock();
    const ran: string[] = [];
    const timer = clock.setTimeout(() => ran.push('cancelled'), 20).unref();
    clock.setTimeout(() => timer.cancel(), 10);
    clock.advance(100);
    timer.refresh();
    clock.advance(100);
    expect(ran).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('starts the time of a refreshed timer again', () => {
    const clock = new FakeClock(START);
    const ran: number[] = [];
    const timer = clock.setTimeout(() => ran.push(clock.now() - START), 100);
    clock.advance(90);
    timer.refresh();
    clock.advance(99);
    expect(ran).toEqual([]);
    clock.advance(1);
    expect(ran).toEqual([190]);
  });

  it.each([0, -5, Number.NaN, 2 ** 31])('takes %d ms for 1, as Node does', (ms) => {
    const clock = new FakeClock(START);
    const ran: number[] = [];
    clock.setTimeout(() => ran.push(clock.now() - START), ms);
    clock.advance(5);
    expect(ran).toEqual([1]);
  });

  it('lets promise callbacks and immediates run between timers', async () => {
    const clock = new FakeClock(START);
    const waits: number[] = [];
    const work = (async () => {
      for (let count = 0; count < 3; count++) {
        await delay(clock, 10);
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.resolve();
        waits.push(clock.now() - START);
      }
    })();
    await clock.advanceAsync(30);
    await work;
    expect(waits).toEqual([10, 20, 30]);
  });

  it('adjusts the wall time alone', () => {
    const clock = new FakeClock(START);
    const ran: number[] = [];
    const began = clock.monotonic();
    clock.setTimeout(() => ran.push(clock.monotonic() - began), 100);
    clock.setNow(START - 3_600_000);
    clock.advance(50);
    expect([clock.now(), clock.monotonic() - began]).toEqual([START - 3_600_000 + 50, 50]);
    clock.advance(50);
    expect(ran).toEqual([100]);
  });
});

describe('a delay', () => {
  it('rejects with the reason of an abort, and leaves no timer', async () => {
    const clock = new FakeClock();
    const leaving = new AbortController();
    const waiting = delay(clock, 1_000, leaving.signal);
    leaving.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    await expect(delay(clock, 1_000, leaving.signal)).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
  });

  it('resolves in time, and is not rejected by a later abort', async () => {
    const clock = new FakeClock();
    const leaving = new AbortController();
    const waiting = delay(clock, 1_000, leaving.signal);
    clock.advance(1_000);
    leaving.abort();
    await expect(waiting).resolves.toBeUndefined();
  });
});
