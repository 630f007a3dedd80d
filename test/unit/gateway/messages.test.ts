import type { ServerResponse } from 'node:http';
import Anthropic, { AuthenticationError } from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anthropicError, anthropicEvent, anthropicMessage, anthropicPing } from '../../harness/anthropic-schema.ts';
import {
  completion,
  json,
  pieces,
  refusal,
  startFakeProvider,
  stream,
  type FakeProvider,
} from '../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../harness/gateway.ts';
import { readEventData } from '../../harness/read-events.ts';
import { recording, replayDocument } from '../providers/replay.ts';
import { chatContent, givenId, type Content } from './chat-content.ts';
import { recordings, replayingProviders } from './recordings.ts';

let upstream: FakeProvider;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startFakeProvider();
  const limits = { requestsPerMinute: Infinity, tokensPerMinute: Infinity, requestsPerDay: Infinity, concurrency: 100 };
  gateway = await startGateway({
    openai: upstream.url,
    providers: replayingProviders(upstream.url),
    key: { limits },
  });
});

afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const hello = { max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

function post(body: object | string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': secret, 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** A recorded stream of Anthropic as bytes. */
function anthropicBytes(lines: string): Buffer {
  const events = lines.split('\n').filter((line) => line.trim() !== '');
  return Buffer.from(events.map((data) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`).join(''));
}

/** Pieces of any size. The sizes repeat: a failure can be repeated. */
function cut(bytes: Buffer, seed: number): Buffer[] {
  const parts: Buffer[] = [];
  let random = seed;
  for (let at = 0; at < bytes.length;) {
    random = (random * 48_271) % 2_147_483_647;
    const size = 1 + (random % 1_500);
    parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  return parts;
}

/** Some recordings have the responses of several requests, one after the other. */
function responsesIn(lines: string): string[] {
  return lines.split(/(?<=\{"type":"message_stop"[^\n]*\n)/).filter((response) => response.trim() !== '');
}

const ofAnthropic = recordings.filter(({ provider }) => provider === 'anthropic');
/** Two that were recorded from broken servers, whose second message is an error here. */
const broken = /spliced|duplicate/;

describe('a message of a provider that serves the protocol', () => {
  it.each(ofAnthropic.filter(({ isStream, name }) => isStream && !broken.test(name)))(
    'arrives byte for byte as a stream: $name',
    async ({ name }) => {
      for (const lines of responsesIn(recording(name))) {
        const bytes = anthropicBytes(lines);
        upstream.answerWith(pieces(cut(bytes, name.length), 'end', 'text/event-stream; charset=utf-8'));
        const response = await post({ model: 'anthropic/claude', stream: true, ...hello });
        expect(response.status).toBe(200);
        expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
      }
    },
  );

  it('ends with its last event, whether its provider closes the stream or not', async () => {
    const bytes = anthropicBytes(recording('anthropic/anthropic-json-tool.1.chunks.txt'));
    const open = Promise.withResolvers<ServerResponse>();
    upstream.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(bytes);
      open.resolve(response);
    });
    const response = await post({ model: 'anthropic/claude', stream: true, ...hello });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    (await open.promise).end();
  });

  it.each(ofAnthropic.filter(({ isStream, name }) => !isStream && !name.includes('error')))(
    'arrives byte for byte as a document: $name',
    async ({ name }) => {
      upstream.answerWith(replayDocument(recording(name)));
      const response = await post({ model: 'anthropic/claude', ...hello });
      expect(await response.text()).toBe(recording(name));
    },
  );

  it('is requested with the body of the client, but for the name of the model', async () => {
    upstream.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const body = `{"model":"anthropic/claude-opus-5","max_tokens":9,"system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}],
      "messages":[{"role":"user","content":"é"},{"role":"system","content":"s","output_config":{"effort":"low"}}], "new_member":{"b":1.0}}`;
    const headers = { 'anthropic-beta': 'a-1,b-2', 'x-claude-code-session-id': 's' };
    const before = upstream.requests.length;
    const response = await fetch(`${gateway.url}/v1/messages?beta=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
      body,
    });
    expect(response.status).toBe(200);
    const received = upstream.requests[before];
    expect(received?.path).toBe('/v1/messages?beta=true');
    expect(received?.body).toBe(body.replace('"anthropic/claude-opus-5"', '"claude-opus-5"          '));
    expect(received?.headers).toMatchObject(headers);
    expect(received?.headers).not.toHaveProperty('authorization');
  });
});

