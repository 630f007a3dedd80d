import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
