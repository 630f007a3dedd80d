import { readFileSync } from 'node:fs';
import OpenAI from 'openai';
import type { Response as ModelResponse, ResponseStreamEvent } from 'openai/resources/responses/responses.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startConfigured } from '../harness/configured-server.ts';
import { startFakeProvider, type FakeProvider, type Script } from '../harness/fake-provider.ts';
import { post } from '../harness/graphql-client.ts';
import type { ServerProcess } from '../harness/server-process.ts';

const recording = new URL(
  '../fixtures/providers/openai-responses/openai-web-search-tool.1.chunks.txt',
  import.meta.url,
);
const events: ResponseStreamEvent[] = readFileSync(recording, 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line));
/** On server PostgreSQL a lease has to end first. */
const TAKEN_UP_MS = 90_000;

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startConfigured(`
providers:
  openai: { base_url: "${provider.url}", api_key: "sk-1", options: { api: responses } }
`);
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function streaming(count: number): Script {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events.slice(0, count))
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    if (count >= events.length) response.end();
  };
}

function client(): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
}

it('a relayed background response of a killed process is relayed again, as one response that is billed once', async () => {
  provider.answerWith(streaming(40));
  const asked = { model: 'openai/gpt-5-nano', tools: [{ type: 'image_generation' as const }], metadata: { a: 'b' } };
  const queued = await client().responses.create({ ...asked, input: 'Search.', background: true });
  const seen: ResponseStreamEvent[] = [];
  for await (const event of await client().responses.retrieve(queued.id, { stream: true })) {
    seen.push(event);
    if (seen.length === 41) break;
  }
  await server.end('SIGKILL');
  provider.answerWith(streaming(events.length));
  server = await server.restart();
  const state = async (): Promise<ModelResponse> => client().responses.retrieve(queued.id);
  await expect.poll(async () => (await state()).status, { timeout: TAKEN_UP_MS }).toBe('completed');
  const done = await state();
  const last = events.at(-1);
  const given = last?.type === 'response.completed' ? last.response : null;
  expect(done).toMatchObject({ id: queued.id, created_at: queued.created_at, background: true });
  expect(done.output).toEqual(given?.output);
  const [first, second, ...others] = provider.requests.filter(({ method }) => method === 'POST');
  expect(others).toEqual([]);
  expect(second?.json).toEqual({
    ...first?.json,
    input: [{ type: 'message', role: 'user', content: 'Search.' }],
  });
  // What the client has seen stays, and the new run follows it.
  const whole: ResponseStreamEvent[] = [];
  for await (const event of await client().responses.retrieve(queued.id, { stream: true })) whole.push(event);
  expect(whole.slice(0, seen.length)).toEqual(seen);
  expect(whole.map((event) => event.sequence_number)).toEqual(whole.map((_, at) => at));
  expect(whole.filter(({ type }) => type === 'response.created')).toHaveLength(1);
  const ids = whole.flatMap((event) => ('response' in event && event.response ? [event.response.id] : []));
  expect(new Set(ids)).toEqual(new Set([queued.id]));
  const query = '{ usageLogs(first: 5, filter: { model: "openai/gpt-5-nano" }) { nodes { status outputTokens } } }';
  const headers = { authorization: `Bearer ${server.apiKey}` };
  await expect
    .poll(async () => (await post(server.url, { query }, headers)).data)
    .toMatchObject({
      usageLogs: {
        nodes: expect.arrayContaining([{ status: 'SUCCEEDED', outputTokens: given?.usage?.output_tokens }]),
      },
    });
});
