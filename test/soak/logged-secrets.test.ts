import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completion, startFakeProvider, type FakeProvider } from '../harness/fake-provider.ts';
import { serverPostgres, startPostgres, type RunningPostgres } from '../harness/postgres.ts';
import { startNewServer, type ServerProcess } from '../harness/server-process.ts';

/** A word that search keeps: what scans find where they look in the right files. */
const MARK = 'quokkamarker';
const secrets = [
  'jane.roe@secrets.example',
  '4111 1111 1111 1111',
  'DE89 3704 0044 0532 0130 00',
  'sk-secretsecretsecret1234567890',
  'correct-horse-9-battery',
  '192.168.77.201',
] as const;
const answered = ['john.doe@answers.example', 'ghp_answeranswersecret1234567890', '5555 5555 5555 4444'] as const;
const sentence = (parts: readonly string[]): string => `${MARK} ${parts.join(' and ')} password: "${secrets[4]}"`;

describe.each(['embedded', 'server'] as const)('secrets in logged content, with the %s database', (kind) => {
  const isMissing = kind === 'server' && serverPostgres() === 'missing' && process.env.CI !== 'true';
  let folder: string;
  let postgres: RunningPostgres | null = null;
  let provider: FakeProvider;
  let server: ServerProcess;

  beforeAll(async () => {
    if (isMissing) return;
    folder = mkdtempSync(join(tmpdir(), 'sluice-secrets-'));
    // PostgreSQL runs as another user, who has to get in.
    chmodSync(folder, 0o711);
    if (kind === 'server') postgres = await startPostgres(join(folder, 'postgres'));
    const message = { role: 'assistant', content: sentence(answered) };
    provider = await startFakeProvider(completion({ choices: [{ index: 0, message, finish_reason: 'stop' }] }));
    server = await startNewServer({
      SLUICE_SECRET: 'a secret for tests, long enough for it',
      SLUICE_STORE_CONTENT: 'full',
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
      LOG_LEVEL: 'debug',
      ...(postgres && { DATABASE_URL: postgres.url }),
    });
  });
  afterAll(async () => {
    if (isMissing) return;
    await server.dispose();
    await provider.close();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ask(query: string): Promise<string> {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return response.text();
  }

  async function chat(): Promise<void> {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/gpt-4.1-mini', messages: [{ role: 'user', content: sentence(secrets) }] }),
    });
    expect(await response.text()).toContain(answered[0]);
    expect(response.status).toBe(200);
  }

  it.skipIf(isMissing)('are in no file of the database, its log, segments, the journal and the log', async () => {
    const settings = 'updateContentLogging(input: { level: FULL, search: true }) { contentLogging { search } }';
    expect(await ask(`mutation { ${settings} }`)).toContain('"search":true');
    for (let sent = 0; sent < 20; sent++) await chat();
    const list = `{ usageLogs(first: 50, filter: { text: "${MARK}" }) { nodes { requestId } } }`;
    await expect.poll(async () => (await ask(list)).match(/req_/g)?.length).toBe(20);
    if (postgres !== null) {
      const client = new Client(postgres.url);
      await client.connect();
      await client.query('checkpoint');
      await client.end();
    }
    // While it runs, and after it wrote all that it had.
    expectNoSecrets();
    // Content that waits to be stored is not redacted yet.
    await Promise.all([chat(), chat(), chat()]);
    await server.end('SIGKILL');
    expectNoSecrets();
    server = await server.restart();
    await chat();
    await server.end('SIGTERM');
    expectNoSecrets();
  });

  function expectNoSecrets(): void {
    const files = [server.dataDir, folder].flatMap(filesIn);
    const found = (text: string): string[] => files.filter(({ bytes }) => bytes.includes(text)).map(({ name }) => name);
    // Otherwise it looks in the wrong files.
    expect(found(MARK).length).toBeGreaterThan(0);
    expect(files.some(({ name }) => name.includes('blobs'))).toBe(true);
    for (const secret of [...secrets, ...answered]) {
      expect(found(secret), secret).toEqual([]);
      expect(server.output()).not.toContain(secret);
    }
  }
});

function filesIn(folder: string): { readonly name: string; readonly bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      const path = join(parentPath, name);
      try {
        return [{ name: path, bytes: readFileSync(path) }];
      } catch {
        // It was removed meanwhile.
        return [];
      }
    });
}
