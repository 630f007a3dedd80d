import { describe, expect, it } from 'vitest';
import type { StreamPart } from '../../../../src/protocols/canonical/stream-part.ts';
import { ChatCompletionsDecoder } from '../../../../src/protocols/chat-completions/decode-stream.ts';
import { ResponsesStreamEncoder } from '../../../../src/protocols/responses/encode-stream.ts';
import { openDetails } from '../../../../src/protocols/responses/encrypted-content/encrypted-reasoning.ts';
import { responseSettings } from '../../../../src/protocols/responses/response-settings.ts';
import { itemId, readItemId } from '../../../../src/services/responses/response-id.ts';
import { reader, seal } from '../../../harness/content-seal.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';

const id = '019ab000-0000-7000-8000-000000000001';

function newEncoder(): ResponsesStreamEncoder {
  const settings = responseSettings('resp_x', 1, { model: 'asked', input: [] });
  return new ResponsesStreamEncoder(settings, (prefix, index) => itemId(prefix, id, index), {
    tools: new Map(),
    isCompaction: false,
    seal,
  });
}

/** The parts of a chat with these choices. */
function chunks(...deltas: object[]): StreamPart[] {
  const decoder = new ChatCompletionsDecoder();
  for (const choice of deltas) decoder.event({ model: 'served', choices: [{ index: 0, ...choice }] });
  decoder.event({ choices: [], usage });
  return decoder.take();
}

/** The response of a chat that is not streamed. */
function unstreamed(chat: object) {
  const decoder = new ChatCompletionsDecoder();
  decoder.document(chat);
  return newEncoder().document(decoder.take());
}

const usage = {
  prompt_tokens: 7,
  completion_tokens: 5,
  total_tokens: 12,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
  cost: 0.25,
};

/** The events of a stream, and the response that it ends with. */
function streamed(...deltas: object[]) {
  const encoder = newEncoder();
  encoder.encode(chunks(...deltas));
  const response = encoder.end();
  const events = encoder.take().map(({ type, sequenceNumber, json }) => {
    const result = JSON.parse(json);
    expect(result).toMatchObject({ type, sequence_number: sequenceNumber });
    expectOpenAi('ResponseStreamEvent', result);
    return result;
  });
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  return { events, response, types: events.map(({ type }) => type.replace('response.', '')) };
}

const stop = { delta: {}, finish_reason: 'stop' };

