import { describe, expect, it } from 'vitest';
import { WaitingContents, type QueuedContent } from '../../../../src/gateway/content/queue/waiting-contents.ts';

const content = (accountId: string, size = 1): QueuedContent => ({
  eventId: '',
  accountId,
  size,
  isEnded: false,
  own: () => undefined,
  release: () => undefined,
});
const none = (): boolean => false;

describe('content that waits', () => {
  it('is taken in its order, up to a count and a size', () => {
    const waiting = new WaitingContents();
    const all = Array.from({ length: 10 }, (_, at) => content('an account', at));
    for (const each of all) waiting.add(each);
    expect(waiting.take(3, 1_000, none)).toEqual(all.slice(0, 3));
    expect(waiting.take(1_000, 7, none)).toEqual(all.slice(3, 5));
    expect(waiting.bytes).toBe(5 + 6 + 7 + 8 + 9);
    expect(waiting.take(1_000, 1_000, none)).toEqual(all.slice(5));
    expect([waiting.isEmpty, waiting.bytes]).toEqual([true, 0]);
  });

  it('is held back for some accounts until they are resumed', () => {
    const waiting = new WaitingContents();
    const [held, other, heldToo] = [content('held', 10), content('other', 20), content('held', 30)];
    for (const each of [held, other, heldToo]) waiting.add(each);
    const isHeld = (accountId: string): boolean => accountId === 'held';
    expect(waiting.take(1, 1, isHeld)).toEqual([other]);
    expect(waiting.take(1, 1, isHeld)).toEqual([]);
    expect([waiting.isEmpty, waiting.bytes]).toEqual([true, 0]);
    waiting.resume('held');
    expect([waiting.isEmpty, waiting.bytes]).toEqual([false, 40]);
    expect(waiting.take(9, 99, none)).toEqual([held, heldToo]);
  });

  it('is copied from a buffer with others only where it is held back', () => {
    const waiting = new WaitingContents();
    const copied: string[] = [];
    for (const accountId of ['held', 'other', 'held'])
      waiting.add({ ...content(accountId), own: () => copied.push(accountId) });
    waiting.take(9, 99, (accountId) => accountId === 'held');
    expect(copied).toEqual(['held', 'held']);
  });
});
