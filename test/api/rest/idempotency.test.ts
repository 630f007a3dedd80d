import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});
afterAll(() => account.dispose());

function post(path: string, key: string, body: unknown): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${account.url}/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${account.apiKey}`,
      'idempotency-key': key,
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
  });
}

const chat = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] };
const texts = { model: 'sandbox/rerank', query: 'a cat', documents: ['a dog', 'a cat'] };

/** Bodies for each `POST` under `/v1` that needs no existing object. */
const bodies: Readonly<Record<string, () => Promise<unknown>>> = {
  'chat/completions': async () => chat,
  completions: async () => ({ model: 'sandbox/chat', prompt: 'Hello' }),
  responses: async () => ({ model: 'sandbox/chat', input: 'Hello' }),
  'responses/compact': async () => ({ model: 'sandbox/chat', input: 'Hello' }),
  conversations: async () => ({ items: [{ role: 'user', content: 'Hello' }] }),
  uploads: async () => ({ filename: 'a.jsonl', purpose: 'batch', bytes: 10, mime_type: 'application/jsonl' }),
  'responses/input_tokens': async () => ({ model: 'sandbox/chat', input: 'Hello' }),
  messages: async () => ({ ...chat, max_tokens: 50 }),
  'messages/count_tokens': async () => chat,
  'messages/batches': async () => ({ requests: [{ custom_id: 'one', params: { ...chat, max_tokens: 50 } }] }),
  files: () => requests(),
  batches: async () => ({
    input_file_id: fileSchema.parse(await (await post('files', randomUUID(), await requests())).json()).id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  }),
  feedback: async () => ({ request_id: await requestId(), value: true }),
  embeddings: async () => ({ model: 'sandbox/embedding', input: 'Hello' }),
  rerank: async () => texts,
  moderations: async () => ({ model: 'sandbox/moderation', input: 'Hello' }),
  'audio/speech': async () => ({ model: 'sandbox/speech', input: 'Hello', voice: 'alloy', response_format: 'wav' }),
  'audio/transcriptions': () => recording(),
  'audio/translations': () => recording(),
  'images/generations': async () => ({ model: 'sandbox/image', prompt: 'A boat', response_format: 'b64_json' }),
  'images/edits': () => picture({ prompt: 'A red boat' }),
  'images/variations': () => picture({}),
};
/** Covered by separate tests. */
const others = [
  'videos',
  'responses/{id}/cancel',
  'videos/{id}/remix',
  'batches/{id}/cancel',
  'messages/batches/{id}/cancel',
  'chat/completions/{id}',
  'conversations/{id}',
  'conversations/{id}/items',
  'uploads/{id}/parts',
  'uploads/{id}/complete',
  'uploads/{id}/cancel',
];

const fileSchema = z.object({ id: z.string() });

async function requestId(): Promise<string> {
  return (await post('chat/completions', randomUUID(), chat)).headers.get('x-request-id') ?? '';
}

async function requests(): Promise<FormData> {
  const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body: chat };
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([JSON.stringify(line)]), 'requests.jsonl');
  return form;
}

async function recording(): Promise<FormData> {
  const speech = { model: 'sandbox/speech', input: 'Hello', voice: 'alloy', response_format: 'wav' };
  const form = new FormData();
  form.set('model', 'sandbox/transcription');
  form.set('file', new Blob([await (await post('audio/speech', randomUUID(), speech)).arrayBuffer()]), 'a.wav');
  return form;
}

async function picture(fields: Readonly<Record<string, string>>): Promise<FormData> {
  const asked = { model: 'sandbox/image', prompt: 'A boat', response_format: 'b64_json' };
  const made = madeSchema.parse(await (await post('images/generations', randomUUID(), asked)).json());
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'sandbox/image', response_format: 'b64_json', ...fields }))
    form.set(name, value);
  form.set('image', new Blob([Buffer.from(made.data[0]?.b64_json ?? '', 'base64')], { type: 'image/png' }), 'a.png');
  return form;
}

const madeSchema = z.object({ data: z.array(z.object({ b64_json: z.string() })) });

/** Sends the same request twice. @returns the body of the first response */
async function replayed(path: string, key: string, body: () => unknown): Promise<string> {
  const first = await post(path, key, body());
  const text = await first.text();
  expect([first.status, text]).toEqual([200, expect.any(String)]);
  const again = await post(path, key, body());
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.text()).toBe(text);
  for (const name of ['content-type', 'x-request-id', 'cache-control', 'access-control-allow-origin'])
    expect(again.headers.get(name)).toBe(first.headers.get(name));
  return text;
}

describe('Idempotency-Key', () => {
  it('is documented for every POST of the OpenAPI document', async () => {
    const paths = z
      .object({ paths: z.record(z.string(), z.looseObject({ post: z.unknown().optional() })) })
      .parse(await (await fetch(`${account.url}/openapi.json`)).json()).paths;
    const posts = Object.keys(paths).filter((path) => path.startsWith('/v1/') && paths[path]?.post !== undefined);
    const shown = [...Object.keys(bodies), ...others].map((path) => `/v1/${path}`);
    expect(shown.toSorted()).toEqual(posts.toSorted());
  });

  it.each(Object.keys(bodies))('replays the response of /v1/%s', async (path) => {
    const body = await bodies[path]?.();
    await replayed(path, `route-${path}`, () => body);
  });

  it('replays a response, a streamed one, a background one, and its cancellation', async () => {
    const asked = { model: 'sandbox/chat', input: 'Hello' };
    await replayed('responses', 'whole', () => asked);
    expect(await replayed('responses', 'stream', () => ({ ...asked, stream: true }))).toContain('response.completed');
    const { id } = JSON.parse(await replayed('responses', 'background', () => ({ ...asked, background: true })));
    await replayed(`responses/${id}/cancel`, 'cancel', () => ({}));
  });

  it('replays the cancellation of a batch of each API', async () => {
    for (const path of ['batches', 'messages/batches']) {
      const body = await bodies[path]?.();
      const { id } = JSON.parse(await replayed(path, `whole-${path}`, () => body));
      await replayed(`${path}/${id}/cancel`, `cancel-${path}`, () => ({}));
    }
  });

  it('replays a stored completion without storing it again, and changes of it', async () => {
    const stored = (): object => ({ ...chat, store: true });
    const { id } = JSON.parse(await replayed('chat/completions', 'stored', stored));
    await replayed(`chat/completions/${id}`, 'topic', () => ({ metadata: { topic: 'boats' } }));
    const one = `${account.url}/v1/chat/completions/${id}`;
    const headers = { authorization: `Bearer ${account.apiKey}` };
    expect((await fetch(one, { method: 'DELETE', headers })).status).toBe(200);
    expect((await post('chat/completions', 'stored', stored())).headers.get('idempotency-replayed')).toBe('true');
    expect((await fetch(one, { headers })).status).toBe(404);
  });

  it('replays changes of a conversation', async () => {
    const { id } = JSON.parse(await replayed('conversations', 'conversation', () => ({})));
    await replayed(`conversations/${id}`, 'metadata', () => ({ metadata: { topic: 'boats' } }));
    await replayed(`conversations/${id}/items`, 'items', () => ({ items: [{ role: 'user', content: 'Hello' }] }));
  });

  it('replays parts, the completion and the cancellation of an upload', async () => {
    const part = (): FormData => {
      const form = new FormData();
      form.set('data', new Blob(['0123456789']), 'part');
      return form;
    };
    const asked = await bodies.uploads?.();
    for (const end of ['complete', 'cancel']) {
      const { id } = JSON.parse(await replayed('uploads', `upload to ${end}`, () => asked));
      const added = JSON.parse(await replayed(`uploads/${id}/parts`, `part to ${end}`, part));
      await replayed(`uploads/${id}/${end}`, `${end} an upload`, () => ({ part_ids: [added.id] }));
    }
  });

  it('returns an error of a route, and releases the key', async () => {
    expect((await post('responses/resp_unknown/cancel', 'unknown', {})).status).toBe(404);
    expect((await post('responses/resp_unknown/cancel', 'unknown', {})).headers.get('idempotency-replayed')).toBeNull();
    expect((await post('responses', 'invalid', { model: 'sandbox/chat' })).status).toBe(400);
    expect((await post('responses', 'invalid', { model: 'sandbox/chat', input: 'Hello' })).status).toBe(200);
  });

  it('creates a video once', async () => {
    const form = (): FormData => {
      const data = new FormData();
      data.set('model', 'sandbox/video');
      data.set('prompt', 'a boat');
      return data;
    };
    const { id } = JSON.parse(await replayed('videos', 'video', form));
    const listed = await fetch(`${account.url}/v1/videos`, { headers: { authorization: `Bearer ${account.apiKey}` } });
    expect(JSON.parse(await listed.text()).data).toMatchObject([{ id }]);
  });

  it('is separate per API key and account', async () => {
    const other = await newAccount();
    const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] };
    await replayed('chat/completions', 'shared', () => body);
    const answer = await fetch(`${other.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${other.apiKey}`,
        'content-type': 'application/json',
        'idempotency-key': 'shared',
      },
      body: JSON.stringify(body),
    });
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    await other.dispose();
  });
});
