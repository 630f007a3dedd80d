import { readFileSync, readdirSync } from 'node:fs';
import OpenAI from 'openai';
import type { Response as ModelResponse, ResponseStreamEvent } from 'openai/resources/responses/responses.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import {
  json,
  startFakeProvider,
  type FakeProvider,
  type ReceivedRequest,
  type Script,
} from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

const recordings = new URL('../../../fixtures/providers/openai-responses/', import.meta.url);
const files = readdirSync(recordings).filter((name) => !name.includes('error'));
const streams = files.filter((name) => name.endsWith('.chunks.txt'));
const documents = files.filter((name) => name.endsWith('.json'));

let provider: FakeProvider;
let server: ServerProcess;
let client: OpenAI;

beforeAll(async () => {
  provider = await startFakeProvider();
  const responses = `{ base_url: "${provider.url}", api_key: "sk-1", options: { api: responses } }`;
  server = await startConfigured(`
providers:
  openai: ${responses}
  groq: ${responses}
  chatting: { base_url: "${provider.url}", api_key: "sk-1", options: { api: chat } }
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

/** The events of the first response of a recording: one has two, one after the other. */
function eventsIn(name: string): ResponseStreamEvent[] {
  const [first = ''] = recorded(name).split(/(?<=\{"type":"response\.completed"[^\n]*\n)/);
  return first
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

function sse(events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** In pieces that end anywhere; `last` keeps it open instead of ending it. */
function streaming(events: readonly ResponseStreamEvent[], last: 'end' | 'hang' = 'end'): Script {
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const bytes = Buffer.from(sse(events));
    for (let at = 0; at < bytes.length; at += 1_777) {
      response.write(bytes.subarray(at, at + 1_777));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (last === 'end') response.end();
  };
}

/** The events of a response that was recorded as a document. */
function eventsOf(response: ModelResponse): ResponseStreamEvent[] {
  const running: ModelResponse = { ...response, status: 'in_progress', output: [] };
  const items = response.output.map((item, at): ResponseStreamEvent => ({
    type: 'response.output_item.done',
    sequence_number: at + 1,
    output_index: at,
    item,
  }));
  return [
    { type: 'response.created', sequence_number: 0, response: running },
    ...items,
    { type: 'response.completed', sequence_number: items.length + 1, response },
  ];
}

function responseIn(events: readonly ResponseStreamEvent[]): ModelResponse {
  const last = events.at(-1);
  if (last === undefined || !('response' in last) || typeof last.response !== 'object') throw new Error('no response');
  return last.response;
}

/** What a request of OpenAI names that a chat has no word for. */
const body = {
  input: 'Hello',
  background: true,
  tools: [
    { type: 'image_generation', partial_images: 1 },
    { type: 'mcp', server_label: 'mail', connector_id: 'connector_gmail', authorization: 'secret-of-the-client' },
  ],
  unknown: { member: 1 },
};

function create(members: object): Promise<Response> {
  return fetch(`${server.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, ...members }),
  });
}

async function start(members: object): Promise<ModelResponse> {
  const response = await create(members);
  expect(response.status).toBe(200);
  return (await response.json()) as ModelResponse;
}

async function whenOver(id: string): Promise<ModelResponse> {
  await expect.poll(async () => (await client.responses.retrieve(id)).status).not.toMatch(/queued|in_progress/);
  return client.responses.retrieve(id);
}

async function storedEvents(id: string, after?: number): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  const query = { stream: true, ...(after !== undefined && { starting_after: after }) } as const;
  for await (const event of await client.responses.retrieve(id, query)) events.push(event);
  return events;
}

/** Of a failed response: the SDK throws at its error. */
async function storedTypes(id: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const response = await fetch(`${server.url}/v1/responses/${id}?stream=true`, { headers });
  return [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, type = '']) => type);
}

