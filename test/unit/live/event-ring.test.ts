import { describe, expect, it } from 'vitest';
import { EventRing } from '../../../src/live/event-ring.ts';
import type { FeedItem } from '../../../src/live/feed.ts';

const bounds = { events: 5, weight: 1_000 };

async function take<T>(source: AsyncIterator<FeedItem<T>>, count: number): Promise<FeedItem<T>[]> {
  const items: FeedItem<T>[] = [];
  for (let index = 0; index < count; index++) {
    const next = await source.next();
    if (next.done) break;
    items.push(next.value);
  }
  return items;
}

function shown<T>(items: readonly FeedItem<T>[]): (T | 'gap')[] {
  return items.map((item) => (item.type === 'gap' ? 'gap' : item.event));
}

describe('EventRing', () => {
  it('delivers to each reader the events after its start, in order', async () => {
    const ring = new EventRing<number>(bounds);
    ring.push(1, 1);
    const reader = ring.read(null, new AbortController().signal);
    const reading = take(reader, 2);
    ring.push(2, 1);
    ring.push(3, 1);
    expect(shown(await reading)).toEqual([2, 3]);
  });

  it('resumes after a cursor', async () => {
    const ring = new EventRing<number>(bounds);
    for (const event of [1, 2, 3]) ring.push(event, 1);
    const [first] = await take(ring.read(ring.start, new AbortController().signal), 1);
    const cursor = first?.type === 'event' ? first.cursor : null;
    expect(shown(await take(ring.read(cursor, new AbortController().signal), 2))).toEqual([2, 3]);
  });

  it('sends a slow reader a gap and continues with the oldest retained event', async () => {
    const ring = new EventRing<number>(bounds);
    const start = ring.start;
    for (let event = 1; event <= 200; event++) ring.push(event, 1);
    expect(shown(await take(ring.read(start, new AbortController().signal), 3))).toEqual(['gap', 196, 197]);
  });

  it.each(['nonsense', 'abc.1', '', 'x.zzzzzzzzzzzzzzz'])(
    'takes the cursor %j for one that is too old',
    async (cursor) => {
      const ring = new EventRing<number>(bounds);
      ring.push(1, 1);
      expect(shown(await take(ring.read(cursor, new AbortController().signal), 2))).toEqual(['gap', 1]);
    },
  );

  it('limits the total weight', async () => {
    const ring = new EventRing<string>({ events: 100, weight: 10 });
    const start = ring.start;
    for (const event of ['a', 'b', 'c']) ring.push(event, 6);
    expect(shown(await take(ring.read(start, new AbortController().signal), 2))).toEqual(['gap', 'c']);
  });

  it('ends readers after the last event when it closes', async () => {
    const ring = new EventRing<number>(bounds);
    ring.push(1, 1);
    ring.close();
    ring.push(2, 1);
    expect(shown(await take(ring.read(ring.start, new AbortController().signal), 5))).toEqual([1]);
  });

  it('ends a reader when its signal aborts', async () => {
    const ring = new EventRing<number>(bounds);
    const leaving = new AbortController();
    const reading = take(ring.read(null, leaving.signal), 1);
    leaving.abort();
    expect(await reading).toEqual([]);
  });
});
