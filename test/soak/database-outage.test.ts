import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { generateSecret } from '../../src/services/keys/secrets/key-format.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { serverPostgres, startPostgres, type RunningPostgres } from '../harness/postgres.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';

describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('while the database is away', () => {
  let folder: string;
  let postgres: RunningPostgres;
  let provider: FakeProvider;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-outage-'));
    // PostgreSQL runs as another user, who has to get in.
    chmodSync(folder, 0o711);
    postgres = await startPostgres(join(folder, 'postgres'));
    provider = await startFakeProvider(completion());
    server = await startNewServer({
      DATABASE_URL: postgres.url,
      SLUICE_SECRET: 'a secret for tests, long enough for it',
      SLUICE_SANDBOX: 'on',
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
      LOG_LEVEL: 'silent',
    });
  });

  afterAll(async () => {
    await server.dispose();
    await provider.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function chat(secret: string): Promise<Response> {
    return fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });
  }

  async function storedIds(): Promise<string[]> {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<{ event_id: string }>('select event_id from usage_logs');
    await client.end();
    return rows.map(({ event_id: id }) => `req_${id.replaceAll('-', '')}`);
  }

  it('requests with known keys go on, others are 503, and everything is metered when it is back', async () => {
    const ids = [(await chat(server.apiKey)).headers.get('x-request-id')];
    await postgres.kill();
    for (let request = 0; request < 20; request++) {
      const response = await chat(server.apiKey);
      expect(response.status).toBe(200);
      ids.push(response.headers.get('x-request-id'));
    }
    expect((await chat(generateSecret())).status).toBe(503);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await postgres.start();
    // Rows are stored some time after the answers, of which no event tells.
    await expect.poll(storedIds).toEqual(expect.arrayContaining(ids));
    const stored = await storedIds();
    expect(new Set(stored).size).toBe(stored.length);
    expect((await chat(generateSecret())).status).toBe(401);
  });
});
