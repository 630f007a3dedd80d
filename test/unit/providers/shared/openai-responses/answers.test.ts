import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { json, startFakeProvider, type Script } from '../../../../harness/fake-provider.ts';
import { secret, startGateway } from '../../../../harness/gateway.ts';
import { recording, replayDocument, replayStream } from '../../replay.ts';
import { functionCall, lines, message, reasoning, response, wholeItems } from './response.ts';

type Json = Record<string, unknown>;

/** Asks a provider that answers by a script, with the official SDK. */
async function ask<T>(script: Script, use: (client: OpenAI) => Promise<T>): Promise<T> {
  const provider = await startFakeProvider(script);
  const gateway = await startGateway({
    providers: { openai: { baseUrl: provider.url, options: { api: 'responses' } } },
  });
  try {
    return await use(new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 }));
  } finally {
    await gateway.close();
    await provider.close();
  }
}

const request = { model: 'openai/gpt-5-pro', messages: [{ role: 'user' as const, content: 'Hello' }] };

const whole = (script: Script) => ask(script, (client) => client.chat.completions.create(request));
const gathered = (script: Script) =>
  ask(script, (client) =>
    client.chat.completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion(),
  );

/** The same answer, whole and as a stream of whole items. */
async function both(answer: Json): Promise<OpenAI.ChatCompletion[]> {
  return [await whole(replayDocument(JSON.stringify(answer))), await gathered(replayStream(lines(wholeItems(answer))))];
}

async function chunks(events: readonly Json[]): Promise<OpenAI.ChatCompletionChunk[]> {
  return ask(replayStream(lines(events)), async (client) => {
    const stream = await client.chat.completions.create({ ...request, stream: true });
    const all = [];
    for await (const chunk of stream) all.push(chunk);
    return all;
  });
}

const delta = (type: string, members: Json): Json => ({ type: `response.${type}`, output_index: 0, ...members });
const completed = (output: Json[] = [], members: Json = {}) => ({
  type: 'response.completed',
  response: response(output, members),
});