describe('an object at the provider, on a connection that accounts share,', () => {
  const file = { type: 'file', file_id: 'file_011CNha8iCJcU1wXNR6q4V8w' };
  it.each([
    ['a document', { messages: [{ role: 'user', content: [{ type: 'document', source: file }] }] }],
    [
      'an image in a result',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source: file }] }],
          },
        ],
      },
    ],
    ['an upload to a container', { messages: [{ role: 'user', content: [{ ...file, type: 'container_upload' }] }] }],
    [
      'a file in a request that is no chat',
      {
        temperature: 'high',
        messages: [{ role: 'user', content: [{ type: 'document', source: file }] }],
      },
    ],
    ['a container', { ...hello, container: 'container_011' }],
    ['a container with skills', { ...hello, container: { id: 'container_011', skills: [] } }],
    ['a skill', { ...hello, container: { skills: [{ type: 'custom', skill_id: 'skill_01', version: 'latest' }] } }],
  ])('is not found: %s', async (_what, body) => {
    const before = upstream.requests.length;
    const response = await post({ model: 'anthropic/claude', max_tokens: 9, ...body });
    expect(response.status).toBe(404);
    expect(anthropicError.parse(await response.json()).error.type).toBe('not_found_error');
    expect(upstream.requests.length).toBe(before);
  });

  it('is none of the arguments and outputs of a replayed conversation', async () => {
    upstream.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const response = await post({
      model: 'anthropic/claude',
      max_tokens: 9,
      messages: [
        ...hello.messages,
        {
          role: 'assistant',
          content: [
            {
              type: 'bash_code_execution_tool_result',
              tool_use_id: 's',
              content: { type: 'bash_code_execution_output', file_id: 'f' },
            },
            { type: 'tool_use', id: 't', name: 'read', input: { file_id: 'mine' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'Read.' }] },
      ],
    });
    expect(response.status).toBe(200);
  });
});

describe('the version of the API', () => {
  it.each([
    [undefined, '2023-06-01'],
    ['2023-06-01', '2023-06-01'],
    ['2027-01-31', '2027-01-31'],
  ])('%s of a client reaches a provider that serves the protocol as %s', async (given, sent) => {
    upstream.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const before = upstream.requests.length;
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': secret,
        'content-type': 'application/json',
        ...(given !== undefined && { 'anthropic-version': given }),
      },
      body: JSON.stringify({ model: 'anthropic/claude', ...hello }),
    });
    expect(response.status).toBe(200);
    expect(upstream.requests[before]?.headers['anthropic-version']).toBe(sent);
  });

  it.each(['2023-06-01, 2027-01-31', '', 'é', 'x'.repeat(65)])('%j is refused', async (version) => {
    const before = upstream.requests.length;
    const response = await post({ model: 'anthropic/claude', ...hello }, { 'anthropic-version': version });
    expect(response.status).toBe(400);
    expect(anthropicError.parse(await response.json()).error.message).toContain('anthropic-version');
    expect(upstream.requests.length).toBe(before);
  });
});

const converted = recordings.filter(({ provider }) => provider !== 'anthropic');

