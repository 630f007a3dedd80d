import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { AzureOpenAI, NotFoundError, toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let folder: string;
let otherKey: string;

beforeAll(async () => {
  account = await newAccount();
  folder = await mkdtemp(join(tmpdir(), 'sluice-files-'));
  const query = 'mutation { createApiKey(input: { name: "other", scopes: [INFERENCE] }) { secret } }';
  const answer = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({ query }),
  });
  const data = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });
  otherKey = data.parse(await answer.json()).data.createApiKey.secret;
});

afterAll(async () => {
  await account.dispose();
  await rm(folder, { recursive: true });
});

function as(apiKey: string = account.apiKey): OpenAI {
  return new OpenAI({ baseURL: `${account.url}/v1`, apiKey, maxRetries: 0 });
}

function send(method: string, path: string, init: RequestInit = {}, apiKey = account.apiKey): Promise<Response> {
  return fetch(`${account.url}/v1${path}`, {
    method,
    ...init,
    headers: { authorization: `Bearer ${apiKey}`, ...init.headers },
  });
}

function form(fields: Record<string, string>, file: Blob | null = new Blob(['content']), name = 'a.jsonl'): FormData {
  const data = new FormData();
  for (const [field, value] of Object.entries(fields)) data.set(field, value);
  if (file !== null) data.set('file', file, name);
  return data;
}

