import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventIdOf } from '../../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../../src/graphql/relay/global-id.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';
import { post } from '../../../harness/graphql-client.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let provider: FakeProvider;
let account: TestAccount;

beforeAll(async () => {
  provider = await startFakeProvider();
  provider.answerWith(completion());
  const environment = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: provider.url, SLUICE_STORE_CONTENT: 'on' };
  account = await newAccount(environment);
});

afterAll(async () => {
  await account.dispose();
  await provider.close();
});

const query = 'query ($id: ID!) { usageLog(id: $id) { content { request } } }';

it.each([
  ['short', 'What is a sluice?'],
  ['that is not packed', 'What is a sluice? '.repeat(2_000)],
  ['that is sent without a copy', 'What is a sluice? '.repeat(10_000)],
])('a logged request %s names the model as its client did, streamed or not', async (_length, content) => {
  for (const stream of [false, true]) {
    const request = { model: 'openai/gpt-4.1', stream, messages: [{ role: 'user', content }] };
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify(request),
    });
    await response.arrayBuffer();
    expect(JSON.parse(provider.requests.at(-1)?.body ?? '')).toMatchObject({ model: 'gpt-4.1' });
    const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
    const logged = async () => {
      const { data } = await post(account.url, { query, variables: { id } }, { cookie: account.cookie });
      return data?.usageLog?.content?.request;
    };
    await expect.poll(logged).toEqual(request);
  }
});