describe('a streamed response', () => {
  it('emits text as in the reference', () => {
    const { types, events, response } = streamed(
      { delta: { role: 'assistant', content: '' } },
      { delta: { content: 'Good ' } },
      { delta: { content: 'day' } },
      stop,
    );
    expect(types).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
    expect(events[2]).toMatchObject({ output_index: 0, item: { type: 'message', status: 'in_progress', content: [] } });
    expect(events[4]).toMatchObject({ output_index: 0, content_index: 0, delta: 'Good ', logprobs: [] });
    expect(events[6]).toMatchObject({ text: 'Good day' });
    expect(events[9].response).toEqual(response);
    expect(response).toMatchObject({
      status: 'completed',
      model: 'served',
      error: null,
      incomplete_details: null,
      usage: {
        input_tokens: 7,
        input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 12,
        cost: 0.25,
      },
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Good day' }],
        },
      ],
    });
  });

  it('emits reasoning before the text, with its signature', () => {
    const details = [{ type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'hm', signature: 'S' }];
    const { types, response } = streamed(
      { delta: { reasoning_content: 'h' } },
      { delta: { reasoning_content: 'm' } },
      { delta: { content: 'Yes' } },
      { delta: { reasoning_details: details } },
      stop,
    );
    expect(types.slice(2, 9)).toEqual([
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.added',
    ]);
    const [thought, message] = response.output as { type: string; summary: unknown; encrypted_content: string }[];
    expect(thought).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] });
    expect(message?.type).toBe('message');
    expect(openDetails({ encrypted_content: thought?.encrypted_content }, { ...reader, path: 'input[0]' })).toEqual(
      details,
    );
  });

  it('emits tool calls, also parallel ones', () => {
    const call = (index: number, more: object) => ({ delta: { tool_calls: [{ index, ...more }] } });
    const { types, events, response } = streamed(
      call(0, { id: 'call_a', type: 'function', function: { name: 'f', arguments: '' } }),
      call(0, { function: { arguments: '{"a"' } }),
      call(1, { id: 'call_b', type: 'custom', custom: { name: 'c', input: 'ls' } }),
      call(0, { function: { arguments: ':1}' } }),
      { delta: {}, finish_reason: 'tool_calls' },
    );
    expect(types.slice(2)).toEqual([
      'output_item.added',
      'function_call_arguments.delta',
      'output_item.added',
      'custom_tool_call_input.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ]);
    expect(events[7]).toMatchObject({ output_index: 0, name: 'f', arguments: '{"a":1}' });
    expect(response.output).toMatchObject([
      { type: 'function_call', call_id: 'call_a', name: 'f', arguments: '{"a":1}', status: 'completed' },
      { type: 'custom_tool_call', call_id: 'call_b', name: 'c', input: 'ls' },
    ]);
  });

  it('emits refusals, citations, images and log probabilities', () => {
    const logprobs = { content: [{ token: 'A', logprob: -1, bytes: [65], top_logprobs: [] }] };
    const citation = {
      type: 'url_citation',
      url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 },
    };
    const { response, types } = streamed(
      { delta: { content: 'A' }, logprobs },
      { delta: { annotations: [citation] } },
      { delta: { refusal: 'No.' } },
      { delta: { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] } },
      stop,
    );
    expect(types).toContain('output_text.annotation.added');
    expect(types).toContain('refusal.done');
    expect(response.output).toMatchObject([
      {
        content: [
          {
            type: 'output_text',
            text: 'A',
            annotations: [{ type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 }],
            logprobs: logprobs.content,
          },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      { type: 'image_generation_call', result: 'AAAA', status: 'completed' },
    ]);
  });

  it.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('with the finish reason %s is incomplete', (finish_reason, reason) => {
    const { response, types } = streamed({ delta: { content: 'A' } }, { delta: {}, finish_reason });
    expect(types.at(-1)).toBe('incomplete');
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason }, completed_at: null });
    expect(response.output).toMatchObject([{ status: 'incomplete' }]);
  });

  it('that fails has both error events, and its output so far', () => {
    const encoder = newEncoder();
    encoder.encode(chunks({ delta: { content: 'Go' } }));
    encoder.take();
    const response = encoder.fail({
      code: 'provider_unavailable',
      responseCode: 'server_error',
      message: 'It broke.',
    });
    const result = encoder.take();
    expect(result.map(({ type }) => type)).toEqual(['error', 'response.failed']);
    for (const { json } of result) expectOpenAi('ResponseStreamEvent', JSON.parse(json));
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: 'It broke.' },
      output: [{ content: [{ text: 'Go' }] }],
    });
  });

  it('that is cancelled ends with the event for incomplete responses, the only one in the reference', () => {
    const encoder = newEncoder();
    encoder.encode(chunks({ delta: { content: 'Go' } }));
    encoder.take();
    expect(encoder.cancel()).toMatchObject({
      status: 'cancelled',
      error: null,
      output: [{ content: [{ text: 'Go' }] }],
    });
    const result = encoder.take();
    expect(result.map(({ type }) => type)).toEqual(['response.incomplete']);
    for (const { json } of result) expectOpenAi('ResponseStreamEvent', JSON.parse(json));
  });

  it('has no provider-specific values', () => {
    const bare = { token: 'é', logprob: -1, bytes: null, top_logprobs: [{ token: 'e', logprob: -2, bytes: null }] };
    const citation = { type: 'url_citation', url_citation: { url: 'https://a.example', start_index: null } };
    const { response } = streamed(
      { delta: { content: 'é' }, logprobs: { content: [bare] } },
      { delta: { annotations: [citation] } },
      { delta: { images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] } },
      { delta: {}, finish_reason: 'length' },
    );
    expect(response.output).toMatchObject([
      { content: [{ logprobs: [{ bytes: [195, 169] }] }] },
      { status: 'completed' },
    ]);
    const tiered = unstreamed({ service_tier: 'on_demand', choices: [] });
    expect(tiered.service_tier).toBe('auto');
  });

  it('derives item ids from its own id and their index', () => {
    const { response } = streamed({ delta: { reasoning_content: 'h' } }, { delta: { content: 'A' } }, stop);
    const ids = (response.output as { id: string }[]).map((item) => item.id);
    expect(ids.map((each) => each.split('_')[0])).toEqual(['rs', 'msg']);
    expect(ids.map(readItemId)).toEqual([
      { responseId: id, index: 0 },
      { responseId: id, index: 1 },
    ]);
  });
});

describe('an unstreamed response', () => {
  it('has the same output as the stream', () => {
    const message = {
      role: 'assistant',
      content: 'Good day',
      reasoning_content: 'hm',
      tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    const whole = unstreamed({ model: 'served', choices, usage });
    const { role: _, tool_calls: calls, ...said } = message;
    const { response } = streamed(
      { delta: { reasoning_content: said.reasoning_content } },
      { delta: { content: said.content } },
      { delta: { tool_calls: calls.map((call, index) => ({ index, ...call })) } },
      { delta: {}, finish_reason: 'tool_calls' },
    );
    expect({ ...whole, completed_at: 0 }).toEqual({ ...response, completed_at: 0 });
  });
});
