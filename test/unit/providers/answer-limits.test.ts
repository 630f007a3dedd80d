import { describe, expect, it } from 'vitest';
import type { SluiceError } from '../../../src/errors/index.ts';
import { FetchedAnswer } from '../../../src/providers/bridge/package/fetched-answer.ts';
import { MessagesDecoder } from '../../../src/protocols/messages/decode-stream.ts';
import { PartialArguments } from '../../../src/protocols/gemini/decode-stream/partial-arguments.ts';
import { DialectReceiver } from '../../../src/providers/shared/openai-compatible/dialect/dialect-receiver.ts';
import { ResponsesDecoder } from '../../../src/protocols/responses/decode-stream.ts';
import { StreamPartWriter } from '../../../src/protocols/canonical/stream-part-writer.ts';
import { TranslatedAnswer } from '../../../src/providers/shared/chat/translated-answer.ts';

/** More than any response has. */
const MANY = 130_000;

describe('a long response', () => {
  it('fails when it exceeds the maximum length', () => {
    const translator = { event: () => undefined, document: () => undefined, ended: false };
    const [codes, aborted]: [string[], string[]] = [[], []];
    const context = {
      model: 'm',
      request: { messages: [] },
      body: Buffer.alloc(0),
      stream: true,
      wantsUsage: false,
      requestId: 'r',
      parameters: 'drop' as const,
    };
    const receiver = {
      onConnecting: () => undefined,
      onHead: () => undefined,
      onData: () => undefined,
      onParts: () => undefined,
      onResult: () => undefined,
      onEnd: () => expect.fail('a clean end'),
      onFailure: ({ code }: SluiceError) => void codes.push(code),
    };
    const dialect = new DialectReceiver('some', { marks: /"never"/ }, receiver);
    const translated = new TranslatedAnswer('some', context, receiver, () => translator);
    const megabyte = Buffer.from(`data: {"delta":"${'x'.repeat(1024 * 1024)}"}\n\n`);
    for (const answer of [translated, dialect]) {
      const upstream = { pause: () => undefined, resume: () => undefined, abort: () => void aborted.push('abort') };
      answer.onConnecting(upstream);
      answer.onHead(200, { 'content-type': 'text/event-stream' });
      for (let sent = 0; sent < 255; sent++) answer.onData(megabyte);
      expect(codes).toEqual([]);
      for (let sent = 0; sent < 5; sent++) answer.onData(megabyte);
      answer.onEnd();
      expect([codes.splice(0), aborted.splice(0)]).toEqual([['provider_invalid_response'], ['abort']]);
    }
  });

  it('fails when it comes from a package and exceeds the maximum length', () => {
    const watch = { unreportedBytes: 0, onSent: () => undefined };
    const answer = new FetchedAnswer('some', null, watch);
    let aborted = false;
    const controller = {
      paused: false,
      aborted: false,
      reason: null,
      rawHeaders: null,
      rawTrailers: null,
      pause: () => undefined,
      resume: () => undefined,
      abort: () => void (aborted = true),
    };
    answer.onRequestStart(controller);
    answer.onResponseStart(controller, 200, { 'content-type': 'text/event-stream' });
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 257; sent++) {
      expect(aborted).toBe(false);
      answer.onResponseData(controller, megabyte);
      // The package emitted a part.
      watch.unreportedBytes = 0;
    }
    expect(aborted).toBe(true);
  });

  it('fails when it has too many indexes, items or open blocks', () => {
    const pieces = new PartialArguments();
    expect(() => pieces.add([{ jsonPath: `$${'.a'.repeat(1_000_000)}`, numberValue: 1 }])).toThrow(RangeError);
    const paths = Array.from({ length: MANY }, (_, index) => ({ jsonPath: `$[${index}].a`, numberValue: 1 }));
    expect(pieces.add(paths.slice(0, 9_000))).toBe(false);
    expect(() => pieces.add(paths)).toThrow(RangeError);
    const responses = new ResponsesDecoder(new StreamPartWriter('m'));
    const anthropic = new MessagesDecoder(new StreamPartWriter('m'));
    const delta = (index: number) => ({ type: 'response.output_text.delta', output_index: index, delta: '' });
    const block = (index: number) => ({ type: 'content_block_start', index, content_block: { type: 'text' } });
    expect(() => {
      for (let index = 0; index < MANY; index++) responses.event(delta(index));
    }).toThrow(RangeError);
    expect(() => {
      for (let index = 0; index < MANY; index++) anthropic.event(block(index));
    }).toThrow(RangeError);
  });
});
