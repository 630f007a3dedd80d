import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { requirements } from '../../../src/services/authorization/authorization.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { newAccount, newEmail, signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

type Caller = Readonly<Record<string, string>>;

async function ask(caller: Caller, query: string, variables: object = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...caller },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

async function signUp(email?: string, invitation?: string): Promise<Caller> {
  const { cookie } = await signUpAt(account.url, { name: 'P', email, invitation });
  return { cookie };
}

const tokenFor = (email: string): Promise<string> => mailFolder(account.dataDir).token(email, 'Invitation to');

const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename ... on Invitation { id email role invitedBy { email } } ... on InviteMemberFailure { code } } }';
const createKey = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id role } } }';
const changeRole = 'mutation ($input: ChangeRoleInput!) { changeRole(input: $input) { role } }';
const listPeople =
  '{ account { members { totalCount nodes { id role lastSeenAt user { email } } } invitations { nodes { id email } } } }';

async function member(owner: Caller, role: string): Promise<Caller & { readonly memberId: string }> {
  const email = newEmail();
  expect((await ask(owner, invite, { input: { email, role } })).data.inviteMember.__typename).toBe('Invitation');
  const caller = await signUp(email, await tokenFor(email));
  const { nodes } = (await ask(owner, listPeople)).data.account.members;
  const found = z.array(z.object({ id: z.string(), user: z.object({ email: z.string() }) })).parse(nodes);
  return { ...caller, memberId: found.find(({ user }) => user.email === email)?.id ?? '' };
}

