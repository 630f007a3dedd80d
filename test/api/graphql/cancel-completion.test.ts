import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { chunk, pieces, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { operator } from '../../harness/operator.ts';
import type { TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;
let provider: FakeProvider;

beforeAll(async () => {
  const operated = await operator();
  ({ provider } = operated);
  account = await operated.newAccount();
});

afterAll(() => account.dispose());

const cancel = 'mutation ($id: ID!) { cancelCompletion(clientRequestId: $id) }';

it('cancels a running completion and notifies its subscribers', async () => {
  provider.answerWith(pieces([chunk({ content: 'Once' })], 'hang'));
  const authorization = `Bearer ${account.apiKey}`;
  const ask = (id: string) => post(account.url, { query: cancel, variables: { id } }, { authorization });
  const client = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
  });
  const events = client.iterate<{ completion: { __typename: string; code?: string } }>({
    query: `subscription ($input: CompletionInput!) {
      completion(input: $input) { __typename ... on CompletionFailed { code } }
    }`,
    variables: {
      input: {
        clientRequestId: 'to be ended',
        model: 'openai/gpt-4.1-mini',
        messages: [{ role: 'user', content: 'A story' }],
      },
    },
  });
  expect((await ask('another')).data).toEqual({ cancelCompletion: false });
  let last: { __typename: string; code?: string } | undefined;
  let isCancelled = false;
  for await (const { data } of events) {
    last = data?.completion;
    if (last?.__typename !== 'CompletionDelta' || isCancelled) continue;
    isCancelled = true;
    expect((await ask('to be ended')).data).toEqual({ cancelCompletion: true });
  }
  expect(last).toEqual({ __typename: 'CompletionFailed', code: 'aborted' });
  expect((await ask('to be ended')).data).toEqual({ cancelCompletion: false });
  await client.dispose();
});