describe('a message of a provider with another protocol', () => {
  it.each(converted.filter(({ isStream }) => isStream))(
    'has the content of its chat as a stream: $name',
    async ({ name, provider, streamOf }) => {
      upstream.answerWith(streamOf(recording(name)));
      const model = `${provider}/recorded-model`;
      const expected = await chatContent(gateway.url, model, true);
      const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
      const answered = await post({ model, stream: true, ...hello });
      const events = readEventData(await answered.text());
      if (expected.error !== null) return expect(events.at(-1)?.type ?? answered.status).toMatch(/error|\d/);
      for (const event of events) (event.type === 'ping' ? anthropicPing : anthropicEvent).parse(event);
      const message = await client.messages
        .stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] })
        .finalMessage();
      expect(contentOf(message)).toEqual(withStop(expected.content));
    },
  );

  it.each(converted.filter(({ isStream }) => !isStream))(
    'has the content of its chat as a document: $name',
    async ({ name, provider }) => {
      upstream.answerWith(replayDocument(recording(name)));
      const model = `${provider}/recorded-model`;
      const expected = await chatContent(gateway.url, model, false);
      const response = await post({ model, ...hello });
      const body: unknown = await response.json();
      if (expected.error !== null) return void anthropicError.parse(body);
      expect(contentOf(anthropicMessage.parse(body))).toEqual(withStop(expected.content));
    },
  );
});

const stops: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};
/** With Anthropic's reason. */
function withStop(content: Content): Content {
  return { ...content, stop: stops[content.stop ?? ''] ?? null };
}

function contentOf(message: Pick<Anthropic.Message, 'content' | 'stop_reason' | 'usage'>): Content {
  const { content, stop_reason: stop, usage } = message;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use' ? [{ id: givenId(block.id), name: block.name, input: block.input }] : [],
    ),
    stop,
    output: usage.output_tokens,
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
  };
}

describe('an error', () => {
  it.each([
    ['a body that is no JSON', '{', 400, 'invalid_request_error'],
    ['no model', { ...hello }, 400, 'invalid_request_error'],
    ['no messages', { model: 'openai/m', max_tokens: 5 }, 400, 'invalid_request_error'],
    ['no limit', { model: 'openai/m', messages: hello.messages }, 400, 'invalid_request_error'],
    ['an unknown model', { model: 'nobody/knows', ...hello }, 404, 'not_found_error'],
  ])('for %s has the envelope of the protocol', async (_what, body, status, type) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    const { error } = anthropicError.parse(await response.json());
    expect(error.type).toBe(type);
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
  });

  it.each([
    ['a type that no block has', [{ type: 'txt', text: 'Hi' }], 'messages[0].content[0].type', /"txt".*text, image/],
    [
      'one beside a text',
      [
        { type: 'text', text: 'Hi' },
        { type: 'txt', text: 'you' },
      ],
      'messages[0].content[1].type',
      /"txt".*text, image/,
    ],
    [
      'one in a result',
      [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'txt', text: 'Hi' }] }],
      'messages[0].content[0].content[0].type',
      /"txt".*text, image/,
    ],
    ['nothing that a chat has', [{ type: 'container_upload', text: 'a' }], 'messages[0].content', /no block/],
  ])('names the path of %s, and no provider is called', async (_what, content, path, message) => {
    const before = upstream.requests.length;
    const response = await post({ model: 'openai/m', max_tokens: 5, messages: [{ role: 'user', content }] });
    expect(response.status).toBe(400);
    const { error } = anthropicError.parse(await response.json());
    expect(error.message).toContain(`'${path}'`);
    expect(error.message).toMatch(message);
    expect(upstream.requests.length).toBe(before);
  });

  it('is none for a block that only Anthropic has, beside a text', async () => {
    upstream.answerWith(completion({ content: 'Hello' }));
    const content = [{ type: 'search_result' }, { type: 'text', text: 'Hi' }];
    const response = await post({ model: 'openai/m', max_tokens: 5, messages: [{ role: 'user', content }] });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('messages[0].content[0]');
  });

  it('for a wrong key is one that the SDK knows', async () => {
    const client = new Anthropic({ apiKey: 'sk-sluice-wrong', baseURL: gateway.url, maxRetries: 0 });
    const created = client.messages.create({
      model: 'openai/m',
      max_tokens: 5,
      messages: [{ role: 'user', content: 'x' }],
    });
    await expect(created).rejects.toBeInstanceOf(AuthenticationError);
  });

  it('of the provider before a stream keeps its status', async () => {
    upstream.answerWith(refusal(429, 'Slow down.'));
    const response = await post({ model: 'openai/m', stream: true, ...hello });
    expect(response.status).toBe(429);
    expect(anthropicError.parse(await response.json()).error.type).toBe('rate_limit_error');
  });

  it('of the provider within a stream is its last event', async () => {
    upstream.answerWith(
      pieces(
        [
          'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}\n\n',
        ],
        'cut',
      ),
    );
    const response = await post({ model: 'openai/m', stream: true, ...hello });
    const events = readEventData(await response.text());
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'error',
    ]);
    expect(anthropicError.parse(events.at(-1)).error.type).toBe('api_error');
    expect(events.at(-1)?.request_id).toBe(response.headers.get('request-id'));
  });

  it('of a relayed stream that breaks off names the request', async () => {
    const bytes = anthropicBytes(recording('anthropic/anthropic-text.chunks.txt'));
    upstream.answerWith(pieces([bytes.subarray(0, 700)], 'cut'));
    const response = await post({ model: 'anthropic/m', stream: true, ...hello });
    const last = readEventData(await response.text()).at(-1);
    expect(anthropicError.parse(last).error.type).toBe('api_error');
    expect(last?.request_id).toBe(response.headers.get('request-id'));
  });

  it.each([
    ["This model's maximum context length is 1000 tokens. However, your messages resulted in 1200 tokens."],
    ['prompt is too long: 1200 tokens > 1000 maximum'],
  ])('about a context that is too long has the words of the protocol: %s', async (message) => {
    upstream.answerWith(
      json(400, {
        error: { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' },
      }),
    );
    const response = await post({ model: 'openai/m', ...hello });
    expect(response.status).toBe(400);
    expect(anthropicError.parse(await response.json()).error).toEqual({
      type: 'invalid_request_error',
      message: 'prompt is too long: 1200 tokens > 1000 maximum',
    });
  });
});