/** As what is relayed must arrive: with the id and numbers of the stored response. */
function expected(events: readonly ResponseStreamEvent[], { id, created_at }: ModelResponse): object[] {
  const own = { id, created_at, background: true, store: true };
  return events
    .filter(({ type }) => type !== 'response.created')
    .map((event, at) => ({
      ...event,
      sequence_number: at + 2,
      ...('response' in event && typeof event.response === 'object' && { response: { ...event.response, ...own } }),
    }));
}

/** What is generated: deletions are repeated at any time. */
const posted = () => provider.requests.filter(({ method }) => method === 'POST');

describe('a background response of a provider that serves the protocol', () => {
  it.each(streams)('is stored as its provider streams it: %s', async (name) => {
    const sent = eventsIn(name);
    provider.answerWith(streaming(sent));
    const queued = await start({ model: 'openai/m' });
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [] });
    const done = await whenOver(queued.id);
    const { output, usage, status } = responseIn(sent);
    expect(done).toMatchObject({ id: queued.id, created_at: queued.created_at, status, background: true, store: true });
    expect(done.output).toEqual(output);
    expect(done.usage).toEqual(usage);
    const events = await storedEvents(queued.id);
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.queued']);
    expect(events.slice(2)).toEqual(expected(sent, queued));
    expect(await storedEvents(queued.id, 4)).toEqual(events.slice(5));
  });

  it.each(documents)('has the items that its provider produced: %s', async (name) => {
    const sent = JSON.parse(recorded(name)) as ModelResponse;
    provider.answerWith(streaming(eventsOf(sent)));
    const { id } = await start({ model: 'openai/m' });
    expect((await whenOver(id)).output).toEqual(sent.output);
    expect((await storedEvents(id)).at(-1)).toMatchObject({ type: 'response.completed', response: { id } });
  });

  it.each([
    ['openai', {}],
    ['groq', { store: false }],
  ])('is asked of %s as the client wrote it, streamed', async (name, added) => {
    const sent = eventsIn('openai-image-generation-tool.1.chunks.txt');
    provider.answerWith(streaming(sent));
    const asked = { input: [{ role: 'user', content: 'Draw.' }], tools: [{ type: 'web_search' }] };
    const queued = await start({ model: `${name}/m`, ...asked, metadata: { a: 'b' } });
    await whenOver(queued.id);
    const { background: _, ...others } = body;
    expect(provider.requests.at(-1)?.path).toBe('/v1/responses');
    expect(provider.requests.at(-1)?.json).toEqual({
      ...others,
      ...asked,
      metadata: { a: 'b' },
      model: 'm',
      stream: true,
      ...added,
    });
    const { data: items } = await client.responses.inputItems.list(queued.id);
    expect(items).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Draw.' }] }]);
  });

  it('is queued as OpenAI’s API does, without the secrets of its tools', async () => {
    provider.answerWith(streaming(eventsIn('openai-phase.1.chunks.txt')));
    const queued = await start({ model: 'openai/m' });
    expectOpenAi('Response', queued);
    expect(JSON.stringify(queued)).not.toContain('secret-of-the-client');
    const done = await whenOver(queued.id);
    expect(JSON.stringify(done)).not.toContain('secret-of-the-client');
  });

  it('streams its events while it runs, and resumes them after a disconnect', async () => {
    const sent = eventsIn('openai-web-search-tool.1.chunks.txt');
    provider.answerWith(streaming(sent));
    const seen: ResponseStreamEvent[] = [];
    const stream = await client.responses.create({ model: 'openai/m', input: 'Hello', background: true, stream: true });
    for await (const event of stream) {
      seen.push(event);
      if (seen.length === 9) break;
    }
    const [first] = seen;
    if (first?.type !== 'response.created') throw new Error('no response');
    seen.push(...(await storedEvents(first.response.id, 8)));
    expect(seen.map((event) => event.sequence_number)).toEqual(seen.map((_, at) => at));
    expect(seen.slice(2)).toEqual(expected(sent, first.response));
  });

  it('is cancelled, and keeps the output generated so far', async () => {
    const sent = eventsIn('openai-web-search-tool.1.chunks.txt');
    const cut = sent.findIndex(({ type }) => type === 'response.output_text.delta') + 3;
    provider.answerWith(streaming(sent.slice(0, cut), 'hang'));
    const before = provider.requests.length;
    const { id } = await start({ model: 'openai/m' });
    await provider.whenRequested(before + 1);
    // All that was sent has been stored.
    const events: ResponseStreamEvent[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true })) {
      events.push(event);
      if (events.length === cut + 1) break;
    }
    const cancelled = await client.responses.cancel(id);
    expect(cancelled).toMatchObject({ id, status: 'cancelled', background: true });
    const complete = sent
      .slice(0, cut)
      .flatMap((event) => (event.type === 'response.output_item.done' ? [event.item] : []));
    expect(cancelled.output.slice(0, -1)).toEqual(complete);
    const text = sent
      .slice(0, cut)
      .flatMap((event) => (event.type === 'response.output_text.delta' ? [event.delta] : []))
      .join('');
    expect(cancelled.output.at(-1)).toMatchObject({ type: 'message', status: 'incomplete', content: [{ text }] });
    expect((await storedEvents(id)).at(-1)).toMatchObject({ type: 'response.incomplete' });
    await provider.requests.at(-1)?.aborted;
  });

  const isDeletionOf =
    (sent: readonly ResponseStreamEvent[]) =>
    ({ method, path }: ReceivedRequest): boolean =>
      method === 'DELETE' && path === `/v1/responses/${responseIn(sent).id}`;

  it('is deleted at a provider that stores it, and not asked of one that stores nothing', async () => {
    const [unstored, stored] = [eventsIn('openai-phase.1.chunks.txt'), eventsIn('openai-web-search-tool.1.chunks.txt')];
    const ids: string[] = [];
    for (const [name, sent] of [
      ['groq', unstored],
      ['openai', stored],
    ] as const) {
      provider.answerWith(streaming(sent));
      const { id } = await start({ model: `${name}/m` });
      await whenOver(id);
      ids.push(id);
    }
    const before = provider.requests.length;
    // A provider that cannot delete it.
    provider.answerWith(json(503, {}));
    for (const id of ids) await client.responses.delete(id);
    await provider.requestWhere(isDeletionOf(stored));
    for (const id of ids) await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(provider.requests.slice(before).map(({ path }) => path)).not.toContain(
      `/v1/responses/${responseIn(unstored).id}`,
    );
  });

  it('is deleted at its provider over GraphQL, also while it runs', async () => {
    const sent = eventsIn('openai-image-generation-tool.1.chunks.txt');
    const id = 'resp_of_graphql';
    const renamed = JSON.parse(JSON.stringify(sent).replaceAll(responseIn(sent).id, id)) as ResponseStreamEvent[];
    provider.answerWith(streaming(renamed.slice(0, -1), 'hang'));
    const running = await start({ model: 'openai/m' });
    for await (const event of await client.responses.retrieve(running.id, { stream: true }))
      if (event.sequence_number > 2) break;
    const stream = posted().at(-1);
    provider.answerWith(json(200, { id, object: 'response', deleted: true }));
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const query = `mutation { deleteResponse(id: "${running.id}") }`;
    expect(await post(server.url, { query }, headers)).toMatchObject({ data: { deleteResponse: true } });
    await provider.requestWhere(isDeletionOf(renamed));
    await stream?.aborted;
  });

  it('fails with the error of its provider', async () => {
    provider.answerWith(streaming(eventsIn('openai-error.1.chunks.txt')));
    const streamed = await whenOver((await start({ model: 'openai/m' })).id);
    expect(streamed).toMatchObject({ status: 'failed', error: { message: expect.any(String) } });
    provider.answerWith(json(400, recorded('reasoning-model-temperature-error.json')));
    const { id } = await start({ model: 'openai/m' });
    const refused = await whenOver(id);
    expect(refused).toMatchObject({ status: 'failed', error: { message: expect.stringContaining('temperature') } });
    expect(await storedTypes(id)).toEqual(['response.created', 'response.queued', 'error', 'response.failed']);
  });

  it('fails where its stream breaks off', async () => {
    const sent = eventsIn('openai-web-search-tool.1.chunks.txt');
    provider.answerWith(streaming(sent.slice(0, 30)));
    const { id } = await start({ model: 'openai/m' });
    const done = await whenOver(id);
    expect(done).toMatchObject({ id, status: 'failed', error: { code: 'server_error' } });
    expect((await storedTypes(id)).slice(-2)).toEqual(['error', 'response.failed']);
  });

  it('is billed once, and read over GraphQL', async () => {
    const sent = eventsIn('openai-web-search-tool.1.chunks.txt');
    provider.answerWith(streaming(sent));
    const { id } = await start({ model: 'openai/gpt-5-nano' });
    await whenOver(id);
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const query = `{ usageLogs(first: 5, filter: { model: "openai/gpt-5-nano" }) {
      nodes { status inputTokens outputTokens cost { amount } } } }`;
    const { usage } = responseIn(sent);
    await expect
      .poll(async () => (await post(server.url, { query }, headers)).data)
      .toEqual({
        usageLogs: {
          nodes: [
            {
              status: 'SUCCEEDED',
              inputTokens: usage?.input_tokens,
              outputTokens: usage?.output_tokens,
              cost: { amount: expect.not.stringMatching(/^0$/) },
            },
          ],
        },
      });
  });

  it('is converted where its provider has another protocol, and refused there by name', async () => {
    const refused = await create({ model: 'chatting/m' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: expect.stringContaining('tools') } });
  });

  it('is not started without being stored', async () => {
    const refused = await create({ model: 'openai/m', store: false });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'background', code: 'invalid_value' } });
  });

  it('does not name what its client has not obtained', async () => {
    const before = posted().length;
    const tools = [{ type: 'file_search', vector_store_ids: ['vs_of_another_account'] }];
    const { id } = await start({ model: 'openai/m', tools });
    expect(await whenOver(id)).toMatchObject({ status: 'failed' });
    expect(posted()).toHaveLength(before);
  });
});

