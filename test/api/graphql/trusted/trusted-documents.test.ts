import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startConfigured } from '../../../harness/configured-server.ts';
import { post, read } from '../../../harness/graphql-client.ts';
import { startFailing, type ServerProcess } from '../../../harness/server-process.ts';

const viewer = 'query Viewer { viewer { role currentAccount { name } } }';
const hash = (text: string, algorithm = 'sha256'): string => createHash(algorithm).update(text).digest('hex');
/** As code generators write it: their ids are SHA-1 unless they are told otherwise. */
const manifest = JSON.stringify({
  [hash(viewer, 'sha1')]: viewer,
  short: 'subscription Alerts { budgetAlerts { percent } }',
});

let open: ServerProcess;
let closed: ServerProcess;
let without: ServerProcess;

beforeAll(async () => {
  const files = { 'documents.json': manifest };
  open = await startConfigured('graphql: { trusted_documents: FOLDER/documents.json }', files);
  closed = await startConfigured('graphql: { trusted_documents: FOLDER/documents.json, only_trusted: true }', files);
  without = await startConfigured('graphql: {}');
});

afterAll(() => Promise.all([open, closed, without].map((server) => server?.dispose())));

const as = (server: ServerProcess) => ({ authorization: `Bearer ${server.apiKey}` });
const apollos = (sha256Hash: string) => ({ persistedQuery: { version: 1, sha256Hash } });
const answered = { viewer: { role: null, currentAccount: { name: expect.any(String) } } };

/** What an operation over a socket answers first, or its errors. */
async function overSocket(server: ServerProcess, payload: Record<string, unknown>): Promise<unknown> {
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

  it('runs where all are allowed, and nowhere else', async () => {
    expect((await post(open.url, { query }, as(open))).code).toBeNull();
    expect(await post(closed.url, { query }, as(closed))).toMatchObject({ status: 400, code: 'document_not_trusted' });
    expect(await overSocket(closed, { query })).toMatchObject([{ extensions: { code: 'document_not_trusted' } }]);
    const claimed = { query, documentId: hash(viewer) };
    expect((await post(open.url, claimed, as(open))).code).toBe('graphql_invalid');
  });

  it('is not kept because somebody sent it with its hash', async () => {
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

describe('a manifest', () => {
  it.each([
    ['that is not there', 'nowhere.json', undefined],
    ['that is none', 'list.json', '[1, 2]'],
  ])('%s stops the server before it listens', async (_what, name, text) => {
    if (text !== undefined) writeFileSync(join(open.dataDir, name), text);
    const config = join(open.dataDir, `${name}.yaml`);
    writeFileSync(config, `graphql: { trusted_documents: ${join(open.dataDir, name)} }`);
    const { code, output } = await startFailing({
      SLUICE_CONFIG: config,
      SLUICE_DATA_DIR: join(open.dataDir, 'other'),
    });
    expect(code).toBe(1);
    expect(output).toContain('graphql.trusted_documents');
  });

  it('is needed where only its documents may run', async () => {
    const config = join(open.dataDir, 'only.yaml');
    writeFileSync(config, 'graphql: { only_trusted: true }');
    const { code, output } = await startFailing({
      SLUICE_CONFIG: config,
      SLUICE_DATA_DIR: join(open.dataDir, 'other'),
    });
    expect([code, output]).toEqual([1, expect.stringContaining('graphql.only_trusted')]);
  });
});
