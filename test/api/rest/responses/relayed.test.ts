import type { ServerResponse } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const recordings = new URL('../../../fixtures/providers/', import.meta.url);
const folders = ['openai-responses', 'xai-responses', 'open-responses'];
const named = folders.flatMap((folder) =>
  readdirSync(new URL(folder, recordings)).map((file) => ({ name: `${folder}/${file}`, file })),
);
const streams = named.filter(({ file }) => file.endsWith('.chunks.txt') && !file.includes('error'));
const documents = named.filter(({ file }) => file.endsWith('.json') && !file.includes('error'));

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startConfigured(`
providers:
  relaying: { base_url: "${provider.url}", api_key: "sk-of-the-operator", options: { api: responses } }
  openai: { base_url: "${provider.url}", api_key: "sk-of-the-operator", options: { api: responses } }
  chatting: { base_url: "${provider.url}", api_key: "sk-of-the-operator", options: { api: chat } }
`);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function recorded(name: string): string {
  return readFileSync(new URL(name, recordings), 'utf8');
}

/** One recording has the responses of two requests, one after the other. */
function responsesIn(lines: string): string[] {
  return lines.split(/(?<=\{"type":"response\.completed"[^\n]*\n)/).filter((response) => response.trim() !== '');
}

/** A recorded stream as its provider sends it. */
function eventsOf(lines: string): Buffer {
  const events = lines.split('\n').filter((line) => line.trim() !== '');
  return Buffer.from(events.map((data) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`).join(''));
}

/** Writes bytes in pieces of any size, each in a packet of its own. The sizes repeat: a failure can be repeated. */
function inPieces(body: Buffer, seed: number): Script {
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    let random = seed;
    for (let at = 0; at < body.length;) {
      random = (random * 48_271) % 2_147_483_647;
      const size = 1 + (random % 4_000);
      response.write(body.subarray(at, at + size));
      at += size;
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

function create(
  body: string,
  headers: Record<string, string> = {},
  apiKey = server.apiKey,
  suffix = '',
): Promise<Response> {
  return fetch(`${server.url}/v1/responses${suffix}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
    body,
  });
}

describe('a response of a provider that serves the protocol', () => {
  it.each(streams)('arrives byte for byte as a stream: $name', async ({ name }) => {
    for (const lines of responsesIn(recorded(name))) {
      const sent = eventsOf(lines);
      provider.answerWith(inPieces(sent, name.length));
      const response = await create(JSON.stringify({ model: 'relaying/m', input: 'Hello', stream: true }));
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
    }
  });

  it('ends with its last event, whether its provider closes the stream or not', async () => {
    const sent = eventsOf(recorded('openai-responses/openai-phase.1.chunks.txt'));
    const open = Promise.withResolvers<ServerResponse>();
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent);
      open.resolve(response);
    });
    const response = await create(JSON.stringify({ model: 'relaying/gpt-5', stream: true, input: 'x' }));
    expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
    (await open.promise).end();
  });

  it.each(documents)('arrives byte for byte as a document: $name', async ({ name }) => {
    const sent = recorded(name);
    provider.answerWith(json(200, sent));
    const response = await create(JSON.stringify({ model: 'relaying/m', input: 'Hello' }));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(sent);
  });

  it.each(['3', '{"role":"user"}', 'true'])('is not asked for to compact the input %s', async (input) => {
    const before = provider.requests.length;
    const refused = await create(`{"model":"relaying/m","input":${input}}`, {}, server.apiKey, '/compact');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { code: 'invalid_type', param: 'input' } });
    expect(provider.requests).toHaveLength(before);
  });

  it('is metered and priced by the usage that the provider reports', async () => {
    const sent = recorded('openai-responses/openai-phase.1.json');
    provider.answerWith(json(200, sent));
    const response = await create(JSON.stringify({ model: 'relaying/metered', input: 'Hello' }));
    await response.text();
    const { usage } = z
      .object({ usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }) })
      .parse(JSON.parse(sent));
    await expect
      .poll(() => usageOf('relaying/metered'))
      .toEqual([{ inputTokens: usage.input_tokens, outputTokens: usage.output_tokens, status: 'SUCCEEDED' }]);
  });
});

