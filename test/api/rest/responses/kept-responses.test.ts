import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const recordings = new URL('../../../fixtures/providers/', import.meta.url);
/** As servers say that were told to store nothing. */
const document = recorded('openai-responses/openai-phase.1.json').replace('{', '{\n  "store": false,');
const given = JSON.parse(document) as { id: string; output: { content?: { text: string }[] }[] };
const lines = recorded('openai-responses/openai-web-search-tool.1.chunks.txt')
  .replaceAll('"store":true', '"store":false')
  .split('\n')
  .filter(Boolean);

let provider: FakeProvider;
let server: ServerProcess;
let client: OpenAI;

beforeAll(async () => {
  provider = await startFakeProvider();
  const responses = `{ base_url: "${provider.url}", api_key: "sk-1", options: { api: responses } }`;
  server = await startConfigured(`
providers:
  groq: ${responses}
  openrouter: ${responses}
  vllm: ${responses}
  ollama: ${responses}
`);
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function recorded(name: string): string {
  return readFileSync(new URL(name, recordings), 'utf8');
}

function sent(): Buffer {
  return Buffer.from(lines.map((data) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`).join(''));
}

/** In pieces that end anywhere. */
const streamed: Script = async (_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const bytes = sent();
  for (let at = 0; at < bytes.length; at += 777) {
    response.write(bytes.subarray(at, at + 777));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
};

function create(body: object): Promise<Response> {
  return fetch(`${server.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('a response of a server that stores none', () => {
  it.each(['groq', 'openrouter', 'vllm', 'ollama'])(
    'of %s is stored here, and can be read and deleted',
    async (name) => {
      provider.answerWith(json(200, document));
      const response = await create({ model: `${name}/m`, input: 'Hello', top_logprobs: 3, unknown: { member: 1 } });
      expect(response.status).toBe(200);
      const text = await response.text();
      expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(text));
      const { id } = JSON.parse(text) as { id: string };
      // All but the id and `store` is the provider's.
      expect(id).not.toBe(given.id);
      expect(text).toBe(document.replaceAll(`"${given.id}"`, `"${id}"`).replace('"store": false', '"store": true'));
      const asked = provider.requests.at(-1);
      expect(asked?.path).toBe('/v1/responses');
      expect(asked?.json).toEqual({
        model: 'm',
        input: 'Hello',
        top_logprobs: 3,
        unknown: { member: 1 },
        store: false,
      });
      const read = await client.responses.retrieve(id);
      expect(read).toMatchObject({ ...given, id, store: true });
      const { data: items } = await client.responses.inputItems.list(id);
      expect(items).toMatchObject([{ type: 'message', role: 'user' }]);
      await client.responses.delete(id);
      await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    },
  );

  it('is streamed byte for byte but for its id and `store`', async () => {
    provider.answerWith(streamed);
    const response = await create({ model: 'groq/m', input: 'Hello', stream: true });
    const text = await response.text();
    const [, id = ''] = /"id":"(resp_[^"]+)"/.exec(text) ?? [];
    const [, theirs = ''] = /"id":"(resp_[^"]+)"/.exec(sent().toString()) ?? [];
    expect(id).not.toBe(theirs);
    expect(text).toBe(sent().toString().replaceAll(theirs, id).replaceAll('"store":false', '"store":true'));
    const read = await client.responses.retrieve(id);
    expect(read.output.map(({ type }) => type)).toContain('web_search_call');
  });

  it('can be continued, also by another model', async () => {
    provider.answerWith(json(200, document));
    const first = await client.responses.create({ model: 'vllm/m', input: 'Hello' });
    const next = await client.responses.create({
      model: 'sandbox/chat',
      input: 'And then?',
      previous_response_id: first.id,
    });
    expect(next.previous_response_id).toBe(first.id);
    expectOpenAi('Response', next);
    const again = await client.responses.create({ model: 'vllm/m', input: 'Go on.', previous_response_id: next.id });
    expect(again.status).toBe('completed');
    const texts = JSON.stringify(provider.requests.at(-1)?.json);
    for (const text of ['Hello', 'And then?', 'Go on.']) expect(texts).toContain(`"${text}"`);
  });

  it.each([false, true])(
    'is continued with its items as they are, in what is otherwise the client’s body: %s',
    async (stream) => {
      const output = [
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [],
          encrypted_content: 'sealed-by-the-provider',
          of_theirs: { a: 1 },
        },
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
        },
      ];
      const answered = { ...JSON.parse(document), output, previous_response_id: null };
      provider.answerWith(json(200, JSON.stringify(answered)));
      const first = await client.responses.create({ model: 'groq/m', input: 'Hello' });

      const completed = {
        type: 'response.completed',
        sequence_number: 1,
        response: { ...answered, id: 'resp_theirs_2' },
      };
      provider.answerWith(
        stream
          ? (_request, response) => {
              response.writeHead(200, { 'content-type': 'text/event-stream' });
              response.end(`event: response.completed\ndata: ${JSON.stringify(completed)}\n\n`);
            }
          : json(200, JSON.stringify(completed.response)),
      );
      const own = '{ "role": "user",  "content": "And then?", "of_mine": 1.0 }';
      const sentBody = `{"model":"groq/m","previous_response_id":"${first.id}", "input": [ ${own} ],"unknown": 1.50,"stream":${stream}}`;
      const response = await fetch(`${server.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
        body: sentBody,
      });
      const text = await response.text();
      expect(response.status).toBe(200);
      const { body = '', json: asked = {} } = provider.requests.at(-1) ?? {};
      expect(body).toContain(own);
      expect(body).toContain('"unknown": 1.50');
      expect(asked).not.toHaveProperty('previous_response_id');
      expect(asked.store).toBe(false);
      expect(asked.input).toEqual([{ type: 'message', role: 'user', content: 'Hello' }, ...output, JSON.parse(own)]);

      const shown = stream ? JSON.parse(text.split('data: ')[1] ?? '').response : JSON.parse(text);
      expect(shown).toMatchObject({ previous_response_id: first.id, store: true });
      const read = await client.responses.retrieve(shown.id);
      expect(read).toMatchObject({ id: shown.id, previous_response_id: first.id });
      const { data: items } = await client.responses.inputItems.list(shown.id);
      expect(items).toHaveLength(1);

      // The conversation of a continuation has each item once.
      provider.answerWith(json(200, JSON.stringify(answered)));
      await client.responses.create({ model: 'groq/m', input: 'More', previous_response_id: shown.id });
      expect(provider.requests.at(-1)?.json.input).toHaveLength(1 + 2 + 1 + 2 + 1);
    },
  );

  it.each([false, true])('is named by one that continues it and is stored nowhere, streamed: %s', async (stream) => {
    provider.answerWith(json(200, document));
    const first = await client.responses.create({ model: 'groq/m', input: 'Hello' });
    const answered = { ...JSON.parse(document), previous_response_id: null };
    const completed = { type: 'response.completed', sequence_number: 1, response: answered };
    const events = (named: object): string => `event: response.completed\ndata: ${JSON.stringify(named)}\n\n`;
    provider.answerWith(
      stream
        ? (_request, response) => {
            response.writeHead(200, { 'content-type': 'text/event-stream' });
            response.end(events(completed));
          }
        : json(200, JSON.stringify(answered)),
    );
    const body = { model: 'groq/m', input: 'And?', previous_response_id: first.id, store: false, stream };
    const text = await (await create(body)).text();
    const named = { ...answered, previous_response_id: first.id };
    expect(text).toBe(stream ? events({ ...completed, response: named }) : JSON.stringify(named));
    await expect(client.responses.retrieve(given.id)).rejects.toMatchObject({ status: 404 });
  });

  it('is not continued after it is deleted', async () => {
    provider.answerWith(json(200, document));
    const { id } = await client.responses.create({ model: 'groq/m', input: 'Hello' });
    await client.responses.delete(id);
    const before = provider.requests.length;
    await expect(
      client.responses.create({ model: 'groq/m', input: 'And?', previous_response_id: id }),
    ).rejects.toMatchObject({ code: 'previous_response_not_found' });
    expect(provider.requests.length).toBe(before);
  });

  it.each([{ store: false }, { store: false, stream: true }])(
    'is passed on unchanged and stored nowhere with %j',
    async (more) => {
      provider.answerWith(more.stream ? streamed : json(200, document));
      const response = await create({ model: 'openrouter/m', input: 'Hello', ...more });
      const text = await response.text();
      expect(text).toBe(more.stream ? sent().toString() : document);
      const [, id = ''] = /"id": ?"(resp_[^"]+)"/.exec(text) ?? [];
      await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    },
  );

  it('is not found by another account’s key, nor by the provider’s own id', async () => {
    provider.answerWith(json(200, document));
    await client.responses.create({ model: 'groq/m', input: 'Hello' });
    const before = provider.requests.length;
    await expect(client.responses.retrieve(given.id)).rejects.toMatchObject({ status: 404 });
    await expect(
      client.responses.create({ model: 'groq/m', input: 'And?', previous_response_id: given.id }),
    ).rejects.toMatchObject({ status: 404 });
    expect(provider.requests.length).toBe(before);
  });

  it('that fails within its stream is not stored', async () => {
    const bytes = sent();
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(bytes.subarray(0, Math.floor(bytes.length * 0.7)), () => response.destroy());
    });
    const text = await (await create({ model: 'groq/m', input: 'Hello', stream: true })).text();
    const [, id = ''] = /"id":"(resp_[^"]+)"/.exec(text) ?? [];
    expect(id).not.toBe('');
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a request to a server that stores none', () => {
  it.each([
    [{ tools: [{ type: 'custom', name: 'apply' }] }],
    [{ tools: [{ type: 'local_shell' }] }],
    [
      {
        input: [
          { type: 'custom_tool_call', call_id: 'call_1', name: 'apply', input: 'x' },
          { type: 'custom_tool_call_output', call_id: 'call_1', output: 'done' },
        ],
      },
    ],
    [{ input: [{ role: 'user', content: 'Hello' }, { type: 'compaction_trigger' }] }],
  ])('is converted where only OpenAI takes it: %j', async (members) => {
    provider.answerWith(json(200, document));
    const response = await create({ model: 'vllm/m', input: 'Hello', ...members });
    expect(response.status).toBe(200);
    // Converted to functions and back, by way of a chat.
    const asked = JSON.stringify(provider.requests.at(-1)?.json);
    expect(asked).not.toMatch(/"type":"(?:custom(?:_tool_call(?:_output)?)?|local_shell|compaction_trigger)"/);
  });

  it('is recorded with the protocol, its usage and its cost', async () => {
    provider.answerWith(json(200, document));
    await client.responses.create({ model: 'groq/recorded', input: 'Hello' });
    const query =
      '{ usageLogs(first: 5, filter: { model: "groq/recorded" }) { nodes { protocol status inputTokens } } }';
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const { usage } = JSON.parse(document) as { usage: { input_tokens: number } };
    await expect
      .poll(async () => (await post(server.url, { query }, headers)).data)
      .toEqual({
        usageLogs: { nodes: [{ protocol: 'RESPONSES', status: 'SUCCEEDED', inputTokens: usage.input_tokens }] },
      });
  });
});