describe('a relayed background response that is continued', () => {
  it.each(['openai', 'groq'])('is sent to %s again with its items as they are', async (name) => {
    const sent = eventsIn('openai-web-search-tool.1.chunks.txt');
    provider.answerWith(streaming(sent));
    const { id } = await start({ model: `${name}/m`, tools: [{ type: 'web_search' }] });
    const { output } = await whenOver(id);
    const answer = JSON.parse(recorded('openai-phase.1.json')) as object;
    provider.answerWith(json(200, { previous_response_id: null, ...answer }));
    const next = await client.responses.create({ model: `${name}/m`, input: 'And?', previous_response_id: id });
    expect(next.previous_response_id).toBe(id);
    const asked = posted().at(-1)?.json;
    expect(asked).not.toHaveProperty('previous_response_id');
    const user = (content: string) => ({ type: 'message', role: 'user', content });
    expect(asked?.input).toEqual([user('Hello'), ...output, user('And?')]);
    // Also in the background.
    provider.answerWith(streaming(sent));
    const again = await start({ model: `${name}/m`, tools: [], previous_response_id: id });
    expect(again.previous_response_id).toBe(id);
    expect(await whenOver(again.id)).toMatchObject({ status: 'completed', previous_response_id: id });
    expect(posted().at(-1)?.json.input).toEqual([user('Hello'), ...output, user('Hello')]);
  });

  it('is continued by a model of another protocol without what only its provider can use', async () => {
    const sent = eventsIn('openai-image-generation-tool.1.chunks.txt');
    provider.answerWith(streaming(sent));
    const { id } = await start({ model: 'openai/m' });
    await whenOver(id);
    const next = await client.responses.create({ model: 'sandbox/chat', input: 'And?', previous_response_id: id });
    expect(next).toMatchObject({ status: 'completed', previous_response_id: id });
  });
});
