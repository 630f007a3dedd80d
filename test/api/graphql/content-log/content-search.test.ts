import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';
import { joinTeam } from '../../../browser/membership.ts';

let account: TestAccount;
let other: TestAccount;

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

beforeAll(async () => {
  [account, other] = await Promise.all([newAccount(), newAccount()]);
});
afterAll(() => Promise.all([account.dispose(), other.dispose()]));

async function ask(
  query: string,
  variables: object = {},
  of = account,
  credential: Readonly<Record<string, string>> = { authorization: `Bearer ${of.apiKey}` },
) {
  const response = await fetch(`${of.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

async function send(content: string, of = account): Promise<string> {
  const response = await fetch(`${of.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${of.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content }] }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const search = 'query ($text: String!) { usageLogs(first: 10, filter: { text: $text }) { nodes { requestId } } }';
const setSearch = `mutation ($search: Boolean!) {
  updateContentLogging(input: { level: FULL, search: $search }) { contentLogging { search } }
}`;

const totals = `query ($range: UsageRange!, $text: String) {
  usage(range: $range, groupBy: [MODEL], filter: { text: $text }) { total { requests } groups { usage { requests } } }
}`;
const sessions = 'query ($text: String) { sessions(first: 5, filter: { text: $text }) { nodes { sessionId } } }';

function exported(words: string, credential: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${account.url}/exports/usage.jsonl?text=${encodeURIComponent(words)}`, { headers: credential });
}

async function found(text: string, of = account): Promise<unknown> {
  const { data, code } = await ask(search, { text }, of);
  return code ?? data.usageLogs.nodes.map(({ requestId }: { requestId: string }) => requestId);
}

it('is an opt-in, finds redacted prompts and answers of the account, and deletes them when it ends', async () => {
  for (const of of [account, other])
    expect((await ask(setSearch, { search: true }, of)).data.updateContentLogging).toEqual({
      contentLogging: { search: true },
    });
  const id = await send('Which canal has the quokkalock? Mail jane@example.com');
  const foreign = await send('Which canal has the quokkalock?', other);
  await expect.poll(() => found('quokkalock')).toEqual([id]);
  await expect.poll(() => found('quokkalock', other)).toEqual([foreign]);
  // Of the answer.
  expect(await found('quokkalock sandbox')).toEqual([id]);
  expect(await found('jane')).toEqual([]);
  expect(await found('redacted email')).toEqual([id]);
  expect((await ask(setSearch, { search: false })).data.updateContentLogging.contentLogging.search).toBe(false);
  expect(await found('quokkalock')).toEqual([]);
  expect(await found('quokkalock', other)).toEqual([foreign]);
});

it('narrows totals, charts, sessions and exports as it does rows', async () => {
  await ask(setSearch, { search: true });
  const id = await send('Where is the numbatlock?');
  await expect.poll(() => found('numbatlock')).toEqual([id]);
  const range = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
  const { data } = await ask(totals, { range, text: 'numbatlock' });
  expect(data.usage).toEqual({ total: { requests: 1 }, groups: [{ usage: { requests: 1 } }] });
  expect((await ask(totals, { range, text: 'nowhere' })).data.usage.total.requests).toBe(0);
  expect((await ask(sessions, { text: 'nowhere' })).data.sessions.nodes).toEqual([]);
  const file = await exported('numbatlock', { authorization: `Bearer ${account.apiKey}` });
  expect(
    (await file.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).request_id),
  ).toEqual([id]);
  expect((await exported('a'.repeat(257), { authorization: `Bearer ${account.apiKey}` })).status).toBe(400);
});

it('is bounded', async () => {
  expect(await found('a'.repeat(257))).toBe('bad_user_input');
  expect(await found('a\u0000b')).toBe('bad_user_input');
  expect(await found('a'.repeat(256))).toEqual([]);
});

it('requires the permission to read content', async () => {
  const person = { name: 'Bill', email: 'bill.search@example.com', password: 'correct-horse-41-battery' };
  const cookie = await joinTeam(account, person, 'BILLING');
  expect(await ask(search, { text: 'a' }, account, { cookie })).toMatchObject({ code: 'forbidden' });
  expect((await ask('{ usageLogs(first: 1) { nodes { id } } }', {}, account, { cookie })).code).toBeNull();
  expect(await ask(setSearch, { search: true }, account, { cookie })).toMatchObject({ code: 'forbidden' });
  const range = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' };
  expect(await ask(totals, { range, text: 'a' }, account, { cookie })).toMatchObject({ code: 'forbidden' });
  expect(await ask(sessions, { text: 'a' }, account, { cookie })).toMatchObject({ code: 'forbidden' });
  expect((await ask(sessions, {}, account, { cookie })).code).toBeNull();
  expect((await exported('a', { cookie })).status).toBe(403);
  expect((await exported('', { cookie })).status).toBe(200);
});
