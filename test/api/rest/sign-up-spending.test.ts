import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { accountsCommand } from '../../../src/cli/accounts.command.ts';
import { startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { runCommand } from '../../harness/run-command.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { signUp, type Person } from '../../harness/shared-server.ts';

const answerSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }).optional() });
const MODEL = 'openai/gpt-4.1-mini';

describe('an account that signed up where no mail can be sent', () => {
  let provider: FakeProvider;
  let server: ServerProcess;
  let operator: string;

  beforeAll(async () => {
    provider = await startFakeProvider();
    server = await startServer({
      OPENAI_API_KEY: 'sk-operators',
      OPENAI_BASE_URL: provider.url,
      SLUICE_OUTBOUND_ALLOW: new URL(provider.url).host,
      TRUST_PROXY_HOPS: '1',
    });
    operator = await signIn(server.email, server.password);
  });

  afterAll(async () => {
    await server.dispose();
    await provider.close();
  });

  const ask = (query: string, variables: object, cookie: string) => post(server.url, { query, variables }, { cookie });

  async function signIn(email: string, password: string): Promise<string> {
    const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
    const { headers } = await post(server.url, { query, variables: { input: { email, password } } });
    return headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  async function newKey({ cookie }: Person): Promise<string> {
    const query = 'mutation { createApiKey(input: { name: "k", scopes: [INFERENCE] }) { secret } }';
    return (await ask(query, {}, cookie)).data?.createApiKey.secret;
  }

  async function chat(apiKey: string, model = MODEL): Promise<unknown> {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    const { error } = answerSchema.parse(await response.json());
    return error === undefined ? response.status : { status: response.status, code: error.code, text: error.message };
  }

  const refused = {
    status: 403,
    code: 'account_not_approved',
    text: expect.stringContaining('`sluice accounts approve`'),
  };
  const waiting = '{ accountsToApprove(first: 100) { totalCount nodes { accountId owners } } }';
  const restriction = '{ viewer { currentAccount { spendingRestriction } } }';

  async function waitingId({ email }: Person): Promise<string> {
    const { data } = await ask(waiting, {}, operator);
    const found = data?.accountsToApprove.nodes.find(({ owners }: { owners: string[] }) => owners.includes(email));
    return found?.accountId ?? '';
  }

  it('reaches sandbox models and its own providers, and those of the operator after approval', async () => {
    const guest = await signUp(server.url);
    const apiKey = await newKey(guest);
    expect(await chat(apiKey)).toEqual(refused);
    expect(await chat(apiKey, 'sandbox/chat')).toBe(200);
    expect((await ask(restriction, {}, guest.cookie)).data?.viewer.currentAccount.spendingRestriction).toBe('APPROVAL');
    expect(provider.requests.filter(({ path }) => path.includes('completions'))).toEqual([]);
    const approve = 'mutation ($id: ID!) { approveAccount(id: $id) }';
    const id = await waitingId(guest);
    expect(await ask(approve, { id }, guest.cookie)).toMatchObject({ code: 'forbidden' });
    expect(await ask(waiting, {}, guest.cookie)).toMatchObject({ code: 'forbidden' });
    expect(await chat(apiKey)).toEqual(refused);
    expect((await ask(approve, { id }, operator)).data).toEqual({ approveAccount: true });
    expect(await chat(apiKey)).toBe(200);
    expect((await ask(restriction, {}, guest.cookie)).data?.viewer.currentAccount.spendingRestriction).toBeNull();
    expect(await waitingId(guest)).toBe('');
    const log = '{ auditLog(first: 1) { nodes { action actor { kind } } } }';
    expect((await ask(log, {}, guest.cookie)).data?.auditLog.nodes).toEqual([
      { action: 'account.spending_approved', actor: { kind: 'USER' } },
    ]);
  });

  it('uses its own provider connection without approval', async () => {
    const guest = await signUp(server.url);
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    const input = { provider: 'openai', name: 'Own', apiKey: 'sk-own', baseUrl: provider.url };
    expect((await ask(connect, { input }, guest.cookie)).errors).toBeUndefined();
    expect(await chat(await newKey(guest))).toBe(200);
    expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer sk-own');
  });

  it('is approved with the command line while the server runs', async () => {
    const guest = await signUp(server.url);
    const apiKey = await newKey(guest);
    expect(await chat(apiKey)).toEqual(refused);
    const sluice = (...args: string[]) => runCommand('accounts', accountsCommand, server.database, args);
    const listed = await sluice('pending', '--json');
    const found = JSON.parse(listed.out).find(({ owners }: { owners: string[] }) => owners.includes(guest.email));
    expect(await sluice('approve', found.id)).toMatchObject({ code: 0, out: 'approved\n' });
    await vi.waitFor(async () => expect(await chat(apiKey)).toBe(200), { timeout: 60_000, interval: 100 });
    expect((await sluice('pending')).out).not.toContain(guest.email);
  });

  it('cannot get around the approval with a second account or a token of another address', async () => {
    const guest = await signUp(server.url);
    const create = 'mutation { createAccount(input: { name: "Second" }) { id spendingRestriction } }';
    expect((await ask(create, {}, guest.cookie)).data?.createAccount.spendingRestriction).toBe('APPROVAL');
    expect((await ask(create, {}, operator)).data?.createAccount.spendingRestriction).toBeNull();
  });

  it('needs no approval to use an account that invited them', async () => {
    const email = `invited-${Date.now()}@example.com`;
    const invite = `mutation ($input: InviteMemberInput!) {
      inviteMember(input: $input) { ... on Invitation { link } ... on InviteMemberFailure { code } }
    }`;
    const { data } = await ask(invite, { input: { email, role: 'DEVELOPER' } }, operator);
    const [, invitation = ''] = /#token=([\w-]{43})$/.exec(data?.inviteMember.link) ?? [];
    const guest = await signUp(server.url, { email, invitation });
    expect(await chat(await newKey(guest))).toBe(200);
  });

  it('receives the same errors over GraphQL', async () => {
    const guest = await signUp(server.url);
    const start = 'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }';
    const { data, errors } = await ask(
      start,
      { input: { prompt: 'Hello', models: [MODEL, 'sandbox/chat'] } },
      guest.cookie,
    );
    expect(errors).toBeUndefined();
    const lanes = 'query ($id: ID!) { comparison(id: $id) { lanes { model status error { code } } } }';
    const ended = async (): Promise<unknown> => {
      const answer = await ask(lanes, { id: data?.startComparison.id }, guest.cookie);
      const found: { status: string; error: { code: string } | null }[] = answer.data?.comparison.lanes ?? [];
      return found.map(({ status, error }) => (status === 'RUNNING' || status === 'WAITING' ? status : error?.code));
    };
    await expect.poll(ended).toEqual(['account_not_approved', undefined]);
  });

  it('spends without approval as soon as the operator allows it', async () => {
    const guest = await signUp(server.url);
    const apiKey = await newKey(guest);
    expect(await chat(apiKey)).toEqual(refused);
    writeFileSync(join(server.dataDir, 'sluice.yaml'), 'signup_spending: allow\n');
    await vi.waitFor(async () => expect(await chat(apiKey)).toBe(200), { timeout: 60_000, interval: 100 });
  });
});
