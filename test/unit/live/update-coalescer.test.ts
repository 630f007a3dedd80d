import { describe, expect, it } from 'vitest';
import { EventRing } from '../../../src/live/event-ring.ts';
import type { CompletionUpdate } from '../../../src/live/events.ts';
import { UpdateCoalescer, mergeUpdates } from '../../../src/live/update-coalescer.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const delta = (text: string, choice = 0): CompletionUpdate => ({ type: 'delta', choice, text });

function joined(readers: number) {
  const ring = new EventRing<CompletionUpdate>({ events: 100, weight: 10_000 });
  const leaving = new AbortController();
  const sources = Array.from({ length: readers }, () => ring.read(null, leaving.signal));
  // A reader counts from its first `next`.
  const first = sources.map((source) => source.next());
  const clock = new FakeClock();
  const updates = new UpdateCoalescer({ ring, merge: mergeUpdates, keyOf: () => '', weightOf: () => 1 }, clock);
  const read = async (): Promise<CompletionUpdate[]> => {
    ring.close();
    const [source, begun] = [sources[0], await first[0]];
    const seen = begun?.done === false && begun.value.type === 'event' ? [begun.value.event] : [];
    for await (const item of source ?? []) if (item.type === 'event') seen.push(item.event);
    return seen;
  };
  return { clock, ring, updates, read };
}

describe('UpdateCoalescer', () => {
  it('pushes events immediately while there are few readers', async () => {
    const { updates, read } = joined(1);
    for (const text of ['a', 'b', 'c']) updates.push(delta(text));
    expect(await read()).toEqual([delta('a'), delta('b'), delta('c')]);
  });

  it('merges events in order while there are many readers', async () => {
    const { updates, read } = joined(20);
    const tool = { type: 'toolCall', choice: 0, index: 0, id: 'x', name: 'f', arguments: '{' } as const;
    for (const each of [delta('a'), delta('b'), delta('c', 1), delta('d')]) updates.push(each);
    updates.push(tool);
    updates.push({ ...tool, id: null, name: null, arguments: '}' });
    updates.push({ type: 'reasoning', choice: 0, text: 'e' });
    updates.flush();
    expect(await read()).toEqual([
      delta('ab'),
      delta('c', 1),
      delta('d'),
      { ...tool, arguments: '{}' },
      { type: 'reasoning', choice: 0, text: 'e' },
    ]);
  });

  it('pushes pending events after 25 ms', async () => {
    const { clock, ring, updates, read } = joined(20);
    updates.push(delta('a'));
    updates.push(delta('b'));
    clock.advance(24);
    expect(ring.weight).toBe(0);
    clock.advance(1);
    expect(ring.weight).toBe(1);
    expect(await read()).toEqual([delta('ab')]);
  });
});
