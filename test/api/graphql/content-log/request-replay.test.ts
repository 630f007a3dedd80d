import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventIdOf } from '../../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../../src/graphql/relay/global-id.ts';
import { joinTeam } from '../../../browser/membership.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
const replay = `query ($id: ID!) {
  requestReplay(id: $id) { model messages parameters dropped redactions { name count } conversionError }
}`;

const calls: readonly (readonly [name: string, path: string, body: object])[] = [
  ['chat', '/v1/chat/completions', { model: 'sandbox/chat', messages: [{ role: 'user', content: 'I am a@b.com' }] }],
  ['responses', '/v1/responses', { model: 'sandbox/chat', input: 'I am a@b.com' }],
  [
    'messages',
    '/v1/messages',
    { model: 'sandbox/chat', max_tokens: 50, messages: [{ role: 'user', content: 'I am a@b.com' }] },
  ],
  [
    'gemini',
    '/v1beta/models/sandbox%2Fchat:generateContent',
    { contents: [{ role: 'user', parts: [{ text: 'I am a@b.com' }] }] },
  ],
  ['completions', '/v1/completions', { model: 'sandbox/chat', prompt: 'I am a@b.com' }],
];

describe('a replay', () => {
  let account: TestAccount;
  let other: TestAccount;

  beforeAll(async () => {
    [account, other] = await Promise.all([newAccount(), newAccount()]);
    const setLevel = 'mutation { updateContentLogging(input: { level: FULL }) { id } }';
    await ask(setLevel);
  });

  afterAll(() => Promise.all([account.dispose(), other.dispose()]));

  async function ask(
    query: string,
    variables: object = {},
    credential: Readonly<Record<string, string>> = { authorization: `Bearer ${account.apiKey}` },
  ) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credential },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
  }

  /** @returns the ID of its usage log, once that is stored */
  async function send(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const response = await fetch(`${account.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    expect(response.status, await response.text()).toBe(200);
    const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
    await expect
      .poll(async () => (await ask('query ($id: ID!) { usageLog(id: $id) { id } }', { id })).data.usageLog)
      .not.toBeNull();
    return id;
  }

  it.each(calls)('opens a request of %s as a chat whose texts remain redacted', async (_name, path, body) => {
    const { data } = await ask(replay, { id: await send(path, body) });
    expect(data.requestReplay).toMatchObject({
      model: 'sandbox/chat',
      redactions: [{ name: 'email', count: expect.any(Number) }],
      conversionError: null,
    });
    const { messages } = data.requestReplay;
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages)).toContain('I am [redacted:email]');
    const again = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: data.requestReplay.model, messages, ...data.requestReplay.parameters }),
    });
    expect(again.status, await again.text()).toBe(200);
  });

  it('says why a request cannot be opened', async () => {
    const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] };
    const errorOf = async (id: string) => (await ask(replay, { id })).data.requestReplay.conversionError;
    expect(await errorOf(await send('/v1/chat/completions', body, { 'x-sluice-log': 'off' }))).toMatch(/not logged/);
    expect(await errorOf(await send('/v1/chat/completions', body, { 'x-sluice-log': 'metadata' }))).toMatch(/metadata/);
    const embedding = { model: 'sandbox/embedding', input: 'Hi' };
    expect(await errorOf(await send('/v1/embeddings', embedding))).toMatch(/text generation/);
    const prompts = { model: 'sandbox/chat', prompt: ['a', 'b'] };
    expect(await errorOf(await send('/v1/completions', prompts))).toMatch(/prompt.*2 texts/);
  });

  it('is for those who may read content, of their own account', async () => {
    const id = await send('/v1/chat/completions', {
      model: 'sandbox/chat',
      messages: [{ role: 'user', content: 'x' }],
    });
    expect(await ask(replay, { id }, { authorization: `Bearer ${other.apiKey}` })).toEqual({
      data: { requestReplay: null },
      code: null,
    });
    const person = {
      name: 'Bill',
      email: `bill-${crypto.randomUUID()}@example.com`,
      password: 'correct horse battery',
    };
    const billing = await joinTeam(account, person, 'BILLING');
    expect((await ask(replay, { id }, { cookie: billing })).code).toBe('forbidden');
  });
});
