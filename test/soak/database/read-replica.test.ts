import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReadReplica } from '../../../src/cli/doctor/check-read-replica.ts';
import { parseEnvironment } from '../../../src/config/environment.ts';
import { post, type GraphqlAnswer } from '../../harness/graphql-client.ts';
import { serverPostgres, startPostgres, type RunningPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startNewServer, type ServerProcess } from '../../harness/server-process.ts';

const page = '{ usageLogs(first: 10) { nodes { requestId } } }';
const report = `{ usage(range: { from: "${new Date(Date.now() - 86_400_000).toISOString()}", to: "${new Date(Date.now() + 86_400_000).toISOString()}" }) { total { requests } } }`;

describe.skipIf(serverPostgres() !== 'installed')('a read replica', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-replica-'));
  let primary: RunningPostgres;
  let replica: RunningPostgres;
  let server: ServerProcess;

  beforeAll(async () => {
    // PostgreSQL runs as another user, who has to get in.
    chmodSync(folder, 0o755);
    primary = await startPostgres(join(folder, 'primary'));
    replica = await startPostgres(join(folder, 'replica'), {}, primary);
    server = await startNewServer({
      DATABASE_URL: primary.url,
      DATABASE_READ_URL: replica.url,
      SLUICE_SECRET: TEST_SECRET,
      SLUICE_SANDBOX: 'on',
    });
  });

  afterAll(async () => {
    await server.dispose();
    await replica.stop();
    await primary.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function run<Row extends object>({ url }: RunningPostgres, sql: string): Promise<Row[]> {
    const client = new Client(url);
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** @returns its ID, once its row is in the primary database */
  async function request(apiKey = server.apiKey): Promise<string> {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    expect(response.status).toBe(200);
    const id = response.headers.get('x-request-id') ?? '';
    const row = `select 1 from usage_logs where event_id = '${id.replace('req_', '')}'`;
    await expect.poll(async () => (await run(primary, row)).length).toBe(1);
    return id;
  }

  async function ask(query: string): Promise<NonNullable<GraphqlAnswer['data']>> {
    const answer = await post(server.url, { query }, { authorization: `Bearer ${server.apiKey}` });
    expect(answer.errors).toBeUndefined();
    return answer.data ?? {};
  }

  async function listed(): Promise<string[]> {
    const { usageLogs } = await ask(page);
    return usageLogs.nodes.map(({ requestId }: { requestId: string }) => requestId);
  }

  const environment = () =>
    parseEnvironment(
      {
        DATABASE_URL: primary.url,
        DATABASE_READ_URL: replica.url,
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_DATA_DIR: server.dataDir,
      },
      [],
    );

  it('serves logs, reports and exports, once it has the rows', async () => {
    const first = await request();
    await expect.poll(listed).toEqual([first]);
    await run(replica, 'select pg_wal_replay_pause()');
    const second = await request();

    expect(await listed()).toEqual([first]);
    expect((await ask(report)).usage.total.requests).toBe(1);
    const file = await fetch(`${server.url}/exports/usage.jsonl`, {
      headers: { authorization: `Bearer ${server.apiKey}` },
    });
    expect((await file.text()).trim().split('\n')).toHaveLength(1);

    // One request is read from the primary where the replica does not have it yet.
    const eventId = second.replace(/^req_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
    const globalId = Buffer.from(`UsageLog:${eventId}`).toString('base64url');
    const one = await ask(`{ usageLog(id: "${globalId}") { requestId } }`);
    expect(one.usageLog).toEqual({ requestId: second });

    await run(replica, 'select pg_wal_replay_resume()');
    await expect.poll(listed).toEqual([second, first]);
  });

  it('takes no part in what decides about a request', async () => {
    await run(replica, 'select pg_wal_replay_pause()');
    const created = await ask('mutation { createApiKey(input: { name: "New" }) { secret apiKey { id } } }');
    await request(created.createApiKey.secret);
    await ask(`mutation { revokeApiKey(id: "${created.createApiKey.apiKey.id}") { revokedAt } }`);
    const refused = await fetch(`${server.url}/v1/models`, {
      headers: { authorization: `Bearer ${created.createApiKey.secret}` },
    });
    expect(refused.status).toBe(401);
    await run(replica, 'select pg_wal_replay_resume()');
  });

  it('is replaced by the primary while it cannot be reached', async () => {
    expect(await checkReadReplica(environment())).toMatchObject([
      { state: 'ok', text: expect.stringMatching(/^a replica, \d+\.\d s behind; it serves logs and reports$/) },
    ]);
    await replica.stop();
    const id = await request();
    expect((await listed())[0]).toBe(id);
    expect(server.output()).toContain('read replica unavailable');
    expect(await checkReadReplica(environment())).toMatchObject([
      { state: 'warning', text: expect.stringContaining('(DATABASE_READ_URL) could not be used') },
    ]);
    await replica.start();
    const caughtUp = `select 1 from usage_logs where event_id = '${id.replace('req_', '')}'`;
    await expect.poll(async () => (await run(replica, caughtUp)).length).toBe(1);
    await run(replica, 'select pg_wal_replay_pause()');
    await request();
    // It is tried again after a while: it lacks the last request.
    await expect.poll(async () => (await listed())[0]).toBe(id);
    await run(replica, 'select pg_wal_replay_resume()');
  });
});