describe('a team', () => {
  it('grows by invitations, which are visible to anyone with the link', async () => {
    const owner = await signUp();
    const email = newEmail();
    const input = { email: email.toUpperCase(), role: 'BILLING' };
    expect((await ask(owner, invite, { input })).data.inviteMember).toMatchObject({
      email,
      role: 'BILLING',
      invitedBy: { email: expect.any(String) },
    });
    expect((await ask(owner, invite, { input })).data.inviteMember).toMatchObject({ code: 'already_invited' });
    expect((await ask(owner, invite, { input: { ...input, email: 'x' } })).data.inviteMember).toMatchObject({
      code: 'invalid_email',
    });
    const token = await tokenFor(email);
    const offer = 'query ($token: String!) { invitation(token: $token) { accountName role email expired } }';
    expect((await ask({}, offer, { token })).data.invitation).toEqual({
      accountName: "P's account",
      role: 'BILLING',
      email,
      expired: false,
    });
    expect((await ask({}, offer, { token: 'x' })).data.invitation).toBeNull();
    const stranger = await signUp();
    const accept =
      'mutation ($token: String!) { acceptInvitation(token: $token) { ... on AccountMembership { role } ... on AcceptInvitationFailure { code } } }';
    expect((await ask(stranger, accept, { token })).data.acceptInvitation).toEqual({ code: 'invitation_for_other' });
    expect((await ask({}, accept, { token })).code).toBe('unauthenticated');
    const guest = await signUp(email);
    expect((await ask(guest, accept, { token })).data.acceptInvitation).toEqual({ role: 'BILLING' });
    const accounts = (await ask(guest, '{ viewer { accounts { accountId role } } }')).data.viewer.accounts;
    expect(accounts).toMatchObject([{ role: 'OWNER' }, { role: 'BILLING' }]);
    const there = { ...guest, 'x-sluice-account': accounts[1].accountId };
    expect((await ask(there, listPeople)).data.account).toMatchObject({
      members: { totalCount: 2, nodes: [{ role: 'OWNER', lastSeenAt: expect.any(String) }, { role: 'BILLING' }] },
      invitations: { nodes: [] },
    });
    expect((await ask(there, createKey, { input: { name: 'k' } })).code).toBe('forbidden');
    expect((await ask(there, invite, { input })).code).toBe('forbidden');
  });

  it('closes the sockets of demoted and removed members and of their keys', async () => {
    const owner = await signUp();
    const admin = await member(owner, 'ADMIN');
    const input = { name: 'k', scopes: ['READ', 'MANAGE'], role: 'ADMIN' };
    const { secret, apiKey } = (await ask(admin, createKey, { input })).data.createApiKey;
    expect(apiKey.role).toBe('ADMIN');
    const key = { authorization: `Bearer ${secret}` };
    const sockets = [
      { headers: admin, params: {} },
      { headers: {}, params: key },
    ].map(({ headers, params }) => {
      const closed = Promise.withResolvers<number>();
      const opened = Promise.withResolvers<void>();
      const { memberId: _none, ...cookie } = { memberId: '', ...headers };
      const client = createClient({
        url: `${account.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: class extends WebSocket {
          constructor(url: string, protocols: string[]) {
            super(url, protocols, { headers: { ...cookie } });
          }
        },
        connectionParams: params,
        lazy: false,
        retryAttempts: 0,
        onNonLazyError: () => undefined,
        on: {
          connected: () => opened.resolve(),
          closed: (event) => closed.resolve(z.object({ code: z.number() }).parse(event).code),
        },
      });
      return { client, opened: opened.promise, closed: closed.promise };
    });
    await Promise.all(sockets.map(({ opened }) => opened));
    await ask(owner, changeRole, { input: { memberId: admin.memberId, role: 'VIEWER' } });
    expect(await Promise.all(sockets.map(({ closed }) => closed))).toEqual([4403, 4403]);
    for (const { client } of sockets) await client.dispose();
    expect((await ask(admin, '{ auditLog { nodes { id } } }')).code).toBe('forbidden');
    expect((await ask(key, '{ auditLog { nodes { id } } }')).code).toBe('forbidden');
    expect((await ask(key, '{ account { id } }')).code).toBeNull();
    const remove = 'mutation ($id: ID!) { removeMember(memberId: $id) }';
    expect((await ask(owner, remove, { id: admin.memberId })).data.removeMember).toBe(true);
    expect((await ask(admin, '{ account { id } }')).code).toBe('not_found');
    expect((await ask(key, '{ account { id } }')).code).toBe('forbidden');
    expect((await ask(owner, remove, { id: admin.memberId })).code).toBe('not_found');
  });

  it('limits keys to the permissions of their creators', async () => {
    const owner = await signUp();
    const developer = await member(owner, 'DEVELOPER');
    const manage = { name: 'k', scopes: ['MANAGE'] };
    expect((await ask(developer, createKey, { input: { ...manage, role: 'ADMIN' } })).code).toBe('forbidden');
    expect((await ask(developer, createKey, { input: { ...manage, role: 'BILLING' } })).code).toBe('forbidden');
    expect((await ask(developer, createKey, { input: { name: 'k', role: 'DEVELOPER' } })).code).toBe('bad_user_input');
    const { secret, apiKey } = (await ask(developer, createKey, { input: manage })).data.createApiKey;
    expect(apiKey.role).toBe('DEVELOPER');
    const key = { authorization: `Bearer ${secret}` };
    expect((await ask(key, createKey, { input: { ...manage, role: 'OWNER' } })).code).toBe('forbidden');
    // A key that does not manage reads what its maker may: more than a developer, where that is the owner.
    const limited = (await ask(owner, createKey, { input: manage })).data.createApiKey;
    const narrow = { authorization: `Bearer ${limited.secret}` };
    expect((await ask(narrow, createKey, { input: { name: 'k', scopes: ['READ'] } })).code).toBe('forbidden');
    expect((await ask(narrow, createKey, { input: { name: 'k' } })).code).toBeNull();
    expect((await ask(narrow, createKey, { input: manage })).code).toBeNull();
    expect((await ask(developer, createKey, { input: { name: 'k', scopes: ['READ'] } })).code).toBeNull();
    expect((await ask(key, createKey, { input: manage })).code).toBeNull();
    expect((await ask(key, '{ providerConnections { id } }')).code).toBe('forbidden');
    expect((await ask(key, 'mutation { leaveAccount }')).code).toBe('forbidden');
    const plain = (await ask(developer, createKey, { input: { name: 'k' } })).data.createApiKey;
    expect(plain.apiKey.role).toBeNull();
  });
});

describe('the table of permissions', () => {
  it('is the one that the server enforces, and is visible to every member', async () => {
    const owner = await signUp();
    const viewer = await member(owner, 'VIEWER');
    const { data } = await ask(viewer, '{ permissions { action does roles keyScope } }');
    const table = z
      .array(
        z.object({ action: z.string(), does: z.string(), roles: z.array(z.string()), keyScope: z.string().nullable() }),
      )
      .parse(data.permissions);
    expect(table.map(({ action }) => action)).toEqual(Object.keys(requirements));
    for (const { action, roles, keyScope } of table) {
      const rule = Object.entries(requirements).find(([name]) => name === action)?.[1];
      expect(roles.map((role) => role.toLowerCase())).toEqual(rule?.roles);
      expect(keyScope).toBe(rule?.scope);
    }
  });
});

describe('a deleted account', () => {
  it('is rejected everywhere immediately, and can be restored completely', async () => {
    const owner = await signUp();
    const { secret } = (await ask(owner, createKey, { input: { name: 'k', scopes: ['INFERENCE', 'READ'] } })).data
      .createApiKey;
    const key = { authorization: `Bearer ${secret}` };
    const chat = async (): Promise<[number, string | undefined]> => {
      const response = await fetch(`${account.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...key },
        body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] }),
      });
      const body = z.object({ error: z.object({ code: z.string() }).optional() }).parse(await response.json());
      return [response.status, body.error?.code];
    };
    expect(await chat()).toEqual([200, undefined]);
    const remove = 'mutation ($name: String!) { deleteAccount(input: { confirmName: $name }) { erasedAfter } }';
    expect((await ask(owner, remove, { name: 'wrong' })).code).toBe('bad_user_input');
    const { erasedAfter } = (await ask(owner, remove, { name: "P's account" })).data.deleteAccount;
    expect(Date.parse(erasedAfter) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(await chat()).toEqual([403, 'account_deleted']);
    expect((await ask(key, '{ account { id } }')).code).toBe('account_deleted');
    expect((await ask(owner, createKey, { input: { name: 'k' } })).code).toBe('account_deleted');
    expect((await ask(owner, '{ account { erasedAfter } }')).data.account).toEqual({ erasedAfter });
    const file = await fetch(`${account.url}/exports/account.jsonl`, { headers: owner });
    expect([file.status, await file.text()]).toEqual([200, expect.stringContaining('"type":"api_key"')]);
    const restore = 'mutation { cancelAccountDeletion { erasedAfter } }';
    expect((await ask(owner, restore)).data.cancelAccountDeletion).toEqual({ erasedAfter: null });
    expect(await chat()).toEqual([200, undefined]);
  });
});

