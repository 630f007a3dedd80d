import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function upload(purpose: string, filename: string, content: string): Promise<string> {
  const body = new FormData();
  body.set('purpose', purpose);
  body.set('file', new Blob([content]), filename);
  const headers = bearer(account.apiKey);
  const sent = await fetch(`${account.url}/v1/files`, { method: 'POST', headers, body });
  expect(sent.status).toBe(200);
  return Object(await sent.json()).id;
}

const ask = (query: string, variables: object = {}, apiKey = account.apiKey) =>
  post(account.url, { query, variables }, bearer(apiKey));

const one = 'query ($id: ID!) { file(id: $id) { fileId filename bytes purpose status createdAt expiresAt } }';
const list = 'query ($purpose: FilePurpose) { files(purpose: $purpose) { nodes { fileId } } }';
const remove = 'mutation ($id: ID!) { deleteFile(id: $id) }';

describe('files in GraphQL', () => {
  it('are those of the account, newest first, and of one purpose on request', async () => {
    const notes = await upload('user_data', 'notes.txt', 'héllo');
    const lines = await upload('batch', 'lines.jsonl', '{}');
    expect((await ask(one, { id: notes })).data).toEqual({
      file: {
        fileId: notes,
        filename: 'notes.txt',
        bytes: 6,
        purpose: 'USER_DATA',
        status: 'PROCESSED',
        createdAt: expect.any(String),
        expiresAt: null,
      },
    });
    const batch = (await ask(one, { id: lines })).data?.file;
    expect(Date.parse(batch.expiresAt) - Date.parse(batch.createdAt)).toBe(30 * 86_400_000);
    expect((await ask(list)).data?.files.nodes).toEqual([{ fileId: lines }, { fileId: notes }]);
    expect((await ask(list, { purpose: 'BATCH' })).data?.files.nodes).toEqual([{ fileId: lines }]);
    expect((await ask(list, { purpose: 'FINE_TUNE' })).data?.files.nodes).toEqual([]);
  });

  it('can be deleted, by their own account alone, with their space', async () => {
    const storage = '{ fileStorage { usedBytes maxBytes } }';
    const before = (await ask(storage)).data?.fileStorage;
    const id = await upload('user_data', 'gone.txt', '0123456789');
    expect((await ask(storage)).data?.fileStorage).toEqual({ ...before, usedBytes: before.usedBytes + 10 });
    const other = await newAccount();
    for (const query of [one, remove])
      expect((await ask(query, { id }, other.apiKey)).errors).toMatchObject([{ extensions: { code: 'not_found' } }]);
    await other.dispose();
    expect((await ask(remove, { id })).data).toEqual({ deleteFile: true });
    expect((await ask(one, { id })).errors).toMatchObject([{ extensions: { code: 'not_found' } }]);
    expect((await ask(storage)).data?.fileStorage).toEqual(before);
    const content = await fetch(`${account.url}/v1/files/${id}/content`, { headers: bearer(account.apiKey) });
    expect(content.status).toBe(404);
  });

  it('cannot be deleted by a key that may only read', async () => {
    const id = await upload('user_data', 'kept.txt', 'kept');
    const create = 'mutation { createApiKey(input: { name: "reader", scopes: [READ] }) { secret } }';
    const { secret } = (await ask(create)).data?.createApiKey ?? {};
    expect((await ask(one, { id }, secret)).data?.file.filename).toBe('kept.txt');
    expect((await ask(remove, { id }, secret)).errors).toMatchObject([{ extensions: { code: 'insufficient_scope' } }]);
  });
});
