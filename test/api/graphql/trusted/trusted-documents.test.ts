import { createHash } from 'node:crypto';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startConfigured } from '../../../harness/configured-server.ts';
import { post, read } from '../../../harness/graphql-client.ts';
import { operator, trusted } from '../../../harness/operator.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const viewer = trusted.query;
const hash = (text: string, algorithm = 'sha256'): string => createHash(algorithm).update(text).digest('hex');

interface Product {
  readonly url: string;
  readonly apiKey: string;
}

let open: TestAccount;
let closed: ServerProcess;
let without: TestAccount;

beforeAll(async () => {
  open = await (await operator()).newAccount();
  closed = await startConfigured('graphql: { trusted_documents: FOLDER/documents.json, only_trusted: true }', {
    'documents.json': trusted.manifest(viewer),
  });
  without = await newAccount();
});

afterAll(() => Promise.all([open, closed, without].map((product) => product.dispose())));

const as = ({ apiKey }: Product) => ({ authorization: `Bearer ${apiKey}` });
const apollos = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
const answered = { viewer: { role: null, currentAccount: { name: expect.any(String) } } };

/** What an operation over a socket answers first, or its errors. */
async function overSocket(server: Product, payload: Record<string, unknown>): Promise<unknown> {
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: as(server),
  });
  try {
    return (await client.iterate({ query: '', ...payload }).next()).value;
  } catch (errors) {
    return errors;
  } finally {
    await client.dispose();
  }
}

describe('a trusted document', () => {
  it.each([
    ['its id', { documentId: hash(viewer, 'sha1') }],
    ['its id with what it was made by', { documentId: `sha256:${hash(viewer)}` }],
    ['its SHA-256 in Apollo’s form', { extensions: apollos(hash(viewer)) }],
    ['its text', { query: viewer }],
    ['its text and its id', { query: viewer, documentId: hash(viewer, 'sha1') }],
  ])('runs by %s, over both transports', async (_by, request) => {
    for (const server of [open, closed]) {
      expect(await post(server.url, request, as(server))).toMatchObject({ status: 200, data: answered });
      expect(await overSocket(server, request)).toMatchObject({ data: answered });
    }
  });

  it('runs by GET', async () => {
    const search = new URLSearchParams({ documentId: hash(viewer) });
    const headers = { ...as(closed), 'apollo-require-preflight': '1' };
    expect(await read(await fetch(`${closed.url}/graphql?${search}`, { headers }))).toMatchObject({ data: answered });
    const form = new URLSearchParams({ extensions: JSON.stringify(apollos(hash(viewer))) });
    expect(await read(await fetch(`${closed.url}/graphql?${form}`, { headers }))).toMatchObject({ data: answered });
    const foreign = new URLSearchParams({ query: '{ account { id } }' });
    expect(await read(await fetch(`${closed.url}/graphql?${foreign}`, { headers }))).toMatchObject({
      status: 400,
      code: 'document_not_trusted',
    });
  });
});

describe('another document', () => {
  const query = '{ account { id } }';

  it('runs only where all documents are allowed', async () => {
    expect((await post(open.url, { query }, as(open))).code).toBeNull();
    expect(await post(closed.url, { query }, as(closed))).toMatchObject({ status: 400, code: 'document_not_trusted' });
    expect(await overSocket(closed, { query })).toMatchObject([{ extensions: { code: 'document_not_trusted' } }]);
    const claimed = { query, documentId: hash(viewer) };
    expect((await post(open.url, claimed, as(open))).code).toBe('graphql_invalid');
  });

  it('is not stored when a client sends it with its hash', async () => {
    const extensions = apollos(hash(query));
    for (const [server, message] of [
      [open, 'PersistedQueryNotFound'],
      [without, 'PersistedQueryNotSupported'],
    ] as const) {
      const sent = { query, extensions };
      expect((await post(server.url, { extensions }, as(server))).errors?.[0]?.message).toBe(message);
      expect((await post(server.url, sent, as(server))).code).toBeNull();
      expect((await post(server.url, { extensions }, as(server))).errors?.[0]?.message).toBe(message);
    }
    expect(await overSocket(open, { extensions })).toMatchObject([{ message: 'PersistedQueryNotFound' }]);
  });
});
