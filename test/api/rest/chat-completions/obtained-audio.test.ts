import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { startConfigured } from '../../../harness/configured-server.ts';
import { json, pieces, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

let provider: FakeProvider;
let server: ServerProcess;
/** Of the same account, without the scope `read`. */
let other: string;

beforeAll(async () => {
  provider = await startFakeProvider();
  server = await startConfigured(`providers: { openai: { api_key: "sk-x", base_url: "${provider.url}" } }\n`);
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const { data } = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
  other = z.object({ createApiKey: z.object({ secret: z.string() }) }).parse(data).createApiKey.secret;
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const hello = { role: 'user', content: 'Hello' };
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function create(members: object, apiKey = server.apiKey): Promise<Response> {
  const asked = { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'pcm16' } };
  return fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'openai/gpt-audio', messages: [hello], ...asked, ...members }),
  });
}

/** The earlier response to a conversation. */
function after(id: string): object {
  return { messages: [hello, { role: 'assistant', audio: { id } }, hello] };
}

function completionWith(id: string, text: string): string {
  const audio = { id, data: 'UklGRg==', expires_at: 1_800_000_000, transcript: text };
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, audio } };
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [choice],
    usage,
  });
}

function streamWith(id: string): Buffer {
  const chunk = (delta: object, reason: string | null = null): object => ({
    id: 'chatcmpl-2',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const chunks = [
    chunk({ role: 'assistant', audio: { id, transcript: 'Hel' } }),
    chunk({ audio: { data: 'UklGRg==' } }),
    chunk({}, 'stop'),
    { ...chunk({}), choices: [], usage },
  ];
  return Buffer.from(
    [...chunks.map((each) => JSON.stringify(each)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  );
}

/** The events of a chat in GraphQL that names an earlier response. */
async function subscribed(id: string, apiKey: string): Promise<unknown[]> {
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${apiKey}` },
  });
  const events: unknown[] = [];
  const input = { clientRequestId: `${id} ${apiKey}`, model: 'openai/gpt-audio', ...after(id) };
  const query =
    'subscription ($input: CompletionInput!) { completion(input: $input) { __typename ... on CompletionFailed { code } } }';
  for await (const { data } of client.iterate<{ completion: unknown }>({ query, variables: { input } }))
    events.push(data?.completion);
  await client.dispose();
  return events;
}

async function expectObtained(id: string): Promise<void> {
  const before = provider.requests.length;
  const foreign = await create(after(id), other);
  expect(foreign.status).toBe(404);
  expect(await foreign.json()).toMatchObject({ error: { param: 'messages[1].audio.id' } });
  expect(provider.requests.length).toBe(before);
  provider.answerWith(json(200, completionWith('audio_next', 'Bye')));
  expect((await create(after(id))).status).toBe(200);
  expect(provider.requests.at(-1)?.json).toMatchObject(after(id));
}

describe('on a connection that accounts share, a chat can name an earlier audio response', () => {
  it('that its key obtained', async () => {
    expect((await create(after('audio_document'))).status).toBe(404);
    provider.answerWith(json(200, completionWith('audio_document', 'A text: "audio": {"id": "audio_of_a_text"}')));
    expect((await create({})).status).toBe(200);
    await expectObtained('audio_document');
    expect((await create(after('audio_of_a_text'))).status).toBe(404);
  });

  it('in GraphQL, too', async () => {
    provider.answerWith(json(200, completionWith('audio_subscribed', 'Hi')));
    expect((await create({})).status).toBe(200);
    const before = provider.requests.length;
    const refused = [{ __typename: 'CompletionStarted' }, { __typename: 'CompletionFailed', code: 'not_found' }];
    expect(await subscribed('audio_subscribed', other)).toEqual(refused);
    expect(await subscribed('audio_of_nobody', server.apiKey)).toEqual(refused);
    expect(provider.requests.length).toBe(before);
    provider.answerWith(pieces([streamWith('audio_next')], 'end', 'text/event-stream'));
    const events = await subscribed('audio_subscribed', server.apiKey);
    expect(events.at(-1)).toEqual({ __typename: 'CompletionFinished' });
    expect(provider.requests.at(-1)?.json).toMatchObject(after('audio_subscribed'));
  });

  it('of a stream', async () => {
    provider.answerWith(pieces([streamWith('audio_stream')], 'end', 'text/event-stream'));
    const response = await create({ stream: true });
    expect(await response.text()).toContain('audio_stream');
    await expectObtained('audio_stream');
  });
});
