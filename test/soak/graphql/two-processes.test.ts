import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, dropDatabase } from '../../harness/create-database.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { serverPostgres } from '../../harness/postgres.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { shared } from '../../harness/shared-resources.ts';
import { signUp } from '../../harness/shared-server.ts';

// The embedded database has one process.
describe.skipIf(serverPostgres() === 'missing' && process.env.CI !== 'true')('of two processes on one database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-processes-'));
  let provider: FakeProvider;
  let one: ServerProcess;
  let another: ServerProcess;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    provider = await startFakeProvider();
    const { adminUrl, template } = await shared('productDatabase');
    const { name, url } = await createDatabase(adminUrl, template);
    drop = () => dropDatabase(adminUrl, name);
    const config = join(folder, 'sluice.yaml');
    writeFileSync(config, 'plans: { free: { requests_per_minute: 1111 } }');
    one = await startServer({
      TRUST_PROXY_HOPS: '1',
      DATABASE_URL: url,
      SLUICE_CONFIG: config,
      SLUICE_SIGNUP: 'open',
      SLUICE_SANDBOX: 'on',
      SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
    });
    another = await one.another();
  });

  afterAll(async () => {
    await another.dispose();
    await one.dispose();
    await drop();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function newcomer() {
    const { cookie } = await signUp(one.url);
    const must = async (query: string, variables: object = {}) => {
      const { data, errors } = await post(one.url, { query, variables }, { cookie });
      expect(errors).toBeUndefined();
      return data ?? {};
    };
    const { secret } = (await must('mutation { createApiKey(input: { name: "k" }) { secret } }')).createApiKey;
    const chatAtOther = (model: string): Promise<Response> =>
      fetch(`${another.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      });
    return { must, chatAtOther };
  }

  it('the other one goes by routes and connections that the first one changes', async () => {
    const { must, chatAtOther } = await newcomer();
    const becomes = (model: string | null) =>
      expect.poll(async () => (await chatAtOther('new')).headers.get('x-sluice-model')).toBe(model);
    expect((await chatAtOther('new')).status).toBe(404);
    const save = 'mutation ($input: SaveRouteInput!) { saveRoute(input: $input) { id } }';
    const route = { name: 'new', targets: [{ model: 'sandbox/chat' }] };
    const { id } = (await must(save, { input: route })).saveRoute;
    await becomes('sandbox/chat');
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await must(connect, { input: { provider: 'mine', baseUrl: provider.url } });
    await must(save, { input: { ...route, targets: [{ model: 'mine/llama' }], saveAnyway: true } });
    await becomes('mine/llama');
    await must('mutation ($id: ID!) { deleteRoute(id: $id) }', { id });
    await becomes(null);
    expect((await chatAtOther('new')).status).toBe(404);
  });

  it('the other one goes by the plan that the first one changes', async () => {
    const { must, chatAtOther } = await newcomer();
    const limit = async () => (await chatAtOther('sandbox/chat')).headers.get('x-ratelimit-limit-requests');
    expect(await limit()).toBe('1111');
    await must('mutation { changePlan(plan: "pro") { pending } }');
    await expect.poll(limit).not.toBe('1111');
  });
});
