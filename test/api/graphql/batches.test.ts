import Anthropic from '@anthropic-ai/sdk';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;
let client: Anthropic;

beforeAll(async () => {
  account = await newAccount();
  client = new Anthropic({ apiKey: account.apiKey, baseURL: account.url, maxRetries: 0 });
});

afterAll(() => account.dispose());

async function ask(
  query: string,
  variables: object,
  apiKey = account.apiKey,
): Promise<{ data: unknown; errors?: unknown }> {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = Object(await response.json());
  return { data, errors };
}

const create = (count: number): Promise<Anthropic.Messages.MessageBatch> =>
  client.messages.batches.create({
    requests: Array.from({ length: count }, (_, index) => ({
      custom_id: `r-${index}`,
      params: { model: 'sandbox/chat', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hi' }] },
    })),
  });

const one =
  'query ($id: ID!) { batch(id: $id) { batchId endpoint status total succeeded errored outputFileId endedAt } }';
const cancel = 'mutation ($id: ID!) { cancelBatch(id: $id) { batchId status } }';

describe('batches in GraphQL', () => {
  it('show their progress and their end', async () => {
    const { id } = await create(2);
    await expect
      .poll(async () => (await ask(one, { id })).data, { timeout: 30_000 })
      .toEqual({
        batch: {
          batchId: id,
          endpoint: '/v1/messages',
          status: 'COMPLETED',
          total: 2,
          succeeded: 2,
          errored: 0,
          outputFileId: null,
          endedAt: expect.any(String),
        },
      });
  });

  it('can be cancelled, by their own account alone', async () => {
    const { id } = await create(300);
    const other = await newAccount();
    for (const query of [one, cancel])
      expect((await ask(query, { id }, other.apiKey)).errors).toMatchObject([{ extensions: { code: 'not_found' } }]);
    await other.dispose();
    expect((await ask(cancel, { id })).data).toEqual({ cancelBatch: { batchId: id, status: 'CANCELLING' } });
    await expect
      .poll(async () => (await ask(one, { id })).data, { timeout: 30_000 })
      .toMatchObject({ batch: { status: 'CANCELLED' } });
  });
});

const eventSchema = z.object({
  data: z
    .object({ batchProgress: z.object({ id: z.string(), batchId: z.string(), status: z.string() }).loose() })
    .nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});
type Event = z.infer<typeof eventSchema>;

const progress =
  'subscription ($id: ID) { batchProgress(id: $id) { id batchId status total succeeded errored endedAt } }';

function connect(apiKey: string, onClosed?: (code: number) => void): Client {
  return createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${apiKey}` },
    retryAttempts: 0,
    on: { closed: (event) => onClosed?.(z.object({ code: z.number() }).parse(event).code) },
  });
}

/** What a subscription sends, until `isLast` or its end. */
async function follow(variables: object, isLast: (event: Event) => boolean, apiKey = account.apiKey): Promise<Event[]> {
  const socket = connect(apiKey);
  const seen: Event[] = [];
  for await (const answer of socket.iterate({ query: progress, variables: { ...variables } })) {
    seen.push(eventSchema.parse(answer));
    if (isLast(eventSchema.parse(answer))) break;
  }
  await socket.dispose();
  return seen;
}

const hasEnded = (batchId: string) => (event: Event) =>
  event.data?.batchProgress.batchId === batchId && event.data.batchProgress.status === 'COMPLETED';

describe('batchProgress', () => {
  it('sends the state of a batch by either ID, its progress, and ends with it', async () => {
    const { id } = await create(1_000);
    const startedAt = Date.now();
    const seen = await follow({ id }, () => false);
    const states = seen.map(({ data }) => data?.batchProgress);
    const counts = states.map((state) => Number(state?.succeeded));
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(states.length).toBeGreaterThan(1);
    // A message every 500 ms, and the first and the last.
    expect(states.length).toBeLessThanOrEqual((Date.now() - startedAt) / 500 + 3);
    expect(states.at(-1)).toMatchObject({
      batchId: id,
      status: 'COMPLETED',
      total: 1_000,
      succeeded: 1_000,
      errored: 0,
      endedAt: expect.any(String),
    });
    expect(await follow({ id: states[0]?.id }, () => false)).toEqual([seen.at(-1)]);
  });

  it('sends all batches of the account, and none of another one', async () => {
    const other = await newAccount();
    const theirs = new Anthropic({ apiKey: other.apiKey, baseURL: other.url, maxRetries: 0 });
    const params = { model: 'sandbox/chat', max_tokens: 10, messages: [{ role: 'user' as const, content: 'Hi' }] };
    const before = await create(1);
    const socket = connect(account.apiKey);
    const events = socket.iterate({ query: progress });
    const seen: Event[] = [];
    const until = async (isLast: (event: Event) => boolean): Promise<void> => {
      for (;;) {
        const event = eventSchema.parse((await events.next()).value);
        seen.push(event);
        if (isLast(event)) return;
      }
    };
    await until(({ data }) => data?.batchProgress.batchId === before.id);
    const foreign = await theirs.messages.batches.create({ requests: [{ custom_id: 'theirs', params }] });
    await follow({ id: foreign.id }, () => false, other.apiKey);
    const after = await create(1);
    await until(hasEnded(after.id));
    await socket.dispose();
    const ids = new Set(seen.map(({ data }) => data?.batchProgress.batchId));
    expect(ids).toContain(before.id);
    expect(ids).not.toContain(foreign.id);
    await other.dispose();
  });

  it('sends the end of a batch that is cancelled, and of one whose input file is invalid', async () => {
    const { id } = await create(300);
    const following = follow({ id }, () => false);
    await ask(cancel, { id });
    const statuses = (await following).map(({ data }) => data?.batchProgress.status);
    expect(statuses.at(-1)).toBe('CANCELLED');
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob(['{}']), 'requests.jsonl');
    const headers = { authorization: `Bearer ${account.apiKey}` };
    const file = Object(await (await fetch(`${account.url}/v1/files`, { method: 'POST', headers, body: form })).json());
    const body = JSON.stringify({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    const json = { ...headers, 'content-type': 'application/json' };
    const batch = Object(
      await (await fetch(`${account.url}/v1/batches`, { method: 'POST', headers: json, body })).json(),
    );
    const failed = await follow({ id: batch.id }, () => false);
    expect(failed.at(-1)?.data?.batchProgress).toMatchObject({ status: 'FAILED', endedAt: expect.any(String) });
    const query = 'query ($id: ID!) { batch(id: $id) { errors { code message param line } } }';
    const { data } = await ask(query, { id: batch.id });
    const read = Object(await (await fetch(`${account.url}/v1/batches/${batch.id}`, { headers })).json());
    expect(read.errors.data.length).toBeGreaterThan(0);
    expect(data).toEqual({ batch: { errors: read.errors.data } });
  });

  it('does not find a batch of another account, and requires the scope', async () => {
    const { id } = await create(1);
    const other = await newAccount();
    const codes = async (variables: object, apiKey: string): Promise<unknown> =>
      (await follow(variables, () => true, apiKey))[0]?.errors?.[0]?.extensions.code;
    expect(await codes({ id }, other.apiKey)).toBe('not_found');
    expect(await codes({ id: 'nonsense' }, account.apiKey)).toBe('not_found');
    const { secret } = await newKey(['INFERENCE']);
    expect(await codes({}, secret)).toBe('insufficient_scope');
    expect(await codes({ id }, secret)).toBe('insufficient_scope');
    await other.dispose();
  });

  it('ends when the key of its socket is revoked', async () => {
    const { secret, apiKey } = await newKey(['READ']);
    const { id } = await create(1);
    const closed = Promise.withResolvers<number>();
    const socket = connect(secret, closed.resolve);
    const events = socket.iterate({ query: progress });
    for (;;) if (hasEnded(id)(eventSchema.parse((await events.next()).value))) break;
    const next = events.next();
    await ask('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: apiKey.id });
    await expect(next).rejects.toMatchObject({ code: 4403 });
    expect(await closed.promise).toBe(4403);
  });
});

async function newKey(scopes: readonly string[]): Promise<{ secret: string; apiKey: { id: string } }> {
  const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret apiKey { id } } }';
  const { data } = await ask(query, { input: { name: 'k', scopes } });
  return Object(data).createApiKey;
}