describe('the names of tools', () => {
  const long = `mcp__a-server-with-a-rather-long-name__${'create_an_issue_'.repeat(4)}`;
  const other = `mcp__a-server-with-a-rather-long-name__${'create_an_issue_'.repeat(4)}2`;
  const names = [long.slice(0, 64), long, other];
  const tools = names.map((name) => ({ name, input_schema: { type: 'object' as const } }));
  const messages: Anthropic.MessageParam[] = [
    { role: 'user', content: 'Create one.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: long, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Done.' }] },
  ];
  const client = (): Anthropic => new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
  const sent = z.object({
    tools: z.array(z.object({ function: z.object({ name: z.string().regex(/^[\w-]{1,64}$/) }) })),
    tool_choice: z.unknown().optional(),
    messages: z.array(
      z.object({ tool_calls: z.array(z.object({ function: z.object({ name: z.string() }) })).optional() }),
    ),
  });

  it.each([true, false])('that are too long for a chat are replaced there alone, stream: %s', async (isStream) => {
    upstream.answerWith(({ json: body }, response) => {
      const [, second, third] = sent.parse(body).tools.map((tool) => tool.function.name);
      const calls = [second, third].map((name, index) => ({
        index,
        id: `call_${index}`,
        type: 'function',
        function: { name, arguments: '{}' },
      }));
      const choice = { index: 0, finish_reason: 'tool_calls' };
      const head = { id: 'c', created: 1, model: 'm' };
      const choices = [
        isStream
          ? { ...choice, delta: { tool_calls: calls } }
          : { ...choice, message: { content: null, tool_calls: calls } },
      ];
      response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
      const data = JSON.stringify({ ...head, object: isStream ? 'chat.completion.chunk' : 'chat.completion', choices });
      response.end(isStream ? `data: ${data}\n\ndata: [DONE]\n\n` : data);
    });
    const before = upstream.requests.length;
    const params = {
      model: 'openai/m',
      max_tokens: 9,
      tools,
      messages,
      tool_choice: { type: 'tool' as const, name: long },
    };
    const message = isStream
      ? await client().messages.stream(params).finalMessage()
      : await client().messages.create(params);
    expect(message.content.map((block) => (block.type === 'tool_use' ? block.name : null))).toEqual([long, other]);
    const request = sent.parse(upstream.requests[before]?.json);
    const replaced = request.tools.map((tool) => tool.function.name);
    expect(new Set(replaced).size).toBe(3);
    expect(replaced[0]).toBe(names[0]);
    expect(request.tool_choice).toEqual({ type: 'function', function: { name: replaced[1] } });
    expect(request.messages[1]?.tool_calls).toEqual([{ function: { name: replaced[1] } }]);
  });

  it('reach a provider that serves the protocol as they are', async () => {
    upstream.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
    const before = upstream.requests.length;
    await client().messages.create({ model: 'anthropic/claude', max_tokens: 9, tools, messages });
    expect(upstream.requests[before]?.json).toMatchObject({ tools, messages });
  });

  it('may be more than a chat has', async () => {
    upstream.answerWith(completion());
    const many = Array.from({ length: 300 }, (_, index) => ({
      name: `tool_${index}`,
      input_schema: { type: 'object' },
    }));
    const before = upstream.requests.length;
    expect((await post({ model: 'openai/m', ...hello, tools: many })).status).toBe(200);
    const request = sent.parse(upstream.requests[before]?.json);
    expect(request.tools.map((tool) => tool.function.name)).toEqual(many.map(({ name }) => name));
  });

  it.each(['', 'a name', 'x'.repeat(257), 'naïve'])('that no protocol has are refused: %j', async (name) => {
    const response = await post({ model: 'openai/m', ...hello, tools: [{ name, input_schema: { type: 'object' } }] });
    expect(response.status).toBe(400);
    expect(anthropicError.parse(await response.json()).error.message).toContain('tools[0]');
  });
});

