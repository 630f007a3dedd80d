import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachDatabase } from '../../harness/databases.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { postgresBinaries } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startServerIn, type ServerProcess } from '../../harness/server-process.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(join(root, 'docs/operations/backup.md'), 'utf8');

/** The commands of a section of the documentation, as they are. */
function commandsOf(heading: string): string {
  const section = page.split(/^#{2,3} /m).find((each) => each.startsWith(`${heading}\n`));
  const commands = /```sh\n([\s\S]*?)```/.exec(section ?? '')?.[1];
  if (commands === undefined) throw new Error(`backup.md has no commands under "${heading}".`);
  return commands;
}

describeOnEachDatabase('a backup by the commands of the documentation', (databases) => {
  const isServer = databases.kind === 'server';
  const work = mkdtempSync(join(tmpdir(), 'sluice-backup-'));
  let provider: FakeProvider;
  let server: ServerProcess;
  let environment: Record<string, string>;

  beforeAll(async () => {
    provider = await startFakeProvider();
    mkdirSync(join(work, 'bin'));
    // As `npx` finds it in a checkout.
    writeFileSync(
      join(work, 'bin', 'npx'),
      `#!/bin/sh\nshift\nexec "${process.execPath}" "${join(root, 'dist/cli/sluice.js')}" "$@"\n`,
    );
    chmodSync(join(work, 'bin', 'npx'), 0o755);
    mkdirSync(join(work, 'data'), { mode: 0o700 });
    environment = {
      SLUICE_STORE_CONTENT: 'full',
      SLUICE_SANDBOX: 'on',
      SLUICE_SIGNUP: 'open',
      SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
      ...(isServer && { DATABASE_URL: (await databases.place('empty')).url ?? '', SLUICE_SECRET: TEST_SECRET }),
    };
    server = await startServerIn(join(work, 'data'), environment);
  });
  afterAll(async () => {
    await server.end('SIGKILL');
    await provider.close();
    rmSync(work, { recursive: true, force: true });
  });

  /** In a folder with the data folder, as the documentation means it. */
  function run(commands: string, variables: Readonly<Record<string, string>> = {}): string {
    const path = [join(work, 'bin'), postgresBinaries() ?? '', process.env.PATH ?? ''].join(':');
    const env = { PATH: path, SLUICE_DATA_DIR: join(work, 'data'), ...environment, ...variables };
    const { status, stdout, stderr } = spawnSync('bash', ['-euc', commands], { cwd: work, env, encoding: 'utf8' });
    expect(status, `${commands}\n${stdout}${stderr}`).toBe(0);
    return stdout;
  }

  const chat = (model: string) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });

  async function ask(query: string, variables: object = {}) {
    const { data, errors } = await post(server.url, { query, variables }, { authorization: `Bearer ${server.apiKey}` });
    expect(errors).toBeUndefined();
    return data ?? {};
  }

  const log = () =>
    ask(
      '{ usageLogs(first: 50) { nodes { id status model inputTokens outputTokens cost { amount } content { state request } } } }',
    );

  test('restores keys, credentials, usage and logged content', async () => {
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await ask(connect, { input: { provider: 'mine', apiKey: 'sk-ours', baseUrl: provider.url } });
    for (const model of ['sandbox/chat', 'mine/llama', 'sandbox/chat']) expect((await chat(model)).status).toBe(200);
    const states = async (): Promise<string[]> =>
      (await log()).usageLogs.nodes.map(({ content }: { content: { state: string } }) => content.state);
    await expect.poll(states).toEqual(['STORED', 'STORED', 'STORED']);
    const before = await log();

    // The embedded database is copied while it is stopped, the other one while its server runs.
    if (!isServer) expect(await server.end('SIGTERM'), server.output()).toBe(0);
    run(commandsOf(isServer ? 'PostgreSQL' : 'Embedded database'));
    if (isServer) expect(await server.end('SIGTERM'), server.output()).toBe(0);
    rmSync(join(work, 'data'), { recursive: true });

    if (isServer) environment.DATABASE_URL = (await databases.place('empty')).url ?? '';
    const printed = run(commandsOf(isServer ? 'Restore PostgreSQL' : 'Restore the embedded database'));
    expect(printed).toContain('it decrypts the credentials in the database');
    expect(printed).toContain('The ledger is consistent');

    server = await server.restart(environment);
    expect(await log()).toEqual(before);
    expect((await chat('sandbox/chat')).status).toBe(200);
    expect((await chat('mine/llama')).status, server.output()).toBe(200);
    expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer sk-ours');
    await expect.poll(async () => (await states()).length).toBe(5);
  });
});
