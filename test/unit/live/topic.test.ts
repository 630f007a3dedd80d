import { describe, expect, it } from 'vitest';
import { Topic } from '../../../src/live/topic.ts';

describe('Topic', () => {
  it('delivers new events to the subscribers of each name until they unsubscribe', async () => {
    const topic = new Topic<number>();
    const [here, there] = [new AbortController(), new AbortController()];
    topic.publish('a', 1);
    const first = topic.subscribe('a', here.signal);
    topic.publish('a', 2);
    const second = topic.subscribe('a', there.signal);
    topic.publish('b', 3);
    topic.publish('a', 4);
    expect([await first.next(), await first.next()]).toMatchObject([{ value: 2 }, { value: 4 }]);
    expect(await second.next()).toMatchObject({ value: 4 });
    here.abort();
    expect(await first.next()).toMatchObject({ done: true });
    topic.publish('a', 5);
    expect(await second.next()).toMatchObject({ value: 5 });
    topic.close();
    expect(await second.next()).toMatchObject({ done: true });
  });
});