describe('the end of a message', () => {
  const ended = async (choice: object, isStream: boolean, request: object = {}): Promise<unknown> => {
    const head = { id: 'c', created: 1, model: 'm' };
    const [whole, part] = [
      { index: 0, logprobs: null, message: { role: 'assistant', content: 'Hi', ...choice } },
      { index: 0, delta: { content: 'Hi', ...choice } },
    ];
    const end = { finish_reason: 'stop', ...choice };
    upstream.answerWith(
      isStream
        ? pieces(
            [`data: ${JSON.stringify({ ...head, choices: [{ ...part, ...end }] })}\n\n`, 'data: [DONE]\n\n'],
            'end',
          )
        : json(200, { ...head, object: 'chat.completion', choices: [{ ...whole, ...end }] }),
    );
    const response = await post({ model: 'openai/m', ...hello, ...request, stream: isStream });
    if (!isStream) {
      const { stop_reason, stop_sequence, stop_details } = anthropicMessage.parse(await response.json());
      return { stop_reason, stop_sequence, stop_details };
    }
    const all = readEventData(await response.text()).filter(({ type }) => type !== 'ping');
    const events = all.map((event) => anthropicEvent.parse(event));
    const last = events.find((event) => event.type === 'message_delta');
    return last?.delta;
  };

  it.each([true, false])('names the stop sequence that the provider reports, stream: %s', async (isStream) => {
    expect(await ended({ stop_reason: 'END' }, isStream, { stop_sequences: ['STOP', 'END'] })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
      stop_details: null,
    });
  });

  it.each([
    ['a token', 2],
    ['a reason of the server', 'eos'],
  ])('names none for %s', async (_name, reason) => {
    expect(await ended({ stop_reason: reason }, false, { stop_sequences: ['END'] })).toEqual({
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
    });
  });

  it.each([true, false])('has the explanation of a refusal, stream: %s', async (isStream) => {
    expect(await ended({ refusal: 'I cannot help with that.' }, isStream)).toMatchObject({
      stop_reason: 'refusal',
      stop_sequence: null,
      stop_details: { type: 'refusal', category: null, explanation: 'I cannot help with that.' },
    });
  });
});

