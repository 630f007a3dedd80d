import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, startFakeProvider, type FakeProvider, type Script } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import { openResponseSocket } from '../../../harness/response-socket.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const recordings = new URL('../../../fixtures/providers/', import.meta.url);
const search = recorded('openai-responses/openai-web-search-tool.1.json');
const code = recorded('openai-responses/openai-code-interpreter-tool.1.json');
const files = recorded('openai-responses/openai-file-search-tool.1.json');
const text = recorded('openai-responses/openai-phase.1.json');
const thinking = recorded('anthropic/anthropic-claude-opus-5-reasoning-high.1.json');
/** Reasoning, a program and a function call, not stored: the reasoning is encrypted. */
const calling = recorded('openai-responses/programmatic-tool-calling.1.chunks.txt').split('\n').filter(Boolean);
const phase = recorded('openai-responses/openai-phase.1.chunks.txt').split('\n').filter(Boolean);

let provider: FakeProvider;
let server: ServerProcess;
let client: OpenAI;

beforeAll(async () => {
  provider = await startFakeProvider();
  const responses = `{ base_url: "${provider.url}", api_key: "sk-1", options: { api: responses } }`;
  server = await startConfigured(`
providers:
  relaying: ${responses}
  elsewhere: ${responses}
  groq: ${responses}
  anthropic: { base_url: "${provider.url}", api_key: "sk-2" }
`);
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

type Item = Record<string, unknown> & { id?: string; type: string };

function recorded(name: string): string {
  return readFileSync(new URL(name, recordings), 'utf8');
}

function outputOf(document: string): Item[] {
  return (JSON.parse(document) as { output: Item[] }).output;
}

function eventsOf(lines: readonly string[]): string {
  return lines.map((data) => `event: ${String(JSON.parse(data).type)}\ndata: ${data}\n\n`).join('');
}

/** In pieces that end anywhere. */
function streamed(lines: readonly string[]): Script {
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const bytes = Buffer.from(eventsOf(lines));
    for (let at = 0; at < bytes.length; at += 777) {
      response.write(bytes.subarray(at, at + 777));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

function create(body: object, apiKey = server.apiKey): Promise<Response> {
  return fetch(`${server.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** One turn, whose provider answers with this document. */
async function turn(conversation: string, input: unknown, document: string, more: object = {}): Promise<unknown> {
  provider.answerWith(json(200, document));
  const response = await create({ model: 'relaying/m', input, conversation, ...more });
  const answer: unknown = await response.json();
  expect(response.status, JSON.stringify(answer)).toBe(200);
  return answer;
}

function sentItems(): Item[] {
  return (provider.requests.at(-1)?.json.input ?? []) as Item[];
}

async function itemsOf(conversation: string): Promise<Item[]> {
  const url = `${server.url}/v1/conversations/${conversation}/items?limit=100&order=asc`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${server.apiKey}` } });
  return ((await response.json()) as { data: Item[] }).data;
}

const said = (content: string) => ({ type: 'message' as const, role: 'user' as const, content });
const withoutIds = (items: readonly Item[]) => items.map(({ id: _id, ...item }) => item);
const typesOf = (items: readonly Item[]) => items.map(({ type }) => type);

describe('a conversation at a provider that serves the protocol', () => {
  it('is relayed with its reasoning, hosted tools and function calls as they are', async () => {
    const { id } = await client.conversations.create({ items: [said('My name is Ada.')] });
    provider.answerWith(json(200, search));
    const first = await client.responses.create({
      model: 'relaying/m',
      conversation: id,
      input: 'Search.',
      tools: [
        { type: 'web_search', search_context_size: 'low' },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
    });
    expect(first).toMatchObject({ id: JSON.parse(search).id, conversation: { id } });
    const asked = provider.requests.at(-1)?.json;
    expect(asked).not.toHaveProperty('conversation');
    expect(asked).toMatchObject({
      model: 'm',
      tools: [{ type: 'web_search', search_context_size: 'low' }, { type: 'code_interpreter' }],
    });
    expect(withoutIds(sentItems())).toEqual([said('My name is Ada.'), said('Search.')]);

    await turn(id, 'Compute.', code);
    expect(sentItems().slice(2)).toEqual([...outputOf(search), said('Compute.')]);

    provider.answerWith(streamed(calling));
    const events = await client.responses.create({
      model: 'relaying/m',
      conversation: { id },
      input: [said('Call.')],
      store: false,
      stream: true,
    });
    let output: Item[] = [];
    for await (const event of events) {
      if (!('response' in event)) continue;
      expect(event.response.conversation).toEqual({ id });
      output = event.response.output as unknown as Item[];
    }
    expect(typesOf(output)).toEqual(['reasoning', 'program', 'function_call']);
    expect(sentItems().slice(2)).toEqual([
      ...outputOf(search),
      expect.objectContaining({ content: 'Compute.' }),
      ...outputOf(code),
      said('Call.'),
    ]);

    const result = { type: 'function_call_output', call_id: output.at(-1)?.call_id, output: '7', of_mine: 1 };
    await turn(id, [result], text);
    expect(sentItems().slice(-4)).toEqual([...output, result]);
    expect(typesOf(await itemsOf(id))).toEqual(typesOf([...sentItems(), ...outputOf(text)]));
    expect((await itemsOf(id)).slice(-2)).toEqual(outputOf(text));
  });

  it('is named in the response, of which nothing else is changed', async () => {
    const { id } = await client.conversations.create({});
    const named = `"conversation":${JSON.stringify({ id })}`;
    provider.answerWith(json(200, text));
    const response = await create({ model: 'relaying/m', input: 'Hello', conversation: id, unknown: { member: 1 } });
    const document = await response.text();
    expect(Number(response.headers.get('content-length'))).toBe(Buffer.byteLength(document));
    expect(document).toBe(text.replace(/\}(\s*)$/, `,${named}}$1`));
    expect(provider.requests.at(-1)?.json.unknown).toEqual({ member: 1 });
    provider.answerWith(streamed(phase));
    const stream = await (await create({ model: 'relaying/m', input: 'Hello', conversation: id, stream: true })).text();
    const whole = phase.filter((line) => 'response' in (JSON.parse(line) as object));
    expect(stream.split(named)).toHaveLength(whole.length + 1);
    expect(stream.replaceAll(`,${named}`, '')).toBe(eventsOf(phase));
  });

  it('goes on at a provider with another protocol, and back', async () => {
    const { id } = await client.conversations.create({});
    await turn(id, 'Search.', search);
    await turn(id, 'And you?', thinking, { model: 'anthropic/claude-opus-4-5', reasoning: { effort: 'high' } });
    expect(provider.requests.at(-1)?.path).toBe('/v1/messages');
    expect(provider.requests.at(-1)?.body).toContain('Search.');
    const stored = await itemsOf(id);
    expect(typesOf(stored).slice(-3)).toEqual(['message', 'reasoning', 'message']);
    await turn(id, 'Back.', text);
    const sent = sentItems();
    // What only the other provider understands is left out, and its item has no id that OpenAI does not know.
    expect(sent.slice(1, 1 + outputOf(search).length)).toEqual(outputOf(search));
    const [, , answer] = stored.slice(-3);
    expect(sent.slice(1 + outputOf(search).length)).toEqual([
      said('And you?'),
      ...withoutIds(answer === undefined ? [] : [answer]),
      said('Back.'),
    ]);
    expect((await itemsOf(id)).slice(-2)).toEqual(outputOf(text));
  });

  it('leaves reasoning, hosted calls and ids at the connection that they are of', async () => {
    const { id } = await client.conversations.create({});
    await turn(id, 'Search.', search);
    const [message] = outputOf(search).slice(-1);
    // No two providers give the same ids.
    const computed = code.replaceAll('024ee52f', '124ee52f').replaceAll(/(cntr|cfile)_69/g, '$1_79');
    await turn(id, 'Compute.', computed, { model: 'elsewhere/m' });
    expect(sentItems()).toEqual([
      said('Search.'),
      ...withoutIds(message === undefined ? [] : [message]),
      said('Compute.'),
    ]);
    await turn(id, 'Back.', text);
    expect(sentItems()).toHaveLength(1 + outputOf(search).length + 3);
    expect(sentItems().slice(1, -3)).toEqual(outputOf(search));
    expect(sentItems().at(-2)).toMatchObject({ role: 'assistant' });
    expect(sentItems().at(-2)).not.toHaveProperty('id');
    // The other provider's container is none that this one knows.
    expect(JSON.stringify(sentItems().at(-2))).not.toContain('cntr_');
    expect(JSON.stringify(outputOf(computed).at(-1))).toContain('cntr_');
  });

  it('sends reasoning that is not stored only where it is encrypted', async () => {
    const { id } = await client.conversations.create({});
    const unstored = JSON.parse(search.replaceAll(/"(rs|ws|msg)_0953/g, '"$1_1953')) as { output: Item[] };
    const [reasoning, call, ...rest] = unstored.output;
    const output = [{ ...reasoning, encrypted_content: 'sealed-by-the-provider' }, call, ...rest];
    await turn(id, 'Search.', JSON.stringify({ ...unstored, store: false, output }), { store: false });
    await turn(id, 'And?', text, { store: false });
    expect(provider.requests.at(-1)?.json.store).toBe(false);
    expect(sentItems().slice(1, -1)).toEqual(
      output.filter((item) => item !== undefined && (item.type !== 'reasoning' || 'encrypted_content' in item)),
    );
    await turn(id, 'Elsewhere?', code, { model: 'elsewhere/m' });
    expect(provider.requests.at(-1)?.body).not.toContain('sealed-by-the-provider');
  });

  it('is continued at a provider that stores nothing, whose response is stored here', async () => {
    const { id } = await client.conversations.create({});
    const model = 'groq/m';
    const answered = (await turn(id, 'Hello', text, { model })) as { id: string };
    expect(answered.id).not.toBe((JSON.parse(text) as { id: string }).id);
    expect(answered).toMatchObject({ conversation: { id } });
    expect(await client.responses.retrieve(answered.id)).toMatchObject({ id: answered.id, conversation: { id } });
    await turn(id, 'And?', search, { model });
    expect(sentItems().slice(1)).toEqual([...outputOf(text), said('And?')]);
    expect(provider.requests.at(-1)?.json.store).toBe(false);
  });

  it('keeps nothing of a response that fails', async () => {
    const { id } = await client.conversations.create({ items: [said('Kept')] });
    provider.answerWith(
      json(400, { error: { message: 'No.', type: 'invalid_request_error', code: null, param: null } }),
    );
    expect((await create({ model: 'relaying/m', input: 'Lost', conversation: id })).status).toBe(400);
    provider.answerWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const bytes = eventsOf(phase);
      response.write(bytes.slice(0, Math.floor(bytes.length * 0.7)), () => response.destroy());
    });
    await (await create({ model: 'relaying/m', input: 'Lost', conversation: id, stream: true })).text();
    const failed = { ...JSON.parse(text), status: 'failed', error: { code: 'server_error', message: 'No.' } };
    provider.answerWith(json(200, JSON.stringify(failed)));
    await (await create({ model: 'relaying/m', input: 'Lost', conversation: id })).text();
    expect(await itemsOf(id)).toMatchObject([{ content: [{ text: 'Kept' }] }]);
  });

  it('is not found by another key, of which the provider does not hear', async () => {
    const { id } = await client.conversations.create({ items: [said('Secret')] });
    const before = provider.requests.length;
    const response = await create({ model: 'relaying/m', input: 'Hello', conversation: id }, await otherKey());
    expect(response.status).toBe(404);
    expect(provider.requests).toHaveLength(before);
  });

  it('is refused where it names what its client has not obtained', async () => {
    const image = { type: 'input_image' as const, detail: 'auto' as const, file_id: 'file-of_somebody_else' };
    const { id } = await client.conversations.create({ items: [{ type: 'message', role: 'user', content: [image] }] });
    const before = provider.requests.length;
    const response = await create({ model: 'relaying/m', input: 'Hello', conversation: id });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { param: 'conversation' } });
    expect(provider.requests).toHaveLength(before);
    // Named by an item that claims to be the provider's.
    const call = { type: 'code_interpreter_call', id: 'ci_1', code: '', container_id: 'cntr_of_somebody_else' };
    const claimed = await client.conversations.create({ items: [call as never, said('Hello')] });
    await turn(claimed.id, 'And?', text);
    expect(typesOf(sentItems())).toEqual(['message', 'message']);
  });

  it('keeps the files that a search found', async () => {
    const { id } = await client.conversations.create({});
    await turn(id, 'Find.', files.replace('"results": null', '"results": [{"file_id": "file-found_1"}]'));
    await turn(id, 'And?', text);
    expect(typesOf(sentItems()).slice(1, -1)).toEqual(typesOf(outputOf(files)));
    expect(provider.requests.at(-1)?.body).toContain('file-found_1');
  });

  it('omits found files that are not known to be the client’s', async () => {
    const call = { type: 'file_search_call', id: 'fs_claimed_1', status: 'completed', queries: ['a'] };
    const claimed = { ...call, results: [{ file_id: 'file-unknown_1', text: 'Found' }] };
    const { id } = await client.conversations.create({ items: [claimed as never, said('Hello')] });
    await turn(id, 'And?', text);
    expect(provider.requests.at(-1)?.body).not.toContain('file-unknown_1');
  });

  it('is continued over a WebSocket', async () => {
    const { id } = await client.conversations.create({ items: [said('Before')] });
    const socket = await openResponseSocket(server.url, server.apiKey, {});
    provider.answerWith(streamed(phase));
    const events = await socket.turn({ model: 'relaying/m', input: [said('Hello')], conversation: id });
    expect(JSON.stringify(events.at(-1))).toContain(`"conversation":${JSON.stringify({ id })}`);
    expect(withoutIds(sentItems())).toEqual([said('Before'), said('Hello')]);
    expect(typesOf(await itemsOf(id))).toEqual(['message', 'message', 'message', 'message']);
    await socket.close();
  });

  it('is metered by the usage that the provider reports', async () => {
    const { id } = await client.conversations.create({});
    await turn(id, 'Hello', text, { model: 'relaying/metered' });
    const { usage } = JSON.parse(text) as { usage: { input_tokens: number; output_tokens: number } };
    const query =
      '{ usageLogs(first: 5, filter: { model: "relaying/metered" }) { nodes { protocol inputTokens outputTokens } } }';
    await expect
      .poll(async () => (await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` })).data)
      .toEqual({
        usageLogs: {
          nodes: [{ protocol: 'RESPONSES', inputTokens: usage.input_tokens, outputTokens: usage.output_tokens }],
        },
      });
  });
});

async function otherKey(): Promise<string> {
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const { data } = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
  return z.object({ createApiKey: z.object({ secret: z.string() }) }).parse(data).createApiKey.secret;
}
