import OpenAI from 'openai';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkDatabase } from '../../../src/cli/doctor/check-database.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { startPgBouncer, type RunningPooler } from '../../harness/pgbouncer.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { s3Environment, startS3, type RunningS3 } from '../../harness/s3.ts';
import { startFailing, startNewServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';
import { mayBeMissing, pgBouncerPath, seaweedPath } from '../../harness/tool-paths.ts';

/** Fewer than the processes use: transactions change connections. */
const CONNECTIONS = 3;
const REQUESTS = 60;
const isMissing = pgBouncerPath === null || seaweedPath === null || serverPostgres() === 'missing';

describe.skipIf(isMissing && mayBeMissing)('behind PgBouncer in transaction mode', () => {
  let adminUrl: string;
  let name: string;
  let directUrl: string;
  let pooler: RunningPooler;
  let s3: RunningS3;
  let one: ServerProcess;
  let another: ServerProcess;
  const settings = (): Record<string, string> => ({
    DATABASE_URL: pooler.urlOf(name),
    SLUICE_SECRET: TEST_SECRET,
    SLUICE_SANDBOX: 'on',
  });

  beforeAll(async () => {
    ({ adminUrl } = await shared('migratedDatabase'));
    ({ name, url: directUrl } = await createDatabase(adminUrl));
    pooler = await startPgBouncer(adminUrl, CONNECTIONS);
    // Either may run a batch, and needs its input.
    s3 = await startS3();
    const storage = s3Environment(await s3.settings('sluice'));
    one = await startNewServer({ ...settings(), ...storage, DATABASE_POOLER: 'transaction' });
    another = await one.another();
  });

  afterAll(async () => {
    await another.dispose();
    await one.dispose();
    await s3.stop();
    await pooler.stop();
    await dropDatabase(adminUrl, name);
  });

  async function stored(sql: string): Promise<number> {
    const client = new Client({ connectionString: directUrl });
    await client.connect();
    const { rows } = await client.query<{ count: number }>(sql);
    await client.end();
    return rows[0]?.count ?? 0;
  }

  async function query(server: ServerProcess, text: string): Promise<unknown> {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    });
    return response.json();
  }

  it('stores each request of two processes once, while both read', async () => {
    const requests = Array.from({ length: REQUESTS }, (_, index) => {
      const { url, apiKey } = index % 2 === 0 ? one : another;
      const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
      return client.chat.completions.create({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] });
    });
    const reads = [one, another].flatMap((server) =>
      Array.from({ length: 10 }, () =>
        query(server, '{ usageLogs(first: 5) { nodes { id } } apiKeys(first: 5) { nodes { id } } }'),
      ),
    );
    expect(await Promise.all(requests)).toHaveLength(REQUESTS);
    for (const read of await Promise.all(reads)) expect(read).not.toHaveProperty('errors');
    await vi.waitFor(async () => expect(await stored('select count(*)::int from usage_logs')).toBe(REQUESTS), {
      timeout: 60_000,
    });
  });

  it('runs jobs of the queue', async () => {
    const client = new OpenAI({ apiKey: one.apiKey, baseURL: `${one.url}/v1` });
    const line = JSON.stringify({
      custom_id: 'a',
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] },
    });
    const file = await client.files.create({ file: new File([line], 'lines.jsonl'), purpose: 'batch' });
    const { id } = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await vi.waitFor(async () => expect((await client.batches.retrieve(id)).status).toBe('completed'), {
      timeout: 60_000,
    });
    await vi.waitFor(
      async () =>
        expect(await stored("select count(*)::int from pgboss.job where state = 'completed'")).toBeGreaterThan(0),
      { timeout: 60_000 },
    );
  });

  it('names the setting where it is missing', async () => {
    const { code, output } = await startFailing(settings());
    expect(code).toBe(1);
    expect(output).toContain('Set DATABASE_POOLER=transaction');
  });

  it('is told that statements have no limit', async () => {
    const environment = parseEnvironment(
      { ...settings(), DATABASE_POOLER: 'transaction', SLUICE_DATA_DIR: one.dataDir },
      [],
    );
    const limit = (text: string) =>
      expect.objectContaining({ state: 'warning', advice: expect.stringContaining(text) });
    expect(await checkDatabase(environment)).toContainEqual(limit('set statement_timeout'));
  });
});