describe('a response that its provider stores', () => {
  const stored = recorded('openai-responses/openai-phase.1.json');
  const { id } = z.object({ id: z.string() }).parse(JSON.parse(stored));

  it('is part of the count of what continues it', async () => {
    // Other tests obtain the recorded ids at another connection.
    provider.answerWith(json(200, stored.replaceAll('"resp_', '"resp_counted_').replaceAll('"msg_', '"msg_counted_')));
    await (await create(JSON.stringify({ model: 'openai/m', input: 'Hello' }))).text();
    const counted = { object: 'response.input_tokens', input_tokens: 1_234 };
    provider.answerWith(json(200, counted));
    const count = (continued: string): Promise<Response> => {
      const body = { model: 'openai/m', input: 'And?', previous_response_id: continued };
      return create(JSON.stringify(body), {}, server.apiKey, '/input_tokens');
    };
    const previous = id.replace('resp_', 'resp_counted_');
    const own = await count(previous);
    expect([own.status, own.headers.get('x-sluice-estimated'), await own.json()]).toEqual([200, null, counted]);
    expect(provider.requests.at(-1)?.path).toBe('/v1/responses/input_tokens');
    expect(provider.requests.at(-1)?.json).toEqual({ model: 'm', input: 'And?', previous_response_id: previous });
    const before = provider.requests.length;
    const foreign = await count('resp_of_another_account');
    expect(foreign.status).toBe(404);
    expect(await foreign.json()).toMatchObject({ error: { param: 'previous_response_id', code: 'not_found' } });
    const bare = { model: 'openai/m', input: [{ type: 'reasoning', id: 'rs_of_another_account', summary: [] }] };
    const unknown = await create(JSON.stringify(bare), {}, server.apiKey, '/input_tokens');
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { param: 'input[0].id' } }]);
    expect(provider.requests).toHaveLength(before);
  });

  it('is counted with the conversation before it that is kept here', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
    const said = { type: 'message' as const, role: 'user' as const, content: 'My name is Ada.' };
    const { id: conversation } = await client.conversations.create({ items: [said] });
    provider.answerWith(json(200, { object: 'response.input_tokens', input_tokens: 77 }));
    const counted = await client.responses.inputTokens.count({ model: 'openai/m', conversation, input: 'And?' });
    expect(counted.input_tokens).toBe(77);
    const { json: sent } = provider.requests.at(-1) ?? {};
    expect(Object.keys(sent ?? {}).toSorted()).toEqual(['input', 'model']);
    expect(sent?.input).toMatchObject([{ type: 'message', role: 'user' }, { role: 'user' }]);
    expect(JSON.stringify(sent?.input)).toMatch(/My name is Ada\..*And\?/);
  });

  it('can be continued, read, listed and deleted by its owner', async () => {
    provider.answerWith(json(200, stored));
    await (await create(JSON.stringify({ model: 'relaying/m', input: 'Hello' }))).text();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
    provider.answerWith(json(200, stored));
    await client.responses.create({ model: 'relaying/m', input: 'And?', previous_response_id: id });
    expect(provider.requests.at(-1)?.json.previous_response_id).toBe(id);
    expect(await client.responses.retrieve(id)).toMatchObject({ id });
    expect(provider.requests.at(-1)?.path).toBe(`/v1/responses/${id}`);
    provider.answerWith(json(200, { object: 'list', data: [], first_id: '', last_id: '', has_more: false }));
    expect((await client.responses.inputItems.list(id, { limit: 7 })).data).toEqual([]);
    expect(provider.requests.at(-1)?.path).toBe(`/v1/responses/${id}/input_items?limit=7`);
    provider.answerWith(json(200, { id, object: 'response', deleted: true }));
    await client.responses.delete(id);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it('is streamed again from where its client left off, byte for byte', async () => {
    const whole = eventsOf(recorded('openai-responses/openai-phase.1.chunks.txt'));
    const [, streamed = ''] = /"id":"(resp_[^"]+)"/.exec(whole.toString()) ?? [];
    const gone = new AbortController();
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(whole.subarray(0, Math.floor(whole.length / 2)));
      await new Promise((resolve) => response.once('close', resolve));
    });
    const body = JSON.stringify({ model: 'relaying/m', input: 'Hello', stream: true });
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    const begun = await fetch(`${server.url}/v1/responses`, { method: 'POST', headers, body, signal: gone.signal });
    await begun.body?.getReader().read();
    gone.abort();
    const rest = Buffer.from(
      whole
        .toString()
        .split(/(?<=\n\n)/)
        .slice(5)
        .join(''),
    );
    provider.answerWith(inPieces(rest, 77));
    const url = `${server.url}/v1/responses/${streamed}?stream=true&starting_after=4`;
    const resumed = await fetch(url, { headers: { authorization: `Bearer ${server.apiKey}` } });
    expect(resumed.headers.get('content-type')).toContain('text/event-stream');
    expect(Buffer.from(await resumed.arrayBuffer()).equals(rest)).toBe(true);
    expect(provider.requests.at(-1)?.path).toBe(`/v1/responses/${streamed}?stream=true&starting_after=4`);
  });

  it('is not found by another key, which the provider does not hear of', async () => {
    provider.answerWith(json(200, stored));
    await (await create(JSON.stringify({ model: 'relaying/m', input: 'Hello' }))).text();
    const other = await otherKey();
    const before = provider.requests.length;
    const headers = { authorization: `Bearer ${other}` };
    expect((await fetch(`${server.url}/v1/responses/${id}`, { headers })).status).toBe(404);
    const body = JSON.stringify({ model: 'relaying/m', input: 'And?', previous_response_id: id });
    const continued = await create(body, {}, other);
    expect(continued.status).toBe(404);
    expect(await continued.json()).toMatchObject({ error: { param: 'previous_response_id', code: 'not_found' } });
    expect(provider.requests.length).toBe(before);
  });

  it('has the files that its search found replayed by its own client only', async () => {
    const results = [{ file_id: 'file-replayed_1', filename: 'ai.pdf', score: 0.9, text: 'A vector.', attributes: {} }];
    const call = { type: 'file_search_call', id: 'fs_replayed', status: 'completed', queries: ['a'], results };
    const replay = (item: object, key = server.apiKey): Promise<Response> =>
      create(
        JSON.stringify({ model: 'relaying/m', input: [item, { role: 'user', content: 'And?' }], store: false }),
        {},
        key,
      );
    expect((await replay(call)).status).toBe(404);
    for (const isStream of [false, true]) {
      const [id, file] = [`resp_search_${isStream}`, `file-replayed_${isStream}`];
      const found = { ...call, results: [{ ...results[0], file_id: file }] };
      const answer = { ...JSON.parse(stored), id, store: false, output: [found] };
      const completed = JSON.stringify({ type: 'response.completed', sequence_number: 1, response: answer });
      provider.answerWith(isStream ? inPieces(eventsOf(completed), 7) : json(200, answer));
      await (
        await create(JSON.stringify({ model: 'relaying/m', input: 'Find', store: false, stream: isStream }))
      ).text();
      provider.answerWith(json(200, answer));
      expect((await replay(found)).status).toBe(200);
      expect(provider.requests.at(-1)?.body).toContain(file);
      const other = await replay(found, await otherKey());
      expect(other.status).toBe(404);
      expect(await other.json()).toMatchObject({ error: { param: 'input[0].results[0].file_id' } });
    }
    expect((await replay(call)).status).toBe(404);
  });

  it('has its requests for approvals answered by its own client only, stored or not', async () => {
    const answer = (id: string, key = server.apiKey): Promise<Response> =>
      create(
        JSON.stringify({
          model: 'relaying/m',
          input: [
            { type: 'mcp_approval_request', id, name: 'f', arguments: '{}', server_label: 'a' },
            { type: 'mcp_approval_response', approval_request_id: id, approve: true },
          ],
          store: false,
        }),
        {},
        key,
      );
    expect((await answer('mcpr_foreign')).status).toBe(404);
    for (const store of [false, true]) {
      const [id, request] = [`resp_approval_${store}`, `mcpr_own_${store}`];
      const item = { type: 'mcp_approval_request', id: request, name: 'f', arguments: '{}', server_label: 'a' };
      provider.answerWith(json(200, { ...JSON.parse(stored), id, store, output: [item] }));
      await (await create(JSON.stringify({ model: 'relaying/m', input: 'Call', store }))).text();
      expect((await answer(request)).status).toBe(200);
      const other = await answer(request, await otherKey());
      expect(other.status).toBe(404);
      expect(await other.json()).toMatchObject({ error: { param: 'input[1].approval_request_id' } });
    }
    expect((await answer('mcpr_foreign')).status).toBe(404);
  });

  it('is not found by an object that no client can have, in any member', async () => {
    for (const [param, members] of [
      ['widget_id', { widget_id: 'mine' }],
      ['tools[0].widgetIds[0]', { tools: [{ type: 'widget', widgetIds: ['mine'] }] }],
      ['tools[0].tools[0].store.id', { tools: [{ type: 'namespace', name: 'n', tools: [{ store: { id: 'mine' } }] }] }],
      [
        'input[0].tools[0].widget',
        { input: [{ type: 'additional_tools', tools: [{ widget: 'wdg_68a1b2c3d4e5f60718' }] }] },
      ],
      ['widget_id', { widget_id: 'a\0b' }],
      ['previous_response_id', { previous_response_id: 'resp_\0' }],
      ['previous_response_id', { previous_response_id: 'resp_\ud800' }],
      ['conversation', { conversation: 'conv_\0' }],
      ['conversation.id', { conversation: { id: '\ud800' } }],
      ['input[0].content[0].file_id', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: '\0' }] }] }],
      ['tools[0].vector_store_ids[0]', { tools: [{ type: 'file_search', vector_store_ids: ['\0'] }] }],
      ['input[0].id', { input: [{ type: 'item_reference', id: '\0' }] }],
    ] as const) {
      const response = await create(JSON.stringify({ model: 'relaying/m', input: 'Hello', ...members }));
      expect([response.status, await response.json()]).toMatchObject([404, { error: { param, code: 'not_found' } }]);
    }
  });

  it('belongs to the connection that it came from, also where another has one by the same id', async () => {
    const item = { type: 'reasoning', id: 'rs_of_relaying', summary: [] };
    const answerOf = (id: string) => json(200, { ...JSON.parse(stored), id, store: true, output: [item] });
    const asked = (model: string, more: object): Promise<Response> =>
      create(JSON.stringify({ model, input: 'Hello', store: true, ...more }));
    provider.answerWith(answerOf('resp_twice_1'));
    for (const model of ['relaying/m', 'openai/m']) expect((await asked(model, {})).status).toBe(200);
    for (const model of ['relaying/m', 'openai/m'])
      expect((await asked(model, { previous_response_id: 'resp_twice_1' })).status).toBe(200);
    provider.answerWith(
      json(200, { ...JSON.parse(stored), id: 'resp_once_1', store: true, output: [{ ...item, id: 'rs_once' }] }),
    );
    expect((await asked('relaying/m', {})).status).toBe(200);
    const input = [
      { type: 'item_reference', id: 'rs_once' },
      { role: 'user', content: 'And?' },
    ];
    const before = provider.requests.length;
    expect((await asked('openai/m', { input })).status).toBe(404);
    const bare = [
      { type: 'reasoning', id: 'rs_once', summary: [] },
      { role: 'user', content: 'And?' },
    ];
    expect((await asked('openai/m', { input: bare })).status).toBe(404);
    expect(provider.requests.length).toBe(before);
    for (const own of [input, bare]) expect((await asked('relaying/m', { input: own })).status).toBe(200);
  });

  it('leads to its conversation, which its owner reads, changes and deletes there', async () => {
    const conversation = 'conv_689667905b048191b4740501625afd940c7533ace33a2dab';
    provider.answerWith(json(200, { ...JSON.parse(stored), conversation: { id: conversation } }));
    await (await create(JSON.stringify({ model: 'relaying/m', input: 'Hello' }))).text();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
    const shown = { id: conversation, object: 'conversation', created_at: 1, metadata: { topic: 'boats' } };
    provider.answerWith(json(200, shown));
    expect(await client.conversations.retrieve(conversation)).toEqual(shown);
    await client.conversations.update(conversation, { metadata: { topic: 'boats' } });
    expect(provider.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: `/v1/conversations/${conversation}`,
      json: { metadata: { topic: 'boats' } },
    });
    const page = { object: 'list', data: [], first_id: '', last_id: '', has_more: false };
    provider.answerWith(json(200, page));
    expect((await client.conversations.items.list(conversation, { limit: 7 })).data).toEqual([]);
    expect(provider.requests.at(-1)?.path).toBe(`/v1/conversations/${conversation}/items?limit=7`);
    const image = { type: 'input_image' as const, detail: 'auto' as const, file_id: 'file-of_somebody_else' };
    const before = provider.requests.length;
    const foreign = client.conversations.items.create(conversation, {
      items: [{ type: 'message', role: 'user', content: [image] }],
    });
    await expect(foreign).rejects.toMatchObject({ status: 404, param: 'items[0].content[0].file_id' });
    const twice = await fetch(`${server.url}/v1/conversations/${conversation}/items`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: '{"items":[{"type":"message","content":[{"file_id":"file-of_somebody_else","file_id":""}]}]}',
    });
    expect(twice.status).toBe(400);
    expect(await twice.json()).toMatchObject({ error: { code: 'duplicate_parameter' } });
    const headers = { authorization: `Bearer ${await otherKey()}` };
    expect((await fetch(`${server.url}/v1/conversations/${conversation}`, { headers })).status).toBe(404);
    expect(provider.requests.length).toBe(before);
    provider.answerWith(json(200, shown));
    await client.conversations.items.delete('msg_1', { conversation_id: conversation });
    expect(provider.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      path: `/v1/conversations/${conversation}/items/msg_1`,
    });
    provider.answerWith(json(200, { id: conversation, object: 'conversation.deleted', deleted: true }));
    await client.conversations.delete(conversation);
    await expect(client.conversations.retrieve(conversation)).rejects.toMatchObject({ status: 404 });
  });

  it.each([true, false])(
    'has its items replayed by its own client only, where they say nothing but their id: %s',
    async (store) => {
      const reasoning = { type: 'reasoning', id: `rs_bare_${store}`, summary: [{ type: 'summary_text', text: 'So.' }] };
      const picture = {
        type: 'image_generation_call',
        id: `ig_bare_${store}`,
        status: 'completed',
        result: 'iVBORw0KGgo=',
      };
      const { output } = z.object({ output: z.array(z.looseObject({})) }).parse(JSON.parse(stored));
      const items = [reasoning, picture, ...output];
      const answer = { ...JSON.parse(stored), id: `resp_bare_${store}_1`, store, output: items };
      provider.answerWith(json(200, answer));
      await (await create(JSON.stringify({ model: 'relaying/m', input: 'Hello', store }))).text();
      const replay = (given: readonly object[]): string =>
        JSON.stringify({ model: 'relaying/m', input: [...given, { role: 'user', content: 'And?' }], store });
      const own = await create(replay(items));
      expect(own.status).toBe(200);
      expect(provider.requests.at(-1)?.body).toBe(replay(items).replace('relaying/m"', 'm"         '));
      const other = await otherKey();
      const before = provider.requests.length;
      const { result: _bytes, ...named } = picture;
      for (const item of [reasoning, named, { id: reasoning.id }, { type: 'item_reference', id: reasoning.id }]) {
        const refused = await create(replay([item]), {}, other);
        expect(refused.status).toBe(404);
        expect(await refused.json()).toMatchObject({ error: { param: 'input[0].id', code: 'not_found' } });
      }
      expect(provider.requests.length).toBe(before);
      // What stands for itself is replayed by any client, whoever it was produced for.
      const whole = [{ ...reasoning, encrypted_content: 'gAAAAA' }, picture, ...output];
      expect((await create(replay(whole), {}, other)).status).toBe(200);
    },
  );

  it('is continued with what another provider’s model said, as Sluice converted it', async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
    const thinking = { role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' };
    const choices = [{ index: 0, message: thinking, finish_reason: 'stop' }];
    provider.answerWith(json(200, { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }));
    const { output } = await client.responses.create({ model: 'chatting/m', input: 'Hello', store: false });
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    // Clients that do not keep the text of reasoning.
    const items = output.map((item) => (item.type === 'reasoning' ? { ...item, content: [] } : item));
    provider.answerWith(json(200, stored));
    const next = await create(JSON.stringify({ model: 'relaying/m', input: items, store: false }));
    expect(next.status).toBe(200);
  });

  it('names no object where it is not stored', async () => {
    const unstored = JSON.stringify({ ...JSON.parse(stored), id: 'resp_of_nobody_12345', store: false });
    provider.answerWith(json(200, unstored));
    await (await create(JSON.stringify({ model: 'relaying/m', input: 'Hello', store: false }))).text();
    const read = await fetch(`${server.url}/v1/responses/resp_of_nobody_12345`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
    });
    expect(read.status).toBe(404);
  });
});

