import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

describe('an account with zero retention', () => {
  let account: TestAccount;
  let client: OpenAI;

  async function ask(query: string, variables: object = {}) {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = answerSchema.parse(await response.json());
    return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
  }

  const setZeroRetention = (zeroRetention: boolean) =>
    ask('mutation ($on: Boolean!) { updateAccount(input: { zeroRetention: $on }) { zeroRetention } }', {
      on: zeroRetention,
    });

  /** The code and parameter of the error that a call meets. */
  async function refusalOf(call: () => Promise<unknown>) {
    const error = await call().catch((reason: unknown) => reason);
    if (!(error instanceof APIError)) throw new Error(`not refused: ${String(error)}`);
    return { status: error.status, code: error.code, param: error.param };
  }

  beforeAll(async () => {
    account = await newAccount();
    client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
    // The key is known before the account changes: the change must reach what is kept in memory.
    await client.responses.create({ model: 'sandbox/chat', input: 'Before' });
    const { data } = await setZeroRetention(true);
    expect(data).toEqual({ updateAccount: { zeroRetention: true } });
  });

  afterAll(() => account.dispose());

  it('returns a response and does not store it', async () => {
    const answered = await client.responses.create({ model: 'sandbox/chat', input: 'Hello', store: true });
    expect(answered.status).toBe('completed');
    expect(answered).toMatchObject({ store: false });
    expect(await refusalOf(() => client.responses.retrieve(answered.id))).toMatchObject({ status: 404 });
  });

  it('completes a chat and does not store it, which a header says', async () => {
    const messages = [{ role: 'user' as const, content: 'Hello' }];
    const { data, response } = await client.chat.completions
      .create({ model: 'sandbox/chat', messages, store: true, metadata: { topic: 'boats' } })
      .withResponse();
    expect(response.headers.get('x-sluice-dropped-params')).toBe('store, metadata');
    expect(await refusalOf(() => client.chat.completions.retrieve(data.id))).toMatchObject({ status: 404 });
    expect((await client.chat.completions.list()).data).toEqual([]);
  });

  it('streams a response and does not store it', async () => {
    const stream = client.responses.stream({ model: 'sandbox/chat', input: 'Hello' });
    const { id } = await stream.finalResponse();
    expect(await refusalOf(() => client.responses.retrieve(id))).toMatchObject({ status: 404 });
  });

  it('rejects requests that require storage, with an alternative', async () => {
    const model = 'sandbox/chat';
    expect(await refusalOf(() => client.responses.create({ model, input: 'Hello', background: true }))).toEqual({
      status: 403,
      code: 'zero_retention',
      param: 'background',
    });
    const prompt = 'A lighthouse';
    expect(await refusalOf(() => client.videos.create({ model: 'sandbox/video', prompt }))).toMatchObject({
      status: 403,
      code: 'zero_retention',
    });
    const link = { model: 'sandbox/image', prompt, response_format: 'url' } as const;
    expect(await refusalOf(() => client.images.generate(link))).toEqual({
      status: 403,
      code: 'zero_retention',
      param: 'response_format',
    });
    const compare =
      'mutation { startComparison(input: { prompt: "Hello", models: ["sandbox/chat", "sandbox/embedding"] }) { id } }';
    expect(await ask(compare)).toMatchObject({ code: 'zero_retention' });
  });

  it('returns images inline by default', async () => {
    const { data } = await client.images.generate({ model: 'sandbox/image', prompt: 'A lighthouse' });
    expect(data?.[0]?.b64_json).toEqual(expect.any(String));
    expect(data?.[0]?.url).toBeUndefined();
  });

  it('neither reads nor writes the response cache', async () => {
    const headers = { 'x-sluice-cache': 'ttl=600' };
    const ask = () =>
      client.chat.completions
        .create({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Cached?' }] }, { headers })
        .withResponse();
    await ask();
    const { response } = await ask();
    expect(response.headers.get('x-sluice-provider')).toBe('sandbox');
    expect(response.headers.get('x-sluice-cache')).not.toBe('hit');
  });

  it('stores again when it is turned off', async () => {
    await setZeroRetention(false);
    const answered = await client.responses.create({ model: 'sandbox/chat', input: 'Hello' });
    await expect.poll(async () => (await client.responses.retrieve(answered.id)).id).toBe(answered.id);
  });
});
