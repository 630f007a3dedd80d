import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type Database } from '../../../src/database/database.ts';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { TEST_SECRET } from '../../harness/product-template.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';

const sluice = fileURLToPath(new URL('../../../dist/cli/sluice.js', import.meta.url));
const NEXT = 'the next master key of this test, which is long enough';
const both = { SLUICE_SECRET: NEXT, SLUICE_SECRET_PREVIOUS: TEST_SECRET };
/** More than a batch of the rotation. */
const CONTENTS = 20_000;

// The embedded database has one process.
describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('a rotation of the master key', () => {
  let provider: FakeProvider;
  /** Of the first owner. */
  let ownKey: string;
  let database: Database;
  let environment: Readonly<Record<string, string>>;
  let drop: () => Promise<void>;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    provider = await startFakeProvider();
    const { adminUrl, template, owner } = await shared('productDatabase');
    ({ apiKey: ownKey } = owner);
    const { name, url } = await createDatabase(adminUrl, template);
    drop = () => dropDatabase(adminUrl, name);
    environment = { DATABASE_URL: url, SLUICE_SANDBOX: 'on' };
    const first = await startServer({
      ...environment,
      SLUICE_STORE_CONTENT: 'full',
      SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
    });
    servers.push(first, await first.another());
    database = await openDatabase({ url, dataDir: first.dataDir });
  });

  afterAll(async () => {
    await database.close();
    for (const server of servers) await server.dispose();
    await drop();
    await provider.close();
  });

  const at = (place: number): ServerProcess => {
    const server = servers[place];
    if (server === undefined) throw new Error(`There is no server ${place}.`);
    return server;
  };

  /** With the same variables as a server, and these. */
  function rotation(...args: string[]) {
    const { PATH = '' } = process.env;
    const env = { PATH, SLUICE_DATA_DIR: at(0).dataDir, ...environment, ...both };
    return spawn(process.execPath, [sluice, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async function rotated(...args: string[]) {
    const child = rotation('secrets', 'rotate', ...args);
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: Number(code), out, err };
  }

  const chat = (server: ServerProcess, model: string, apiKey = ownKey, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        // The files of the other one are in a folder of its own.
        'x-sluice-log': server === at(0) ? 'full' : 'off',
        ...headers,
      },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });

  async function must(server: ServerProcess, query: string, variables: object = {}) {
    const { data, errors } = await post(server.url, { query, variables }, { authorization: `Bearer ${ownKey}` });
    expect(errors).toBeUndefined();
    return data ?? {};
  }

  /** A connection that another process made is known a moment later. */
  const knowsModel = (server: ServerProcess) =>
    expect.poll(async () => (await chat(server, 'mine/llama')).status).toBe(200);

  const newKey = async (server: ServerProcess): Promise<string> =>
    (await must(server, 'mutation { createApiKey(input: { name: "k" }) { secret } }')).createApiKey.secret;

  /** Each one in turn, while the other one serves. */
  async function restartAll(settings: Readonly<Record<string, string>>, between: () => Promise<void>): Promise<void> {
    for (const place of servers.keys()) {
      expect(await at(place).end('SIGTERM'), at(place).output()).toBe(0);
      const stopped = at(place);
      servers[place] = await stopped.restart(settings);
      await between();
    }
  }

  it('fails no request, loses nothing when it is killed, and makes the previous secret unnecessary', async () => {
    const connect = `mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }`;
    await must(at(0), connect, { input: { provider: 'mine', apiKey: 'sk-ours', baseUrl: provider.url } });
    for (const server of servers) await knowsModel(server);
    const early = await newKey(at(0));
    const repeated = { 'idempotency-key': 'once' };
    const answer = await (await chat(at(0), 'sandbox/chat', early, repeated)).text();
    const serves = async ({ replays = true } = {}): Promise<void> => {
      const keys = [early, await newKey(at(0)), await newKey(at(1))];
      for (const server of servers)
        for (const key of keys) {
          expect((await chat(server, 'sandbox/chat', key)).status, server.output()).toBe(200);
          const ours = await chat(server, 'mine/llama', key);
          expect(ours.status, `${await ours.text()} ${server.output()}`).toBe(200);
        }
      if (replays) expect(await (await chat(at(0), 'sandbox/chat', early, repeated)).text()).toBe(answer);
      expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer sk-ours');
    };
    await serves();
    await expect.poll(() => database.query("select 1 from logged_contents where state = 'stored'")).not.toEqual([]);
    await database.query(
      `insert into logged_contents (event_id, account_id, state, level, segment_id, position, length, wrapped_key, redactions)
       select ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, account_id, state, level, segment_id, position, length, wrapped_key, redactions
       from (select * from logged_contents where state = 'stored' limit 1) one, generate_series(1, ${CONTENTS}) n`,
    );

    // The other one still has only the present secret when the first one has both.
    await restartAll(both, serves);
    expect(await rotated('--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringContaining('keys of logged contents'),
    });

    const wrapped = (version: number) =>
      database.query<{ count: number }>(
        `select count(*)::int as count from logged_contents where state = 'stored' and get_byte(wrapped_key, 13) = ${version - 1}`,
      );
    // It waits for a row in the middle, and is killed there.
    await database.transaction(async (client) => {
      await client.query(
        "select from logged_contents where event_id = '00000000-0000-7000-8000-000000010000' for update",
      );
      const killed = rotation('secrets', 'rotate');
      const ended = once(killed, 'close');
      await expect.poll(async () => (await wrapped(2))[0]?.count).toBeGreaterThan(0);
      killed.kill('SIGKILL');
      expect((await ended)[1]).toBe('SIGKILL');
    });
    expect((await wrapped(1))[0]?.count).toBeGreaterThan(0);
    await serves();

    expect(await rotated()).toMatchObject({ code: 0, out: expect.stringContaining('Nothing stored needs') });
    await serves();
    expect(await rotated()).toMatchObject({ code: 0, out: expect.stringContaining('Nothing stored needs') });
    expect((await wrapped(1))[0]?.count).toBe(0);

    for (const place of servers.keys()) {
      const stopped = at(place);
      expect(await stopped.end('SIGTERM')).toBe(0);
      servers[place] = await stopped.restart({ SLUICE_SECRET: NEXT, SLUICE_SECRET_PREVIOUS: '' });
    }
    // What was answered under the previous secret less than a day ago is not replayed.
    await serves({ replays: false });
    const query = '{ usageLogs(first: 50) { nodes { content { state request } } } }';
    const { usageLogs } = await must(at(0), query);
    const states = usageLogs.nodes.map(({ content }: { content: { state: string } }) => content.state);
    expect(states.filter((state: string) => state === 'STORED').length).toBeGreaterThan(0);
    expect(states).not.toContain('UNREADABLE');
  });
});
