import type OpenAI from 'openai';
import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { pieces } from '../../../harness/fake-provider.ts';
import { recording, replayStream, readThroughSluice } from '../replay.ts';
import { documentOf, eventsOf, messageOf, streamOf, withAnthropic } from './ask.ts';

const request = { model: 'anthropic/claude-sonnet-4-5', messages: [{ role: 'user' as const, content: 'Hello' }] };

type Answer = OpenAI.ChatCompletion & { choices: { message: { annotations?: unknown; reasoning_content?: string } }[] };

/** The same answer, whole and as a stream, is told the same. */
async function bothWays(message: Record<string, unknown>): Promise<Answer['choices'][number]> {
  const whole: Answer = await withAnthropic(documentOf(message), ({ client }) =>
    client.chat.completions.create(request),
  );
  const streamed = await withAnthropic(streamOf(eventsOf(message)), ({ client }) =>
    client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion(),
  );
  expect(plain(streamed)).toEqual(plain(whole));
  if (whole.choices[0] === undefined) throw new Error('no choice came');
  return whole.choices[0];
}

/** Without what the SDK adds, what is null, the time, and what streams alone tell. */
function plain(value: unknown): unknown {
  const added = new Set(['parsed', 'parsed_arguments', 'created', 'object', 'index', 'cost']);
  return JSON.parse(
    JSON.stringify(value, (name, inner: unknown) => (inner === null || added.has(name) ? undefined : inner)),
  );
}

/** What a stream of these events tells, with the error that it ends in. */
async function streamed(events: readonly Record<string, unknown>[]): Promise<{ text: string; error: unknown }> {
  return withAnthropic(streamOf(events), async ({ client }) => {
    let text = '';
    try {
      for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
        text += chunk.choices[0]?.delta.content ?? '';
    } catch (error) {
      return { text, error };
    }
    return { text, error: null };
  });
}

const [start, ping] = eventsOf(messageOf([]));
if (start === undefined || ping === undefined) throw new Error('no events');

describe('an answer', () => {
  it('cites the pages of a search at the characters that rest on them', async () => {
    const citation = { type: 'web_search_result_location', url: 'https://a.example', title: 'A', cited_text: 'x' };
    const choice = await bothWays(
      messageOf([
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
        { type: 'text', text: 'So: ' },
        { type: 'text', text: 'Zürich lies.', citations: [citation, { ...citation, url: 'https://b.example' }] },
        { type: 'text', text: ' End.', citations: [{ type: 'char_location', document_index: 0 }] },
      ]),
    );
    expect(choice.message.content).toBe('So: Zürich lies. End.');
    const cited = (url: string) => ({ url, title: 'A', start_index: 4, end_index: 16 });
    expect(choice.message.annotations).toEqual([
      { type: 'url_citation', url_citation: cited('https://a.example') },
      { type: 'url_citation', url_citation: cited('https://b.example') },
    ]);
    expect(choice.message).not.toHaveProperty('reasoning_details');
  });

  it('has calls with and without arguments', async () => {
    const choice = await bothWays(
      messageOf(
        [
          { type: 'tool_use', id: 'toolu_1', name: 'none', input: {} },
          { type: 'tool_use', id: 'toolu_2', name: 'some', input: { at: 'Zürich "x"' } },
        ],
        { stop_reason: 'tool_use' },
      ),
    );
    expect(choice.finish_reason).toBe('tool_calls');
    expect(choice.message.content).toBeNull();
    expect(choice.message.tool_calls).toMatchObject([
      { id: 'toolu_1', function: { name: 'none', arguments: '{}' } },
      { id: 'toolu_2', function: { name: 'some', arguments: '{"at":"Zürich \\"x\\""}' } },
    ]);
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
    ['constructor', 'stop'],
  ])('stopped by %s finishes with %s', async (stopReason, finish) => {
    const { finish_reason: reason } = await bothWays(
      messageOf([{ type: 'text', text: 'Hi' }], { stop_reason: stopReason }),
    );
    expect(reason).toBe(finish);
  });

  it('that is refused says why, where Anthropic does', async () => {
    const lines = recording('anthropic/anthropic-refusal.chunks.txt');
    const { message, finish_reason: reason } = await withAnthropic(replayStream(lines), async ({ client }) => {
      const { choices } = await client.chat.completions.stream(request).finalChatCompletion();
      if (choices[0] === undefined) throw new Error('no choice came');
      return choices[0];
    });
    expect(reason).toBe('content_filter');
    expect(lines).toContain(message.refusal);
    expect(message.refusal).toMatch(/Usage Policy/);
  });

  it('counts what was read from the cache and written to it as input', async () => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 3_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
      output_tokens: 50,
      output_tokens_details: { thinking_tokens: 20 },
    };
    const answer = await withAnthropic(documentOf(messageOf([{ type: 'text', text: 'Hi' }], { usage })), ({ client }) =>
      client.chat.completions.create(request),
    );
    expect(answer.usage).toMatchObject({
      prompt_tokens: 3_210,
      completion_tokens: 50,
      total_tokens: 3_260,
      prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 3_000, cache_write_1h_tokens: 2_000 },
      completion_tokens_details: { reasoning_tokens: 20 },
    });
  });

  it('counts a compaction before it, and not an adviser', async () => {
    const run = { input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 5 };
    const usage = {
      ...run,
      iterations: [
        { type: 'compaction', input_tokens: 1_000, output_tokens: 100, cache_creation_input_tokens: 7 },
        { type: 'message', ...run },
        { type: 'advisor_message', model: 'claude-opus-5', input_tokens: 9_999, output_tokens: 9_999 },
      ],
    };
    const answer = await withAnthropic(documentOf(messageOf([{ type: 'text', text: 'Hi' }], { usage })), ({ client }) =>
      client.chat.completions.create(request),
    );
    expect(answer.usage).toMatchObject({ prompt_tokens: 1_112, completion_tokens: 110 });
  });
});