describe('a request', () => {
  const answered = recorded('openai-responses/openai-phase.1.json');

  it('reaches the provider unchanged but for the name of the model', async () => {
    provider.answerWith(json(200, answered));
    const body = `{ "model": "relaying/some-model-1", "input": [{"type":"compaction_trigger"}], "tools":[{"type":"web_search","external_web_access":true}],
      "unknown": {"b": 1.0, "a": [null]}, "reasoning": {"effort": "high", "context": "all_turns"}, "store": false }`;
    const response = await create(body, { 'openai-beta': 'x=1', 'session-id': 's-1', 'x-codex-window-id': 'w' });
    await response.text();
    const received = provider.requests.at(-1);
    expect(received?.path).toBe('/v1/responses');
    expect(received?.body).toBe(body.replace('"relaying/some-model-1"', '"some-model-1"         '));
    expect(received?.headers).toMatchObject({
      authorization: 'Bearer sk-of-the-operator',
      'openai-beta': 'x=1',
      'session-id': 's-1',
      'x-codex-window-id': 'w',
    });
  });

  it('to compact reaches the provider as one that ends in a trigger', async () => {
    const items = [{ id: 'cmp_1', type: 'compaction', encrypted_content: 'sealed' }];
    provider.answerWith(json(200, JSON.stringify({ ...JSON.parse(answered), output: items })));
    const input = [{ role: 'user', content: 'Hello' }];
    const body = { model: 'relaying/some-model', input, instructions: 'Be brief.', new_member: { a: 1 } };
    const response = await create(JSON.stringify(body), {}, server.apiKey, '/compact');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ object: 'response.compaction', output: items });
    expect(provider.requests.at(-1)?.json).toEqual({
      ...body,
      model: 'some-model',
      store: false,
      input: [...input, { type: 'compaction_trigger' }],
    });
    provider.answerWith(json(200, answered));
    expect((await create(JSON.stringify(body), {}, server.apiKey, '/compact')).status).toBe(502);
  });

  it('is refused by name where its provider has another protocol', async () => {
    const before = provider.requests.length;
    const response = await create(
      JSON.stringify({
        model: 'chatting/m',
        input: 'Hello',
        tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      }),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'tools[0].type' } });
    expect(provider.requests.length).toBe(before);
  });

  it.each<[string, object]>([
    ['tools[0].vector_store_ids[0]', { tools: [{ type: 'file_search', vector_store_ids: ['vs_6894d1d2f1c08191b8'] }] }],
    ['tools[0].vector_store_ids[0]', { tools: [{ type: 'file_search', vector_store_ids: ['collection_3be0eec8'] }] }],
    ['input[0].content[0].file_id', { input: [{ role: 'user', content: [{ file_id: 'assistant-AbC123' }] }] }],
    ['conversation', { conversation: 'abc' }],
    ['tools[0].container', { tools: [{ type: 'code_interpreter', container: 'mycontainer' }] }],
    ['prompt.id', { prompt: { id: 'my-prompt' } }],
  ])('cannot name an object of another account: %s', async (param, members) => {
    const before = provider.requests.length;
    const response = await create(JSON.stringify({ model: 'relaying/m', input: 'Hello', ...members }));
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { param } });
    expect(provider.requests.length).toBe(before);
  });

  it.each([
    ['is not JSON', '{', 400],
    ['has no model', '{"input":"x"}', 400],
    ['names a model that does not exist', '{"model":"nobody/knows","input":"x"}', 404],
  ])('that %s gets %s', async (_what, body, status) => {
    const response = await create(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toHaveProperty('error.message');
  });
});

