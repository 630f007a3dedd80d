import { describe, expect, it } from 'vitest';
import { dataOf, EventObserver } from '../../../../src/protocols/canonical/event-observer.ts';

class Data extends EventObserver {
  readonly seen: unknown[] = [];

  protected observeEvent(event: string): void {
    this.seen.push(dataOf(event).n);
  }
}

function seen(text: string): unknown[] {
  const observer = new Data();
  observer.observe(text);
  return observer.seen;
}

describe('events are observed one by one', () => {
  it.each([
    ['LF', 'event: a\ndata: {"n":1}\n\ndata: {"n":2}\n\n'],
    ['CR LF', 'event: a\r\ndata: {"n":1}\r\n\r\ndata: {"n":2}\r\n\r\n'],
    ['first LF', 'data: {"n":1}\n\ndata: {"n":2}\r\n\r\n'],
    ['first CR LF', 'data: {"n":1}\r\n\r\ndata: {"n":2}\n\n'],
  ])('with line ends of %s', (_, text) => {
    expect(seen(text)).toEqual([1, 2]);
  });

  it('also with data in several lines, and without a blank line at the end', () => {
    expect(seen('data: {"n":\r\ndata: 1}\r\n\r\ndata: {"n":2}')).toEqual([1, 2]);
    expect(seen('')).toEqual([]);
  });
});