describe('a conversation with tools', () => {
  it('reaches a provider of chats as one', async () => {
    upstream.answerWith(completion());
    const before = upstream.requests.length;
    const response = await post({
      model: 'openai/m',
      max_tokens: 50,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      stop_sequences: ['END'],
      tools: [
        { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } },
        { type: 'web_fetch_20250910', name: 'web_fetch' },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 8_000 },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      metadata: { user_id: 'u-1' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'it' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'call_1',
              content: [
                { type: 'text', text: 'A cat.' },
                { type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' } },
              ],
            },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('tools[1]');
    expect(upstream.requests[before]?.json).toEqual({
      model: 'm',
      max_completion_tokens: 50,
      stop: ['END'],
      reasoning_effort: 'medium',
      user: 'u-1',
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' } } },
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'text', text: 'I look.' }],
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } }],
          reasoning_details: [{ type: 'reasoning.text', format: 'anthropic-claude-v1', text: 'Hm.', signature: 'sig' }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'A cat.' }] },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
    });
  });

  it('has web search where its chat has it', async () => {
    upstream.answerWith(completion());
    const before = upstream.requests.length;
    const location = { city: 'Oslo', country: 'NO', timezone: 'Europe/Oslo' };
    const search = {
      type: 'web_search_20250305',
      name: 'web_search',
      max_uses: 3,
      user_location: { type: 'approximate', ...location },
    };
    const response = await post({
      model: 'openai/m',
      ...hello,
      tools: [{ name: 'look', input_schema: { type: 'object' } }, search, { ...search, type: 'web_search_20260209' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-sluice-dropped-params')).toBe('tools[1].max_uses, tools[2]');
    expect(upstream.requests[before]?.json).toMatchObject({
      tools: [{ type: 'function', function: { name: 'look' } }],
      tool_choice: 'auto',
      web_search_options: { user_location: { type: 'approximate', approximate: location } },
    });
  });

  it('has web search of another provider', async () => {
    upstream.answerWith(replayDocument(recording('gemini/google-text.json')));
    const before = upstream.requests.length;
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const response = await post({ model: 'gemini/m', ...hello, tools });
    expect(response.status).toBe(200);
    expect(response.headers.has('x-sluice-dropped-params')).toBe(false);
    expect(upstream.requests[before]?.json.tools).toEqual([{ googleSearch: {} }]);
  });

  it('returns to its provider the signatures that it sent', async () => {
    const [signed] = recordings.filter(
      ({ name }) =>
        name === 'gemini/google-tool-call.1.chunks.txt' ||
        (name.startsWith('gemini/') && recording(name).includes('thoughtSignature')),
    );
    if (signed === undefined) return expect.fail('no recording has a signature');
    const model = 'gemini/recorded-model';
    upstream.answerWith(
      signed.isStream ? signed.streamOf(recording(signed.name)) : replayDocument(recording(signed.name)),
    );
    const client = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
    const asked: Anthropic.MessageParam[] = [{ role: 'user', content: 'Hello' }];
    const first = signed.isStream
      ? await client.messages.stream({ model, max_tokens: 100, messages: asked }).finalMessage()
      : await client.messages.create({ model, max_tokens: 100, messages: asked });
    const results = first.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'Done.' }] : [],
    );
    const next = results.length > 0 ? results : 'Go on.';
    const before = upstream.requests.length;
    await client.messages
      .create({
        model,
        max_tokens: 100,
        messages: [...asked, { role: 'assistant', content: first.content }, { role: 'user', content: next }],
      })
      .catch(() => undefined);
    const signatures = [...recording(signed.name).matchAll(/"thoughtSignature":\s*"([^"]+)"/g)].map(
      ([, signature]) => signature,
    );
    expect(signatures.length).toBeGreaterThan(0);
    for (const signature of signatures) expect(upstream.requests[before]?.body).toContain(signature);
  });
});