describe('a member with permission to read usage', () => {
  const chat = (secret: string): Promise<Response> =>
    fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sandbox/chat',
        messages: [{ role: 'user', content: 'Secret plan' }],
        stream: true,
      }),
    });

  async function team(): Promise<{ billing: Caller; viewer: Caller; secret: string; reader: Caller }> {
    const owner = await signUp();
    const [{ memberId: _b, ...billing }, { memberId: _v, ...viewer }] = [
      await member(owner, 'BILLING'),
      await member(owner, 'VIEWER'),
    ];
    const key = async (scopes: string[]): Promise<string> =>
      (await ask(owner, createKey, { input: { name: 'k', scopes } })).data.createApiKey.secret;
    return {
      billing,
      viewer,
      secret: await key(['INFERENCE']),
      reader: { authorization: `Bearer ${await key(['READ'])}` },
    };
  }

  it('sees the names of keys, and other fields only with permission to read keys', async () => {
    const { billing, viewer, secret, reader } = await team();
    await (await chat(secret)).text();
    const logs = (fields: string) => `{ usageLogs { nodes { apiKey { id ${fields} } } } }`;
    const named = async (caller: Caller) => (await ask(caller, logs('name'))).data.usageLogs?.nodes;
    await expect.poll(() => named(billing)).toMatchObject([{ apiKey: { name: 'k' } }]);
    expect(await named(reader)).toMatchObject([{ apiKey: { name: 'k' } }]);
    const range = `{ from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" }`;
    const details = [
      'hint',
      'scopes',
      'role',
      'allowedModels',
      'limits { concurrency }',
      'expiresAt',
      'createdBy { id }',
    ];
    for (const field of details) {
      const report = `{ usage(range: ${range}, groupBy: [KEY]) { groups { apiKey { id ${field} } } } }`;
      for (const query of [logs(field), report]) {
        expect([field, (await ask(billing, query)).code]).toEqual([field, 'forbidden']);
        expect([field, (await ask(reader, query)).code]).toEqual([field, 'insufficient_scope']);
        expect([field, (await ask(viewer, query)).code]).toEqual([field, null]);
      }
    }
  });

  it('sees comparisons and videos only with permission to read content', async () => {
    const { billing, viewer } = await team();
    for (const query of ['{ comparisons { nodes { prompt } } }', '{ videos { nodes { prompt } } }']) {
      expect([query, (await ask(billing, query)).code]).toEqual([query, 'forbidden']);
      expect([query, (await ask(viewer, query)).code]).toEqual([query, null]);
    }
  });

  it('sees running completions, and their content only with permission', async () => {
    const { billing, viewer, secret } = await team();
    const follow = async (cookie: Caller): Promise<{ whole: Promise<string[]> }> => {
      const client = createClient({
        url: `${account.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: class extends WebSocket {
          constructor(url: string, protocols: string[]) {
            super(url, protocols, { headers: { ...cookie } });
          }
        },
        retryAttempts: 0,
      });
      const events = client.iterate({ query: 'subscription { liveCompletions { event { __typename } } }' });
      const whole = (async () => {
        const seen: string[] = [];
        for await (const { data } of events) {
          const told = z
            .object({ liveCompletions: z.object({ event: z.object({ __typename: z.string() }) }) })
            .parse(data);
          seen.push(told.liveCompletions.event.__typename);
          if (seen.includes('CompletionStarted') && seen.at(-1) === 'CompletionFinished') break;
        }
        await client.dispose();
        return seen.slice(seen.indexOf('CompletionStarted'));
      })();
      return { whole };
    };
    const both = [await follow(billing), await follow(viewer)];
    let [over, seen] = [false, new Array<string[]>()];
    const done = Promise.all(both.map(({ whole }) => whole)).then((all) => ([over, seen] = [true, all]));
    // A subscription begins some time after it is asked for.
    while (!over) await Promise.race([done, chat(secret).then((answer) => answer.text())]);
    expect(seen[0]).toEqual(['CompletionStarted', 'CompletionFinished']);
    expect(seen[1]).toContain('CompletionDelta');
  });
});