describe('the SDK', () => {
  it('uploads, lists, reads, downloads and deletes a file', async () => {
    const path = join(folder, 'lines.jsonl');
    const content = Buffer.alloc(3 * 1024 * 1024, 'line of a file\n');
    await writeFile(path, content);
    const file = await as().files.create({ file: createReadStream(path), purpose: 'user_data' });
    expectOpenAi('OpenAIFile', { ...file, expires_at: file.expires_at ?? 0 });
    expect(file).toMatchObject({ filename: 'lines.jsonl', bytes: content.length, purpose: 'user_data' });
    expect(file.id).toMatch(/^file-[0-9a-f]{32}$/);
    expect(file.expires_at).toBeUndefined();
    expect(await as().files.retrieve(file.id)).toEqual(file);
    const listed: string[] = [];
    for await (const each of as().files.list({ purpose: 'user_data' })) listed.push(each.id);
    expect(listed).toEqual([file.id]);
    const response = await as().files.content(file.id);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(await as().files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true });
    await expect(as().files.retrieve(file.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(as().files.content(file.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('for Azure uploads a file', async () => {
    const azure = new AzureOpenAI({ endpoint: account.url, apiKey: account.apiKey, apiVersion: '2024-10-21' });
    const file = await azure.files.create({ file: await toFile(Buffer.from('x'), 'x.txt'), purpose: 'assistants' });
    expect((await azure.files.list({ purpose: 'assistants' })).data.map(({ id }) => id)).toEqual([file.id]);
    await azure.files.delete(file.id);
  });
});

describe('a list of files', () => {
  it('has pages in both orders', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c'])
      ids.push((await as().files.create({ file: await toFile(Buffer.from(name), name), purpose: 'vision' })).id);
    const first = await (await send('GET', '/files?purpose=vision&limit=2&order=asc')).json();
    expectOpenAi('ListFilesResponse', first);
    expect(first).toMatchObject({ first_id: ids[0], last_id: ids[1], has_more: true });
    const rest = await (await send('GET', `/files?purpose=vision&order=asc&after=${ids[1]}`)).json();
    expect(rest).toMatchObject({ first_id: ids[2], last_id: ids[2], has_more: false });
    const newest = await (await send('GET', '/files?purpose=vision&limit=1')).json();
    expect(newest).toMatchObject({ first_id: ids[2], has_more: true });
    for (const id of ids) await as().files.delete(id);
    expect(await (await send('GET', '/files?purpose=vision')).json()).toEqual({
      object: 'list',
      data: [],
      first_id: '',
      last_id: '',
      has_more: false,
    });
  });

  it.each(['limit=-1', 'limit=10001', 'limit=x', 'order=up', 'purpose=none'])('is refused with %s', async (query) => {
    const response = await send('GET', `/files?${query}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: query.split('=')[0] } });
  });
});

describe('a file', () => {
  it('expires as requested, and after 30 days if it is for a batch', async () => {
    const fields = { purpose: 'user_data', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
    const created = await (await send('POST', '/files', { body: form(fields) })).json();
    expectOpenAi('OpenAIFile', created);
    const { created_at: at, expires_at: until } = z.object({ created_at: z.int(), expires_at: z.int() }).parse(created);
    expect(until - at).toBe(3_600);
    const batch = await as().files.create({ file: await toFile(Buffer.from('{}'), 'b'), purpose: 'batch' });
    expect((batch.expires_at ?? 0) - batch.created_at).toBe(30 * 86_400);
  });

  it('is sent in the requested range, as a download', async () => {
    const { id } = await as().files.create({
      file: await toFile(Buffer.from('0123456789'), 'é a.txt'),
      purpose: 'vision',
    });
    const part = await send('GET', `/files/${id}/content`, { headers: { range: 'bytes=2-4' } });
    expect([part.status, await part.text(), part.headers.get('content-range')]).toEqual([206, '234', 'bytes 2-4/10']);
    const beyond = await send('GET', `/files/${id}/content`, { headers: { range: 'bytes=20-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10']);
    const whole = await send('GET', `/files/${id}/content`);
    expect(whole.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''%C3%A9%20a.txt");
    expect(whole.headers.get('content-type')).toBe('application/octet-stream');
    await whole.text();
    const head = await send('HEAD', `/files/${id}/content`);
    expect(head.headers.get('content-length')).toBe('10');
    await as().files.delete(id);
  });

  it('is stored once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'upload-1' };
    const body = (): FormData => form({ purpose: 'evals' });
    const first = await (await send('POST', '/files', { body: body(), headers })).json();
    const again = await send('POST', '/files', { body: body(), headers });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.json()).toEqual(first);
  });

  it('is not found for other keys and accounts', async () => {
    const { id } = await as().files.create({ file: await toFile(Buffer.from('secret'), 's'), purpose: 'user_data' });
    const stranger = await newAccount();
    for (const [method, path] of [
      ['GET', `/files/${id}`],
      ['GET', `/files/${id}/content`],
      ['DELETE', `/files/${id}`],
      ['GET', `/files?after=${id}`],
    ] as const) {
      expect((await send(method, path, {}, otherKey)).status).toBe(404);
      expect((await send(method, path, {}, stranger.apiKey)).status).toBe(404);
    }
    expect(await (await send('GET', '/files', {}, otherKey)).json()).toMatchObject({ data: [] });
    await stranger.dispose();
    expect((await as().files.retrieve(id)).id).toBe(id);
  });

  it.each(['file-0', 'file-../../x', `file-${'0'.repeat(32)}`, `file-${'f'.repeat(32)}`])(
    '%s is not found',
    async (id) => {
      expect((await send('GET', `/files/${encodeURIComponent(id)}`)).status).toBe(404);
    },
  );

  it.each([
    ['no purpose', {}, 'purpose'],
    ['a purpose that clients cannot have', { purpose: 'batch_output' }, 'purpose'],
    [
      'another anchor',
      { purpose: 'evals', 'expires_after[anchor]': 'now', 'expires_after[seconds]': '3600' },
      'expires_after[anchor]',
    ],
    [
      'too short a life',
      { purpose: 'evals', 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '60' },
      'expires_after[seconds]',
    ],
  ])('is refused with %s', async (_what, fields, param) => {
    const response = await send('POST', '/files', { body: form(fields) });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it('is refused without its content, and in another form than multipart', async () => {
    const missing = await send('POST', '/files', { body: form({ purpose: 'evals' }, null) });
    expect([missing.status, await missing.json()]).toMatchObject([400, { error: { param: 'file' } }]);
    const headers = { 'content-type': 'application/json' };
    expect((await send('POST', '/files', { body: '{"purpose":"evals"}', headers })).status).toBe(415);
  });
});
