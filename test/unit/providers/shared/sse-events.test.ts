import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseEvents } from '../../../../src/providers/shared/sse/sse-events.ts';

/** What is read of these bytes, cut into pieces of this length. */
function read(bytes: Buffer, length: number): string[] {
  const found: string[] = [];
  const events = new SseEvents((data) => found.push(data));
  for (let at = 0; at < bytes.length; at += length) events.push(bytes.subarray(at, at + length));
  events.end();
  return found;
}

function readByParser(text: string): string[] {
  const found: string[] = [];
  // It waits for what comes behind a carriage return.
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
  it('are read as another parser reads them, wherever their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(event), ending, fc.integer({ min: 1, max: 40 }), (events, end, length) => {
        const text = events.map((lines) => lines.map((one) => `${one}${end}`).join('') + end).join('');
        // An event of empty data says nothing to anyone here.
        const said = (found: string[]) => found.filter((data) => data !== '');
        expect(said(read(Buffer.from(text), length))).toEqual(said(readByParser(text)));
      }),
    );
  });

  it('are read though the last has no end', () => {
    expect(read(Buffer.from('event: a\ndata: one\n\nevent: b\ndata: two'), 5)).toEqual(['one', 'two']);
  });
});
