import { describe, expect, it } from 'vitest';
import { collectResult, partsOf } from '../../../../src/protocols/canonical/generation-result.ts';
import type { StreamPart } from '../../../../src/protocols/canonical/stream-part.ts';
import { ChatCompletionsDecoder } from '../../../../src/protocols/chat-completions/decode-stream.ts';
import { encodeResponse } from '../../../../src/protocols/chat-completions/encode-response.ts';
import { ChatCompletionsStreamEncoder } from '../../../../src/protocols/chat-completions/encode-stream.ts';
import { usageObject } from '../../../../src/protocols/canonical/usage.ts';

const logprob = { token: 'A', logprob: -1, bytes: [65], top_logprobs: [{ token: 'B', logprob: -2, bytes: null }] };
const usage = { inputTokens: 7, outputTokens: 5, cachedTokens: 3, cacheWriteTokens: 2, reasoningTokens: 1 };

/** Of each kind that has a chunk. */
const parts: readonly StreamPart[] = [
  { type: 'start', id: 'chatcmpl-1', model: 'served', created: 5 },
  { type: 'reasoning', choice: 0, text: 'hm' },
  { type: 'text', choice: 0, text: 'A', logprobs: [logprob] },
  { type: 'text', choice: 1, text: 'é', logprobs: [] },
  { type: 'refusal', choice: 1, text: 'No.' },
  { type: 'tool-call', choice: 0, call: 0, id: 'a', name: 'f', isCustom: false, extraContent: { google: {} } },
  { type: 'tool-input', choice: 0, call: 0, isCustom: false, text: '{"a"' },
  { type: 'tool-call', choice: 0, call: 1, id: 'b', name: 'c', isCustom: true, extraContent: undefined },
  { type: 'tool-input', choice: 0, call: 0, isCustom: false, text: ':1}' },
  { type: 'tool-input', choice: 0, call: 1, isCustom: true, text: 'ls' },
  { type: 'image', choice: 0, url: 'data:image/png;base64,AAAA' },
  {
    type: 'source',
    choice: 0,
    citation: { url: 'https://a.example', title: 'A', startIndex: 0, endIndex: 1 },
  },
  { type: 'reasoning-detail', choice: 0, detail: { type: 'reasoning.encrypted', format: 'bedrock-v1', data: 'x' } },
  { type: 'finish', choice: 0, reason: 'tool_calls' },
  { type: 'finish', choice: 1, reason: 'length' },
];

function chunksOf(events: string): object[] {
  return events
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.slice('data: '.length)));
}

function decoded(...chunks: readonly object[]): StreamPart[] {
  const decoder = new ChatCompletionsDecoder();
  for (const chunk of chunks) decoder.event(chunk);
  return decoder.take();
}

const choice = (delta: object) => ({ choices: [{ index: 0, delta }] });
const withoutStart = (all: readonly StreamPart[]) => all.filter(({ type }) => type !== 'start');

describe('a decoded chat', () => {
  it('has the parts that its chunks encode', () => {
    const encoder = new ChatCompletionsStreamEncoder(true);
    const chunks = chunksOf(parts.map((part) => encoder.encode(part)).join(''));
    expect(decoded(...chunks)).toEqual(
      parts.map((part) => (part.type === 'start' ? expect.objectContaining(part) : part)),
    );
  });

  it('has the parts of the response that is not streamed', () => {
    const [start] = parts;
    if (start?.type !== 'start') return expect.fail();
    const decoder = new ChatCompletionsDecoder();
    const result = { ...collectResult(parts), start, usage };
    decoder.document(JSON.parse(encodeResponse(result).toString()));
    const decodedParts = decoder.take();
    expect(collectResult(decodedParts)).toMatchObject({ ...result, start: expect.objectContaining(start) });
    // A response in another protocol is encoded from the same parts without a document.
    expect(withoutStart(decodedParts)).toMatchObject(withoutStart(partsOf(result)));
    expect(withoutStart(decodedParts).map(({ type }) => type)).toEqual(
      withoutStart(partsOf(result)).map(({ type }) => type),
    );
  });

  it('reports usage with its total and its cost', () => {
    const reported = {
      ...usageObject({ ...usage, hostedTools: { web_search_requests: 2 } }),
      total_tokens: 20,
      cost: 0.25,
    };
    expect(withoutStart(decoded({ choices: [], usage: reported }))).toMatchObject([
      { type: 'usage', usage: { ...usage, totalTokens: 20, hostedTools: { web_search_requests: 2 } }, cost: 0.25 },
    ]);
    expect(withoutStart(decoded({ choices: [], usage: null }))).toEqual([]);
  });

  it('repeats its metadata where the provider reports other metadata later', () => {
    const [first, tiered, same] = [
      { model: 'a', choices: [] },
      { model: 'a', service_tier: 'flex', choices: [] },
      { model: 'a', choices: [] },
    ];
    expect(decoded(first, tiered, same)).toMatchObject([
      { type: 'start', model: 'a', serviceTier: undefined },
      { type: 'start', model: 'a', serviceTier: 'flex' },
    ]);
  });

  it('has the reasoning of servers that call it `reasoning`', () => {
    expect(withoutStart(decoded(choice({ reasoning: 'hm' })))).toEqual([{ type: 'reasoning', choice: 0, text: 'hm' }]);
  });

  it('distinguishes calls without an index by their position', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '{}' } });
    const calls = withoutStart(decoded(choice({ tool_calls: [call('a'), call('b')] })));
    expect(calls).toMatchObject([
      { type: 'tool-call', call: 0, id: 'a' },
      { type: 'tool-input', call: 0, text: '{}' },
      { type: 'tool-call', call: 1, id: 'b' },
      { type: 'tool-input', call: 1, text: '{}' },
    ]);
  });

  it('ends regularly for a finish reason that only its provider knows', () => {
    const chunks = ['eos', 'function_call', 'content_filter'].map((finish_reason, index) => ({
      choices: [{ index, delta: {}, finish_reason }],
    }));
    expect(withoutStart(decoded(...chunks))).toMatchObject([
      { reason: 'stop' },
      { reason: 'tool_calls' },
      { reason: 'content_filter' },
    ]);
  });

  it.each([null, 'text', [], { choices: 'none' }, { choices: [null, { index: 'x', delta: { content: 'A' } }] }])(
    'ignores what is no chunk: %j',
    (chunk) => {
      const decoder = new ChatCompletionsDecoder();
      decoder.event(chunk);
      expect(withoutStart(decoder.take())).toEqual([]);
    },
  );
});