describe('an answer', () => {
  it('has the provider’s id, model and time, and its usage in chat’s terms', async () => {
    for (const answer of await both(response([message('Hello')])))
      expect(answer).toMatchObject({
        id: 'chatcmpl-resp_1',
        model: 'gpt-5-pro-2025-10-06',
        created: 1_795_000_000,
        usage: {
          prompt_tokens: 20,
          completion_tokens: 9,
          total_tokens: 29,
          prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
          completion_tokens_details: { reasoning_tokens: 5 },
        },
      });
  });

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['of_tomorrow', 'length'],
  ])('that is incomplete for %s finishes with %s', async (reason, finish) => {
    const cut = response([message('Hel'), functionCall('call_1', 'weather', '{"ci')], {
      status: 'incomplete',
      incomplete_details: { reason },
    });
    const answer = await whole(replayDocument(JSON.stringify(cut)));
    expect(answer.choices[0]).toMatchObject({ finish_reason: finish, message: { content: 'Hel' } });
    const events = [...wholeItems(cut).slice(0, -1), { type: 'response.incomplete', response: cut }];
    expect((await chunks(events)).at(-1)?.choices[0]?.finish_reason).toBe(finish);
  });

  it('that is a refusal has it as one', async () => {
    const refused = { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'I cannot.' }] };
    for (const answer of await both(response([refused])))
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: null, refusal: 'I cannot.' },
      });
    const events = [
      delta('refusal.delta', { delta: 'I can' }),
      delta('refusal.delta', { delta: 'not.' }),
      delta('refusal.done', { refusal: 'I cannot.' }),
      delta('output_item.done', { item: refused }),
      completed([refused]),
    ];
    const result = (await chunks(events)).map((chunk) => chunk.choices[0]?.delta.refusal ?? '');
    expect(result.join('')).toBe('I cannot.');
  });

  it('cites by URL, at the place within the whole text', async () => {
    const page = { type: 'url_citation', url: 'https://example.com', title: 'Example', start_index: 0, end_index: 3 };
    const file = { type: 'file_citation', file_id: 'file-1', filename: 'a.txt', index: 2 };
    const output = [message('😀 One. '), message('Two', { annotations: [file, page] })];
    for (const answer of await both(response(output)))
      expect(answer.choices[0]?.message.annotations).toEqual([
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com', title: 'Example', start_index: 7, end_index: 10 },
        },
      ]);
  });

  it('tells each citation once', async () => {
    const annotation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 };
    const item = message('A', { annotations: [annotation] });
    const result = await chunks([
      delta('output_text.delta', { content_index: 0, delta: 'A' }),
      delta('output_text.annotation.added', { content_index: 0, annotation_index: 0, annotation }),
      delta('content_part.done', {
        content_index: 0,
        part: { type: 'output_text', text: 'A', annotations: [annotation] },
      }),
      delta('output_item.done', { item }),
      completed([item]),
    ]);
    const annotations = result.flatMap(({ choices }) => {
      const members: Json = { ...choices[0]?.delta };
      return Array.isArray(members.annotations) ? members.annotations : [];
    });
    expect(annotations).toHaveLength(1);
  });

  it('shows pictures that the provider drew', async () => {
    const picture = {
      type: 'image_generation_call',
      id: 'ig_1',
      status: 'completed',
      result: 'AAAA',
      output_format: 'webp',
    };
    for (const answer of await both(response([picture])))
      expect(answer.choices[0]?.message).toMatchObject({
        images: [{ type: 'image_url', image_url: { url: 'data:image/webp;base64,AAAA' } }],
      });
  });

  it('tells log probabilities', async () => {
    const logprobs = [
      { token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [{ token: 'Yo', logprob: -2, bytes: [89, 111] }] },
    ];
    const document = replayDocument(JSON.stringify(response([message('Hi', { logprobs })])));
    expect((await whole(document)).choices[0]?.logprobs).toMatchObject({ content: logprobs });
    const pieces = [
      delta('output_text.delta', { delta: 'Hi', logprobs: [{ token: 'Hi', logprob: -0.1, top_logprobs: [] }] }),
      delta('output_text.done', { text: 'Hi', logprobs }),
      completed(),
    ];
    const streamed = await gathered(replayStream(lines(pieces)));
    expect(streamed.choices[0]?.logprobs?.content).toEqual([
      { token: 'Hi', logprob: -0.1, bytes: null, top_logprobs: [] },
    ]);
  });

  it('tells each text once, however often it comes', async () => {
    const call = functionCall('call_1', 'weather', '{"city":"Rome"}');
    const thought = reasoning('rs_1', 'Thinking hard', 'gAAA');
    const at = (index: number, type: string, members: Json) => ({ ...delta(type, members), output_index: index });
    const events = [
      at(0, 'output_item.added', { item: { ...thought, summary: [] } }),
      at(0, 'reasoning_summary_text.delta', { summary_index: 0, delta: 'Thinking' }),
      at(0, 'reasoning_summary_text.done', { summary_index: 0, text: 'Thinking hard' }),
      at(0, 'reasoning_summary_part.done', {
        summary_index: 0,
        part: { type: 'summary_text', text: 'Thinking hard' },
      }),
      at(0, 'output_item.done', { item: thought }),
      { type: 'keepalive', sequence_number: 9 },
      at(1, 'output_item.added', { item: { ...message(''), content: [] } }),
      at(1, 'output_text.delta', { content_index: 0, delta: 'Let me' }),
      at(1, 'output_text.delta', { content_index: 0, delta: ' look' }),
      at(1, 'output_text.done', { content_index: 0, text: 'Let me look' }),
      at(1, 'content_part.done', { content_index: 0, part: { type: 'output_text', text: 'Let me look' } }),
      at(1, 'output_item.done', { item: message('Let me look') }),
      at(2, 'output_item.added', { item: { ...call, arguments: '' } }),
      at(2, 'function_call_arguments.delta', { delta: '{"city"' }),
      at(2, 'function_call_arguments.delta', { delta: ':"Rome"}' }),
      at(2, 'function_call_arguments.done', { arguments: '{"city":"Rome"}' }),
      at(2, 'output_item.done', { item: call }),
      completed([thought, message('Let me look'), call]),
    ];
    const answer = await gathered(replayStream(lines(events)));
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Let me look',
        tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
        reasoning_details: [
          { type: 'reasoning.summary', id: 'rs_1', summary: 'Thinking hard' },
          { type: 'reasoning.encrypted', id: 'rs_1', data: 'gAAA' },
        ],
      },
    });
    // The SDK keeps the last piece alone of members that it does not know.
    const reasoned = (await chunks(events)).map(({ choices }) => {
      const members: Json = { ...choices[0]?.delta };
      return typeof members.reasoning_content === 'string' ? members.reasoning_content : '';
    });
    expect(reasoned.join('')).toBe('Thinking hard');
  });

  it('is understood where only its end tells it', async () => {
    const answer = await gathered(replayStream(lines([completed([message('All at once')])])));
    expect(answer.choices[0]?.message.content).toBe('All at once');
  });

  it('is understood from a server that counts every item as the first', async () => {
    const call = functionCall('call_1', 'now', '');
    const events = [message('One'), call].flatMap((item) => [
      delta('output_item.added', { item }),
      delta('output_item.done', { item }),
    ]);
    const answer = await gathered(replayStream(lines([...events, completed()])));
    expect(answer.choices[0]?.message).toMatchObject({
      content: 'One',
      tool_calls: [{ id: 'call_1', function: { name: 'now', arguments: '{}' } }],
    });
  });
});

describe('a failure', () => {
  it('that is a refusal is passed on in its own words', async () => {
    const body = recording('openai-responses/reasoning-model-temperature-error.json');
    await expect(whole(json(400, body))).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: 'temperature',
      message: expect.stringContaining("Unsupported parameter: 'temperature'"),
    });
    const quota = recording('openai-responses/openai-error.1.json');
    await expect(whole(json(429, quota))).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' });
  });

  it('within a stream is told once, before anything is sent as an answer', async () => {
    const script = replayStream(recording('openai-responses/openai-error.1.chunks.txt'));
    await expect(gathered(script)).rejects.toMatchObject({
      message: expect.stringContaining('You exceeded your current quota'),
    });
  });

  it.each([
    [
      'response.failed',
      { response: response([], { status: 'failed', error: { code: 'server_error', message: 'Oh no' } }) },
    ],
    ['error', { code: 'server_error', message: 'Oh no', param: null }],
  ])('told by %s in the middle of an answer ends it', async (type, members) => {
    const events = [delta('output_text.delta', { delta: 'Hel' }), { type, ...members }];
    await expect(chunks(events)).rejects.toThrow('Oh no');
  });

  it('of a whole answer is none of ours', async () => {
    const failed = response([], { status: 'failed', error: { code: 'server_error', message: 'Oh no' } });
    await expect(whole(replayDocument(JSON.stringify(failed)))).rejects.toMatchObject({
      status: 502,
      message: expect.stringContaining('Oh no'),
    });
  });

  it('is a stream that stops before its end', async () => {
    await expect(chunks([delta('output_text.delta', { delta: 'Hel' })])).rejects.toThrow('before it was complete');
  });
});
