import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { post } from '../../harness/graphql-client.ts';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ SLUICE_SANDBOX_TOKENS_PER_SECOND: '20' });
});

afterAll(() => server.dispose());

const cancel = 'mutation ($id: ID!) { cancelCompletion(clientRequestId: $id) }';

it('ends a completion that runs, and tells its readers', { timeout: 30_000 }, async () => {
  const authorization = `Bearer ${server.apiKey}`;
  const ask = (id: string) => post(server.url, { query: cancel, variables: { id } }, { authorization });
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
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
        model: 'sandbox/chat',
        messages: [{ role: 'user', content: 'A story in 2000 words.' }],
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
