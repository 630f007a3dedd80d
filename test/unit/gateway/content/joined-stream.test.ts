import { describe, expect, it } from 'vitest';
import type { ProtocolName } from '../../../../src/protocols/canonical/protocol.ts';
import { joinedStream } from '../../../../src/gateway/content/streams/joined-stream.ts';

function joined(events: readonly object[], protocol: ProtocolName | null): unknown {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  return joinedStream(Buffer.from(`${text}data: [DONE]\n\n`), protocol);
}

describe('a stream that is logged', () => {
  it('is a chat completion, with tool calls whole', () => {
    const chunk = (delta: object) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] });
    const call = (members: object) => ({ tool_calls: [{ index: 0, ...members }] });
    const events = [
      chunk({ role: 'assistant', content: 'se' }),
      chunk({ content: 'cret' }),
      chunk(call({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a"' } })),
      chunk(call({ function: { arguments: ':1}' } })),
    ];
    expect(joined(events, null)).toMatchObject({
      object: 'chat.completion',
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'secret',
            tool_calls: [{ id: 'call_1', function: { arguments: '{"a":1}' } }],
          },
        },
      ],
    });
  });

  it('is a message, with thinking and inputs of tools whole', () => {
    const delta = (index: number, members: object) => ({ type: 'content_block_delta', index, delta: members });
    const start = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
    const events = [
      { type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 3 } } },
      start(0, { type: 'thinking', thinking: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'se' }),
      delta(0, { type: 'thinking_delta', thinking: 'cret' }),
      delta(0, { type: 'signature_delta', signature: 'abc' }),
      start(1, { type: 'tool_use', id: 't', name: 'f', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '{"a":' }),
      delta(1, { type: 'input_json_delta', partial_json: '1}' }),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    expect(joined(events, 'messages')).toEqual({
      id: 'msg_1',
      content: [
        { type: 'thinking', thinking: 'secret', signature: 'abc' },
        { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, output_tokens: 5 },
    });
  });

  it('is a response of Gemini, with texts and thoughts apart', () => {
    const chunk = (part: object) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [part] } }] });
    const events = [
      chunk({ text: 'th', thought: true }),
      chunk({ text: 'ink', thought: true }),
      chunk({ text: 'se' }),
      { ...chunk({ text: 'cret' }), usageMetadata: { totalTokenCount: 4 } },
    ];
    expect(joined(events, 'gemini')).toEqual({
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text: 'think', thought: true }, { text: 'secret' }] } },
      ],
      usageMetadata: { totalTokenCount: 4 },
    });
  });

  it('is a legacy completion', () => {
    const event = (text: string) => ({ id: 'cmpl', object: 'text_completion', choices: [{ index: 0, text }] });
    expect(joined([event('se'), event('cret')], 'completions')).toMatchObject({ choices: [{ text: 'secret' }] });
  });

  it('is the final response of the Responses API, and its joined events where that is missing', () => {
    const deltas = ['se', 'cret'].map((delta, index) => ({
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      sequence_number: index,
      delta,
    }));
    const last = { type: 'response.completed', response: { id: 'resp_1', output: [] } };
    expect(joined([...deltas, last], 'responses')).toEqual({ id: 'resp_1', output: [] });
    expect(joined(deltas, 'responses')).toEqual([
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'secret',
      },
    ]);
  });

  it('has the joined texts of a transcript', () => {
    const events = [
      { type: 'transcript.text.delta', delta: 'se' },
      { type: 'transcript.text.delta', delta: 'cret' },
      { type: 'transcript.text.done', text: 'secret' },
    ];
    expect(joined(events, null)).toEqual([
      { type: 'transcript.text.delta', delta: 'secret' },
      { type: 'transcript.text.done', text: 'secret' },
    ]);
  });
});