describe('an error of the provider', () => {
  it('before the response keeps its status and its text', async () => {
    provider.answerWith(
      json(400, { error: { message: 'No such tool.', type: 'invalid_request_error', param: 'tools', code: null } }),
    );
    const response = await create(JSON.stringify({ model: 'relaying/m', input: 'Hello' }));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('No such tool.') } });
  });

  it('within a stream ends it with an error event', async () => {
    const events = eventsOf(recorded('openai-responses/openai-phase.1.chunks.txt')).toString().split('\n\n');
    const start = events.slice(0, 12).map((event) => `${event}\n\n`);
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(start.join(''), () => response.socket?.destroy());
    });
    const response = await create(JSON.stringify({ model: 'relaying/m', input: 'Hello', stream: true }));
    const text = await response.text();
    expect(text.startsWith(start.join(''))).toBe(true);
    expect(text.slice(start.join('').length)).toMatch(
      /^event: error\ndata: \{"type":"error","code":"provider_stream_cut"/,
    );
  });
});

async function otherKey(): Promise<string> {
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const { data } = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
  return z.object({ createApiKey: z.object({ secret: z.string() }) }).parse(data).createApiKey.secret;
}

async function usageOf(model: string): Promise<unknown> {
  const query =
    'query ($model: String) { usageLogs(first: 5, filter: { model: $model }) { nodes { inputTokens outputTokens status } } }';
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const { data } = await post(server.url, { query, variables: { model } }, headers);
  return z.object({ usageLogs: z.object({ nodes: z.array(z.unknown()) }) }).parse(data).usageLogs.nodes;
}
