import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateSecret } from '../../src/services/keys/secrets/key-format.ts';
import { createDatabase } from '../harness/create-database.ts';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { serverPostgres, startPostgres, type RunningPostgres } from '../harness/postgres.ts';
import { TEST_SECRET } from '../harness/product-template.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';
import { median, millisecondsOf } from './median.ts';

const OUTAGE_MS = 60_000;
/** Each on a database of its own; all of them are measured in one outage. */
const SERVERS = 5;

describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('a database that is away for 60 s', () => {
  let folder: string;
  let postgres: RunningPostgres;
  let provider: FakeProvider;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-outage-'));
    // PostgreSQL runs as another user, who has to get in.
    chmodSync(folder, 0o711);
    postgres = await startPostgres(join(folder, 'postgres'), { max_connections: '200' });
    provider = await startFakeProvider(completion());
    for (let count = 0; count < SERVERS; count++) {
      const { url } = await createDatabase(postgres.url);
      servers.push(
        await startNewServer({
          DATABASE_URL: url,
          SLUICE_SECRET: TEST_SECRET,
          OPENAI_API_KEY: 'x',
          OPENAI_BASE_URL: provider.url,
          LOG_LEVEL: 'silent',
        }),
      );
    }
  });

  afterAll(async () => {
    for (const server of servers) await server.dispose();
    await provider.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function chat({ url }: ServerProcess, apiKey: string): Promise<number> {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  }

  it('is used again within 5 s of its return, and requests with known keys go on meanwhile', async () => {
    for (const server of servers) expect(await chat(server, server.apiKey)).toBe(200);
    await postgres.kill();
    const away = delay(OUTAGE_MS);
    for (const server of servers) {
      expect(await chat(server, server.apiKey)).toBe(200);
      expect(await chat(server, generateSecret())).toBe(503);
    }
    await away;
    for (const server of servers) expect(await chat(server, server.apiKey)).toBe(200);
    await postgres.start();
    const figures = await Promise.all(
      servers.map((server) =>
        // An unknown key is looked up in the database: 503 until it answers.
        millisecondsOf(async () => {
          while ((await chat(server, generateSecret())) !== 401);
        }),
      ),
    );
    expect(median(figures)).toBeLessThan(5_000);
  });
});
