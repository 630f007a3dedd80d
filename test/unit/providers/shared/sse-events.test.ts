import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseEvents } from '../../../../src/providers/shared/sse/sse-events.ts';

/** The events of these bytes, split into pieces of this length. */
function read(bytes: Buffer, length: number): string[] {
  const found: string[] = [];
  const events = new SseEvents((data) => found.push(data));
  for (let at = 0; at < bytes.length; at += length) events.push(bytes.subarray(at, at + length));
  events.end();
  return found;
}

function readByParser(text: string): string[] {
  const found: string[] = [];
  // A trailing carriage return may be followed by a line feed.
  createParser({ onEvent: ({ data }) => found.push(data) }).feed(`${text}: end\n`);
  return found;
}

const line = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'ü', '🏔️', ' ', ':', '{"x":"data: y"}') }).map((data) => `data: ${data}`),
  fc.constantFrom('data:close', 'event: message', 'event:x', 'id: 3', 'retry: 5', ': comment', 'database: no'),
);
const event = fc.array(line, { minLength: 1, maxLength: 4 });
const ending = fc.constantFrom('\n', '\r\n', '\r');

describe('server-sent events', () => {
  it('are parsed like by another parser, wherever their bytes are split', () => {
    fc.assert(
      fc.property(fc.array(event), ending, fc.integer({ min: 1, max: 40 }), (events, end, length) => {
        const text = events.map((lines) => lines.map((one) => `${one}${end}`).join('') + end).join('');
        // Events with empty data are ignored here.
        const said = (found: string[]) => found.filter((data) => data !== '');
        expect(said(read(Buffer.from(text), length))).toEqual(said(readByParser(text)));
      }),
    );
  });

  it('are parsed if the last event has no blank line', () => {
    expect(read(Buffer.from('event: a\ndata: one\n\nevent: b\ndata: two'), 5)).toEqual(['one', 'two']);
  });
});
