import { EventStreamCodec } from '@smithy/eventstream-codec';
import { describe, expect, it } from 'vitest';
import { EventStreamReader, type EventMessage } from '../../../../src/providers/amazon-bedrock/event-stream.ts';
import { cut } from '../google-vertex/vertex.ts';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()),
  (text) => Buffer.from(text),
);

function encoded(body: Buffer, headers: Parameters<typeof codec.encode>[0]['headers'] = {}): Buffer {
  return Buffer.from(codec.encode({ headers, body }));
}

function read(pieces: readonly Buffer[], reader = new EventStreamReader()): EventMessage[] {
  const messages: EventMessage[] = [];
  for (const piece of pieces) {
    reader.push(piece);
    for (let message = reader.next(); message !== null; message = reader.next()) messages.push(message);
  }
  return messages;
}

describe('an event stream of AWS', () => {
  it('is read from pieces of any size as its codec wrote it, with headers of every type', () => {
    const headers = {
      yes: { type: 'boolean' as const, value: true },
      no: { type: 'boolean' as const, value: false },
      byte: { type: 'byte' as const, value: 7 },
      short: { type: 'short' as const, value: 300 },
      integer: { type: 'integer' as const, value: 70_000 },
      binary: { type: 'binary' as const, value: Buffer.from('abc') },
      at: { type: 'timestamp' as const, value: new Date(0) },
      id: { type: 'uuid' as const, value: '00112233-4455-6677-8899-aabbccddeeff' },
      ':event-type': { type: 'string' as const, value: 'chünk' },
    };
    const bodies = ['', '{"a":1}', 'é'.repeat(40_000), 'x'].map((text) => Buffer.from(text));
    const bytes = Buffer.concat(bodies.map((body) => encoded(body, headers)));
    const single = Array.from(bytes.subarray(0, 2_000), (byte) => Buffer.from([byte]));
    for (const pieces of [[bytes], [...single, bytes.subarray(2_000)], ...[1, 2, 3].map((seed) => cut(bytes, seed))]) {
      const messages = read(pieces);
      expect(messages.map(({ payload }) => payload.equals(bodies[messages.length] ?? payload))).toEqual(
        bodies.map(() => true),
      );
      expect(messages.map(({ payload }) => payload.toString())).toEqual(bodies.map(String));
      for (const message of messages) expect([...message.headers]).toEqual([[':event-type', 'chünk']]);
    }
  });

  it('is incomplete within a message', () => {
    const reader = new EventStreamReader();
    const bytes = encoded(Buffer.from('abc'));
    expect(read([bytes.subarray(0, 9)], reader)).toEqual([]);
    expect(reader.isIncomplete).toBe(true);
    expect(read([bytes.subarray(9)], reader)).toHaveLength(1);
    expect(reader.isIncomplete).toBe(false);
  });

  it.each([2, 5, 9, 14, 20])('is refused where byte %i is another', (at) => {
    const bytes = encoded(Buffer.from('abcdef'), { a: { type: 'string', value: 'b' } });
    bytes[at] = (bytes[at] ?? 0) ^ 0x40;
    expect(() => read([bytes, Buffer.alloc(80)])).toThrow();
  });

  it('is refused where a message is longer than any of AWS', () => {
    const prelude = Buffer.alloc(12);
    prelude.writeUInt32BE(0x7fffffff, 0);
    expect(() => read([prelude])).toThrow(/a message of/);
  });
});