it('is metered as what the provider reports', async () => {
  upstream.answerWith(replayDocument(recording('anthropic/anthropic-text.json')));
  const before = gateway.settled().length;
  await (await post({ model: 'anthropic/claude', ...hello })).text();
  const record = (await gateway.settledCount(before + 1)).at(-1);
  const { usage } = JSON.parse(recording('anthropic/anthropic-text.json'));
  expect(record).toMatchObject({
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    estimated: false,
  });
});

it('is told the limits of its key in the headers of the protocol', async () => {
  upstream.answerWith(stream(['Hi']));
  const response = await post({ model: 'openai/m', stream: true, ...hello });
  await response.text();
  for (const what of ['requests', 'tokens'])
    for (const part of ['limit', 'remaining', 'reset'])
      expect(response.headers.has(`anthropic-ratelimit-${what}-${part}`)).toBe(true);
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'));
});

describe('the tokens of a request', () => {
  const client = (): Anthropic => new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });

  it('are estimated free of charge, by texts, tools and images', async () => {
    const before = gateway.settled().length;
    const short = await client().messages.countTokens({
      model: 'openai/m',
      messages: [{ role: 'user', content: 'x'.repeat(400) }],
    });
    expect(short).toEqual({ input_tokens: 100 });
    const image = { type: 'image' as const, source: { type: 'url' as const, url: 'https://example.com/a.png' } };
    const long = await client().messages.countTokens({
      model: 'openai/m',
      system: 'y'.repeat(400),
      tools: [{ name: 'look', description: 'z'.repeat(396), input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x'.repeat(400) }, image] }],
    });
    expect(long.input_tokens).toBeGreaterThanOrEqual(300 + 1_600);
    expect(long.input_tokens).toBeLessThan(310 + 1_600);
    expect(gateway.settled().length).toBe(before);
  });

  function count(body: object | string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${gateway.url}/v1/messages/count_tokens?beta=true`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'x-api-key': secret, 'content-type': 'application/json', ...init.headers },
    });
  }

  it('are counted by a provider that serves the protocol, free of charge', async () => {
    const answer = { input_tokens: 2_095, context_management: { original_input_tokens: 2_100 } };
    upstream.answerWith(json(200, answer));
    const settled = gateway.settled().length;
    const before = upstream.requests.length;
    const body = { model: 'anthropic/claude-opus-5', messages: hello.messages, new_member: 1 };
    const headers = { 'anthropic-beta': 'a-1', 'anthropic-version': '2027-01-31' };
    const response = await count(body, { headers });
    expect(await response.json()).toEqual(answer);
    expect(response.headers.has('x-sluice-estimated')).toBe(false);
    const received = upstream.requests[before];
    expect(received?.path).toBe('/v1/messages/count_tokens?beta=true');
    expect(received?.json).toEqual({ ...body, model: 'claude-opus-5' });
    expect(received?.headers).toMatchObject(headers);
    expect(received?.headers['x-api-key']).not.toBe(secret);
    expect(gateway.settled().length).toBe(settled);
  });

  it.each([
    ['does not count', refusal(404, 'Not Found')],
    ['counts by another method', refusal(405, 'Method Not Allowed')],
    ['responds with something else', json(200, { tokens: 12 })],
    ['cuts its response', pieces(['{"input_'], 'cut', 'application/json')],
    ['is limiting requests', refusal(429, 'Slow down.')],
    ['is overloaded', refusal(529, 'Overloaded.')],
    ['refuses its key', refusal(401, 'invalid x-api-key')],
  ])('are estimated where the provider %s', async (_what, script) => {
    upstream.answerWith(script);
    const before = upstream.requests.length;
    const response = await count({ model: 'anthropic/claude', messages: [{ role: 'user', content: 'x'.repeat(400) }] });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ input_tokens: 100 });
    expect(response.headers.get('x-sluice-estimated')).toBe('input_tokens');
    expect(upstream.requests.length).toBe(before + 1);
  });

  it('are not counted where the provider refuses the request', async () => {
    const error = { type: 'invalid_request_error', message: 'messages.0: what is this?' };
    upstream.answerWith(json(400, { type: 'error', error }));
    const response = await count({ model: 'anthropic/claude', messages: hello.messages });
    expect(response.status).toBe(400);
    expect(anthropicError.parse(await response.json()).error.message).toContain(error.message);
  });

  it('are not counted where the provider must not receive the request', async () => {
    const before = upstream.requests.length;
    const source = { type: 'file', file_id: 'file_011CNha8iCJcU1wXNR6q4V8w' };
    const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
    expect((await count({ model: 'anthropic/claude', messages })).status).toBe(404);
    const twice = '{"model":"anthropic/claude","model":"anthropic/b","messages":[{"role":"user","content":"x"}]}';
    expect((await count(twice)).status).toBe(400);
    const headers = { 'anthropic-version': 'a, b' };
    expect((await count({ model: 'anthropic/claude', messages: hello.messages }, { headers })).status).toBe(400);
    expect(upstream.requests.length).toBe(before);
  });

  it('are no longer counted once the client disconnects', async () => {
    const before = upstream.requests.length;
    upstream.answerWith(() => undefined);
    const controller = new AbortController();
    const counting = count({ model: 'anthropic/claude', messages: hello.messages }, { signal: controller.signal });
    await upstream.whenRequested(before + 1);
    controller.abort();
    await expect(counting).rejects.toThrow();
    await upstream.requests[before]?.aborted;
  });

  it.each([
    ['without messages', { model: 'openai/m' }, 400],
    ['without a model', { messages: hello.messages }, 400],
    ['of an unknown model', { model: 'nobody/knows', messages: hello.messages }, 404],
  ])('%s are refused in the envelope of the protocol', async (_what, body, status) => {
    const response = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    anthropicError.parse(await response.json());
  });
});

describe('the models', () => {
  const client = (): Anthropic => new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });

  it('are listed in pages as the SDK reads them', async () => {
    const all: string[] = [];
    for await (const model of client().models.list({ limit: 7 })) {
      expect(model).toMatchObject({ type: 'model', display_name: expect.any(String) });
      expect(Number.isNaN(Date.parse(model.created_at))).toBe(false);
      all.push(model.id);
    }
    const listed = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
    const { data } = z.object({ data: z.array(z.object({ id: z.string() })) }).parse(await listed.json());
    const expected = data.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(7);
    expect(all).toEqual(expected);
    const [, , third] = all;
    const before = await client().models.list({ limit: 2, before_id: third ?? '' });
    expect(before.data.map(({ id }) => id)).toEqual(all.slice(0, 2));
  });

  it('are read one by one', async () => {
    expect(await client().models.retrieve('sandbox/chat')).toMatchObject({ type: 'model', id: 'sandbox/chat' });
  });

  it.each([
    ['/nobody/knows', 404],
    ['?limit=0', 400],
    ['?after_id=nobody', 400],
  ])('%s has an error in the envelope of the protocol', async (path, status) => {
    const headers = { 'x-api-key': secret, 'anthropic-version': '2023-06-01' };
    const response = await fetch(`${gateway.url}/v1/models${path}`, { headers });
    expect(response.status).toBe(status);
    anthropicError.parse(await response.json());
  });
});

describe('a message of the sandbox', () => {
  it.each([true, false])('names the stop sequence that ended it, streamed: %s', async (isStream) => {
    const anthropic = new Anthropic({ apiKey: secret, baseURL: gateway.url, maxRetries: 0 });
    const asked = { model: 'sandbox/chat', max_tokens: 500, messages: [{ role: 'user' as const, content: 'Hello' }] };
    const [block] = (await anthropic.messages.create(asked)).content;
    const whole = block?.type === 'text' ? block.text : '';
    const stop = whole.slice(20, 28);
    const request = { ...asked, stop_sequences: ['never said', stop] };
    const message = isStream
      ? await anthropic.messages.stream(request).finalMessage()
      : await anthropic.messages.create(request);
    expect(message).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: stop,
      content: [{ type: 'text', text: whole.slice(0, whole.indexOf(stop)) }],
    });
  });
});
