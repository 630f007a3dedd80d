import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectOpenAi } from '../../../harness/openai-schema.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let stranger: TestAccount;

beforeAll(async () => {
  [account, stranger] = [await newAccount(), await newAccount()];
});

afterAll(async () => {
  await account.dispose();
  await stranger.dispose();
});

function as({ url, apiKey }: TestAccount = account): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${account.url}/v1${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json', ...headers },
  });
}

const given = { filename: 'lines.jsonl', purpose: 'batch', bytes: 10, mime_type: 'application/jsonl' } as const;

async function addPart(uploadId: string, content: Buffer): Promise<string> {
  const part = await as().uploads.parts.create(uploadId, { data: await toFile(content, 'part') });
  expectOpenAi('UploadPart', part);
  expect(part).toMatchObject({ object: 'upload.part', upload_id: uploadId });
  return part.id;
}

describe('an upload', () => {
  it('is completed from its parts in the given order', async () => {
    const parts = [Buffer.alloc(2_000_000, 'first'), Buffer.alloc(1_000_000, 'second'), Buffer.from('third')];
    const content = Buffer.concat(parts);
    const upload = await as().uploads.create({ ...given, bytes: content.length });
    expectOpenAi('Upload', { file: null, ...upload });
    expect(upload).toMatchObject({ status: 'pending', bytes: content.length, filename: 'lines.jsonl' });
    expect(upload.id).toMatch(/^upload_[0-9a-f]{32}$/);
    expect(upload.expires_at - upload.created_at).toBe(3_600);
    const ids = await Promise.all(parts.toReversed().map((part) => addPart(upload.id, part)));
    await addPart(upload.id, Buffer.from('not chosen'));
    const md5 = createHash('md5').update(content).digest('hex');
    const completed = await as().uploads.complete(upload.id, { part_ids: ids.toReversed(), md5 });
    expectOpenAi('Upload', completed);
    expect(completed).toMatchObject({ id: upload.id, status: 'completed' });
    const file = completed.file;
    expect(file).toMatchObject({ object: 'file', bytes: content.length, filename: 'lines.jsonl', purpose: 'batch' });
    const id = file?.id ?? '';
    expect(Buffer.from(await (await as().files.content(id)).arrayBuffer()).equals(content)).toBe(true);
    await expect(as().uploads.complete(upload.id, { part_ids: ids })).rejects.toMatchObject({
      status: 400,
      code: 'upload_not_pending',
    });
  });

  it('is completed once by completions at once', async () => {
    const upload = await as().uploads.create(given);
    const id = await addPart(upload.id, Buffer.from('0123456789'));
    const before = (await as().files.list()).data.length;
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => as().uploads.complete(upload.id, { part_ids: [id] })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'upload_not_pending' });
    expect((await as().files.list()).data).toHaveLength(before + 1);
  });

  it('gives its file the requested lifetime', async () => {
    const expires = { anchor: 'created_at', seconds: 7_200 } as const;
    const upload = await as().uploads.create({ ...given, purpose: 'assistants', expires_after: expires });
    const id = await addPart(upload.id, Buffer.from('0123456789'));
    const { file } = await as().uploads.complete(upload.id, { part_ids: [id] });
    expect((file?.expires_at ?? 0) - (file?.created_at ?? 0)).toBe(7_200);
  });

  it('takes nothing after it was cancelled', async () => {
    const upload = await as().uploads.create(given);
    const id = await addPart(upload.id, Buffer.from('0123456789'));
    const cancelled = await as().uploads.cancel(upload.id);
    expectOpenAi('Upload', { file: null, ...cancelled });
    expect(cancelled.status).toBe('cancelled');
    const refused = { status: 400, code: 'upload_not_pending' };
    await expect(as().uploads.cancel(upload.id)).rejects.toMatchObject(refused);
    await expect(as().uploads.complete(upload.id, { part_ids: [id] })).rejects.toMatchObject(refused);
    const data = await toFile(Buffer.from('x'), 'part');
    await expect(as().uploads.parts.create(upload.id, { data })).rejects.toMatchObject(refused);
  });

  it('of another id takes no part, and the server goes on', async () => {
    for (let i = 0; i < 20; i++) {
      const data = await toFile(Buffer.from('0123456789'), 'part');
      await expect(as().uploads.parts.create(`upload_${'0'.repeat(32)}`, { data })).rejects.toMatchObject({
        status: 404,
      });
    }
    expect((await as().uploads.create(given)).status).toBe('pending');
  });

  it('is not completed from other bytes', async () => {
    const upload = await as().uploads.create(given);
    const [whole, short] = [
      await addPart(upload.id, Buffer.from('0123456789')),
      await addPart(upload.id, Buffer.from('01234')),
    ];
    const other = await as().uploads.create(given);
    const foreign = await addPart(other.id, Buffer.from('0123456789'));
    for (const [body, param] of [
      [{ part_ids: [short] }, 'part_ids'],
      [{ part_ids: [short, short] }, 'part_ids[1]'],
      [{ part_ids: [foreign] }, 'part_ids[0]'],
      [{ part_ids: ['part_0'] }, 'part_ids[0]'],
      [{ part_ids: [1] }, 'part_ids[0]'],
      [{ part_ids: whole }, 'part_ids'],
      [{}, 'part_ids'],
      [{ part_ids: [whole], md5: '0'.repeat(32) }, 'md5'],
      [{ part_ids: [whole], md5: 'x' }, 'md5'],
      [{ part_ids: [whole], parts: [] }, 'parts'],
    ] as const) {
      const response = await post(`/uploads/${upload.id}/complete`, body);
      expect([response.status, await response.json()], JSON.stringify(body)).toMatchObject([400, { error: { param } }]);
    }
    expect((await as().uploads.complete(upload.id, { part_ids: [whole] })).status).toBe('completed');
  });

  it('is not found for others', async () => {
    const upload = await as().uploads.create(given);
    const id = await addPart(upload.id, Buffer.from('0123456789'));
    const data = await toFile(Buffer.from('x'), 'part');
    await expect(as(stranger).uploads.parts.create(upload.id, { data })).rejects.toMatchObject({ status: 404 });
    await expect(as(stranger).uploads.complete(upload.id, { part_ids: [id] })).rejects.toMatchObject({ status: 404 });
    await expect(as(stranger).uploads.cancel(upload.id)).rejects.toMatchObject({ status: 404 });
    await expect(as().uploads.cancel('upload_0')).rejects.toMatchObject({ status: 404 });
    expect((await as().uploads.cancel(upload.id)).status).toBe('cancelled');
  });

  it('is created once for one Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'create-upload' };
    const first: unknown = await (await post('/uploads', given, headers)).json();
    const again = await post('/uploads', given, headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await again.json()).toEqual(first);
  });

  it.each([
    [{ ...given, filename: undefined }, 'filename'],
    [{ ...given, purpose: 'none' }, 'purpose'],
    [{ ...given, bytes: undefined }, 'bytes'],
    [{ ...given, bytes: -1 }, 'bytes'],
    [{ ...given, bytes: 1.5 }, 'bytes'],
    [{ ...given, bytes: 8 * 1024 ** 3 + 1 }, 'bytes'],
    [{ ...given, mime_type: 1 }, 'mime_type'],
    [{ ...given, expires_after: { anchor: 'created_at', seconds: 1 } }, 'expires_after[seconds]'],
    [{ ...given, size: 1 }, 'size'],
    [[], 'body'],
  ])('is refused with %j', async (body, param) => {
    const response = await post('/uploads', body);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  it('refuses a part without its data, and other methods', async () => {
    const upload = await as().uploads.create(given);
    const body = new FormData();
    body.set('other', 'x');
    const headers = { authorization: `Bearer ${account.apiKey}` };
    const url = `${account.url}/v1/uploads/${upload.id}`;
    const response = await fetch(`${url}/parts`, { method: 'POST', body, headers });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'data' } }]);
    expect((await fetch(`${url}/parts`, { headers })).status).toBe(405);
  });
});