describe('a stream', () => {
  it('passes over what is not known, and takes blocks that are out of order or never end', async () => {
    const delta = (index: unknown, inner: unknown) => ({ type: 'content_block_delta', index, delta: inner });
    const result = await readThroughSluice({
      provider: 'anthropic',
      streamed: true,
      script: streamOf([
        ping,
        { type: 'tomorrow', anything: [] },
        start,
        { type: 'content_block_start', index: 4, content_block: { type: 'tomorrow', deep: { er: 1 } } },
        delta(4, { type: 'tomorrow_delta', text: 'none of the answer' }),
        delta(9, { type: 'text_delta', text: 'of no block' }),
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'One ' } },
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: {} } },
        delta(1, { type: 'input_json_delta', partial_json: '{"n":' }),
        delta(0, { type: 'text_delta', text: 'two' }),
        delta(1, { type: 'input_json_delta', partial_json: '1}' }),
        delta(0, null),
        delta(0, { type: 'tomorrow_delta' }),
        { type: 'content_block_start', index: 2 },
        { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 1 } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7, input_tokens: null } },
        { type: 'message_stop' },
        delta(0, { type: 'text_delta', text: 'behind the end' }),
      ]),
    });
    expect(result).toMatchObject({
      text: 'One two',
      toolCalls: [{ name: 'f', input: { n: 1 } }],
      finish: 'tool_calls',
      usage: { input: 3, output: 7 },
    });
  });

  it('may announce its message twice', async () => {
    const events = eventsOf(messageOf([{ type: 'text', text: 'Once.' }]));
    expect(await streamed([start, ...events])).toEqual({ text: 'Once.', error: null });
  });

  it('may begin with a message of which nothing came', async () => {
    const events = eventsOf(messageOf([{ type: 'text', text: 'Second.' }], { id: 'msg_2' }));
    expect(await streamed([start, ping, ...events])).toEqual({ text: 'Second.', error: null });
  });

  it('that is broken off by another message is an error: half a call of the first may have been told', async () => {
    const script = replayStream(recording('anthropic/spliced-message-start.chunks.txt'));
    const answer = withAnthropic(script, ({ client }) => client.chat.completions.stream(request).finalChatCompletion());
    await expect(answer).rejects.toBeInstanceOf(APIError);
    await expect(answer).rejects.toThrow(/another answer began/);
  });

  it.each([
    ['overloaded_error', 'Overloaded', 'service_unavailable', 'provider_overloaded'],
    ['rate_limit_error', 'Slow down', 'rate_limit_error', 'rate_limit_exceeded'],
    ['invalid_request_error', 'prompt is too long: 9 > 8', 'invalid_request_error', 'context_length_exceeded'],
  ])('that ends in %s is an error, behind what came before', async (type, message, theirType, code) => {
    const [, , begin, delta] = eventsOf(messageOf([{ type: 'text', text: 'Hello' }]));
    if (begin === undefined || delta === undefined) throw new Error('no events');
    const { text, error } = await streamed([start, begin, delta, { type: 'error', error: { type, message } }]);
    expect(text).toBe('Hel');
    expect(error).toMatchObject({ type: theirType, code });
    expect(String(error)).toContain(message);
  });

  it('that stops before its end is an error', async () => {
    const events = eventsOf(messageOf([{ type: 'text', text: 'Hello' }])).slice(0, -3);
    expect(await streamed(events)).toMatchObject({ text: 'Hello', error: { code: 'provider_stream_cut' } });
  });

  it('may be cut into bytes anywhere, and come with carriage returns', async () => {
    const body = eventsOf(messageOf([{ type: 'text', text: 'Zürich 🏔️ "x"' }]))
      .map((event) => `event: ${String(event.type)}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`)
      .join('');
    const bytes = [...Buffer.from(body)].map((byte) => Buffer.of(byte));
    const result = await readThroughSluice({ provider: 'anthropic', streamed: true, script: pieces(bytes, 'end') });
    expect(result).toMatchObject({ text: 'Zürich 🏔️ "x"', finish: 'stop' });
  });
});
