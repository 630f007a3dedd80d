import { describe, expect, it } from 'vitest';
import { ToolCallDeduplicator } from '../../src/providers/bridge/tool-call-deduplicator.ts';
import { MessagesDecoder } from '../../src/protocols/messages/decode-stream.ts';
import { ToolCallDeltas } from '../../src/providers/shared/openai-compatible/dialect/tool-calls.ts';
import { ResponsesDecoder } from '../../src/protocols/responses/decode-stream.ts';
import { StreamPartWriter } from '../../src/protocols/canonical/stream-part-writer.ts';
import { expectMedianWithin } from './median.ts';

/** What a provider's server can make long. What grows with the square of it takes longer than the bound. */
const MANY = 130_000;
const BOUND_MS = 10_000;

describe('a long answer', () => {
  it('may hold many calls without numbers of their own', () =>
    expectMedianWithin(BOUND_MS, () => {
      const deltas = new ToolCallDeltas();
      for (let index = 0; index < MANY; index++)
        expect(deltas.convert([{ id: `c${index}`, function: { name: 'f', arguments: '{}' } }])).toMatchObject([
          { index },
        ]);
      expect(deltas.convert([{ id: 'c7', function: { arguments: ' ' } }])).toMatchObject([{ index: 7 }]);
    }));

  it('may fill a call with blanks', () =>
    expectMedianWithin(BOUND_MS, () => {
      const writer = new StreamPartWriter('m');
      const calls = new ToolCallDeduplicator(writer);
      calls.begin('c', 'f');
      for (let piece = 0; piece < 2 * MANY; piece++) calls.input('c', ' ');
      calls.input('c', '{"x":1}');
      calls.end();
      expect(writer.take()?.at(-1)).toMatchObject({ type: 'tool-input', text: '{"x":1}' });
    }));

  it('may tell usage of many names, many times', () =>
    expectMedianWithin(BOUND_MS, () => {
      const writer = new StreamPartWriter('m');
      const answer = new MessagesDecoder(writer);
      const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`tokens_${index}`, index]));
      const iterations = Array.from({ length: 20_000 }, () => ({ type: 'message', input_tokens: 0, output_tokens: 0 }));
      const usage = { ...names, iterations, ['__proto__']: 1 };
      answer.event({ type: 'message_start', message: { id: 'm', usage } });
      for (let result = 0; result < 20_000; result++)
        answer.event({
          type: 'message_delta',
          usage: { output_tokens: result, iterations: result === 19_999 ? [] : undefined },
        });
      answer.event({ type: 'message_delta', usage: { input_tokens: 5 }, delta: { stop_reason: 'end_turn' } });
      writer.end();
      expect(writer.take()).toContainEqual({
        type: 'usage',
        usage: expect.objectContaining({ inputTokens: 5, outputTokens: 19_999 }),
      });
    }));

  it('may hold reasoning of many parts', () =>
    expectMedianWithin(BOUND_MS, () => {
      const writer = new StreamPartWriter('m');
      const answer = new ResponsesDecoder(writer);
      const content = Array.from({ length: MANY }, () => ({ type: 'reasoning_text', text: 't' }));
      answer.document({ status: 'completed', output: [{ type: 'reasoning', id: 'r', content }] });
      expect(writer.take()?.filter(({ type }) => type === 'reasoning-detail')).toHaveLength(MANY);
    }));
});
