import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventIdOf } from '../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../src/graphql/relay/global-id.ts';
import { post } from '../../harness/graphql-client.ts';
import { newAccount, newEmail, signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

async function ask(
  query: string,
  variables: object = {},
  headers: Readonly<Record<string, string>> = bearer(account.apiKey),
) {
  const { data, errors } = await post(account.url, { query, variables }, headers);
  if (errors) throw new Error(errors[0]?.extensions.code);
  return data ?? {};
}

/** A new person’s session. */
async function signUp(): Promise<Record<string, string>> {
  const { cookie } = await signUpAt(account.url);
  return { cookie };
}

const node = 'query ($id: ID!) { node(id: $id) { __typename id ... on ApiKey { name } ... on Model { provider } } }';

/** One of each type that a new account can have at once. */
async function oneOfEach(session: Record<string, string>): Promise<Map<string, string>> {
  const made = await ask(
    `mutation {
      updateContentLogging(input: { level: FULL }) { id }
      createDataset(name: "d") { id }
      createApiKey(input: { name: "k", scopes: [INFERENCE, READ], budget: { amount: "5", period: DAY } }) { secret apiKey { id budget { id } } }
      saveRoute(input: { name: "r", targets: [{ model: "sandbox/chat" }] }) { id }
      connectProvider(input: { provider: "openai", apiKey: "sk-test" }) { id }
      createSavedView(input: { name: "v", page: ANALYTICS, search: "" }) { id }
      createWebhook(input: { url: "https://example.com/hook" }) { webhook { id } }
      createAlertRule(input: { name: "r", condition: { kind: SPEND, threshold: 1 }, channelIds: [] }) { id }
      createAlertChannel(input: { name: "c", kind: SLACK, url: "https://example.com/hook" }) { channel { id } }
      startComparison(input: { prompt: "Hi", models: ["sandbox/chat"] }) { id }
      inviteMember(input: { email: "${newEmail()}", role: VIEWER }) { ... on Invitation { id } }
    }`,
    {},
    session,
  );
  const { secret } = made.createApiKey;
  const token = await ask(
    'mutation { createAccessToken(input: { scopes: [READ] }) { accessToken { id } } }',
    {},
    bearer(secret),
  );
  const chat = await fetch(`${account.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }], store: true }),
  });
  expect(chat.status).toBe(200);
  const judge = 'mutation ($input: FeedbackInput!) { submitFeedback(input: $input) { id } }';
  const requestId = chat.headers.get('x-request-id');
  const judged = await ask(judge, { input: { requestId, boolean: true } }, session);
  const itemId = await copied(session, made.createDataset.id, requestId ?? '');
  const video = await fetch(`${account.url}/v1/videos`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/video', prompt: 'A cat' }),
  });
  expect(video.status).toBe(200);
  const response = await fetch(`${account.url}/v1/responses`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', input: 'Hi', background: true }),
  });
  expect(response.status).toBe(200);
  const batch = await fetch(`${account.url}/v1/messages/batches`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: JSON.stringify(oneMessage),
  });
  expect(batch.status).toBe(200);
  const conversation = await fetch(`${account.url}/v1/conversations`, {
    method: 'POST',
    headers: { ...bearer(secret), 'content-type': 'application/json' },
    body: '{}',
  });
  expect(conversation.status).toBe(200);
  await upload(secret);
  const test = 'mutation ($id: ID!) { testAlertChannel(id: $id) { id } }';
  const tested = await ask(test, { id: made.createAlertChannel.channel.id }, session);
  const query = `{
    viewer { user { id } currentAccount { id members { nodes { id } } } sessions { id } }
    auditLog { nodes { id } } usageLogs { nodes { id } } videos { nodes { id } } responses { nodes { id } }
    chatCompletions { nodes { id } } conversations { nodes { id } } batches { nodes { id } } files { nodes { id } }
  }`;
  const seen = await vi.waitUntil(async () => {
    const answer = await ask(query, {}, session);
    return answer.usageLogs.nodes.length > 0 && answer;
  }, 120_000);
  return new Map([
    ['User', seen.viewer.user.id],
    ['UserSession', seen.viewer.sessions[0].id],
    ['Member', seen.viewer.currentAccount.members.nodes[0].id],
    ['Invitation', made.inviteMember.id],
    ['AuditEntry', seen.auditLog.nodes[0].id],
    ['Account', seen.viewer.currentAccount.id],
    ['ApiKey', made.createApiKey.apiKey.id],
    ['AccessToken', token.createAccessToken.accessToken.id],
    ['BudgetStatus', made.createApiKey.apiKey.budget.id],
    ['UsageLog', seen.usageLogs.nodes[0].id],
    ['Model', 'sandbox/chat'],
    ['ProviderCredential', made.connectProvider.id],
    ['Route', made.saveRoute.id],
    ['Video', seen.videos.nodes[0].id],
    ['Webhook', made.createWebhook.webhook.id],
    ['SavedView', made.createSavedView.id],
    ['AlertRule', made.createAlertRule.id],
    ['AlertChannel', made.createAlertChannel.channel.id],
    ['Alert', tested.testAlertChannel.id],
    ['Comparison', made.startComparison.id],
    ['ModelResponse', seen.responses.nodes[0].id],
    ['ChatCompletion', seen.chatCompletions.nodes[0].id],
    ['Feedback', judged.submitFeedback.id],
    ['Conversation', seen.conversations.nodes[0].id],
    ['Batch', seen.batches.nodes[0].id],
    ['StoredFile', seen.files.nodes[0].id],
    ['Dataset', made.createDataset.id],
    ['DatasetItem', itemId],
    ['DatasetRun', await runOf(session, made.createDataset.id)],
  ]);
}

/** Runs a dataset. @returns the ID of the run */
async function runOf(session: Record<string, string>, datasetId: string): Promise<string> {
  const create = 'mutation ($input: CreateDatasetRunInput!) { createDatasetRun(input: $input) { id } }';
  const { createDatasetRun } = await ask(create, { input: { datasetId, models: ['sandbox/chat'] } }, session);
  return createDatasetRun.id;
}

/** Copies a request into a dataset. @returns the ID of the item */
async function copied(session: Record<string, string>, datasetId: string, requestId: string): Promise<string> {
  const usageLogIds = [toGlobalId('UsageLog', eventIdOf(requestId) ?? '')];
  const add =
    'mutation ($input: AddToDatasetInput!) { addToDataset(input: $input) { dataset { items { nodes { id } } } } }';
  const { addToDataset } = await ask(add, { input: { datasetId, usageLogIds } }, session);
  return addToDataset.dataset.items.nodes[0].id;
}

async function upload(secret: string): Promise<void> {
  const body = new FormData();
  body.set('purpose', 'user_data');
  body.set('file', new Blob(['content']), 'notes.txt');
  const sent = await fetch(`${account.url}/v1/files`, { method: 'POST', headers: bearer(secret), body });
  expect(sent.status).toBe(200);
}

const oneMessage = {
  requests: [
    {
      custom_id: 'one',
      params: { model: 'sandbox/chat', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
    },
  ],
};

describe('a node', () => {
  it('of every type is found by its ID, only by its own account', async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const all = await oneOfEach(mine);
    const types = await ask('{ __type(name: "Node") { possibleTypes { name } } }');
    const named = types.__type.possibleTypes.map(({ name }: { name: string }) => name);
    // An invoice takes a month, and an identity its provider: test/rest finds each by its id.
    const atOnce = named.filter((name: string) => !['Invoice', 'LinkedIdentity'].includes(name));
    expect(atOnce.toSorted()).toEqual([...all.keys()].toSorted());
    for (const [__typename, id] of all) {
      expect((await ask(node, { id }, mine)).node).toMatchObject({ __typename, id });
      if (__typename !== 'Model')
        expect([__typename, (await ask(node, { id }, theirs)).node]).toEqual([__typename, null]);
    }
    const ids = [...all.values()];
    const found = await ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: [...ids, 'nothing'] }, mine);
    expect(found.nodes).toEqual([...ids.map((id) => ({ id })), null]);
  });

  it('requires the same permission as its type’s own field', async () => {
    const session = await signUp();
    const all = await oneOfEach(session);
    const query = 'mutation { createApiKey(input: { name: "reader", scopes: [READ] }) { secret } }';
    const { secret } = (await ask(query, {}, session)).createApiKey;
    for (const type of ['ApiKey', 'ProviderCredential', 'Webhook'])
      await expect(ask(node, { id: all.get(type) }, bearer(secret))).rejects.toThrow('insufficient_scope');
    expect((await ask(node, { id: all.get('UsageLog') }, bearer(secret))).node).not.toBeNull();
    await expect(ask(node, { id: all.get('Model') }, {})).rejects.toThrow('unauthenticated');
  });

  it.each(['', 'x', 'QXBpS2V5Og', '%', 'nowhere/x', Buffer.from('ApiKey:x').toString('base64url'), 'é'.repeat(5_000)])(
    'is null for an invalid ID: %j',
    async (id) => {
      expect((await ask(node, { id })).node).toBeNull();
    },
  );

  it('is limited to 100 per query', async () => {
    const ids = Array.from({ length: 101 }, () => 'sandbox/chat');
    await expect(ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids })).rejects.toThrow('bad_user_input');
  });
});

describe('a connection', () => {
  const fields: readonly (readonly [field: string, key: string])[] = [
    ['models', 'id'],
    ['usageLogs', 'requestId'],
    ['videos', 'videoId'],
    ['responses', 'responseId'],
    ['chatCompletions', 'completionId'],
    ['batches', 'batchId'],
    ['files', 'fileId'],
  ];

  it.each(fields)('of %s returns the same items in both directions', async (field, key) => {
    const session = await signUp();
    const { secret } = (await ask('mutation { createApiKey(input: { name: "k" }) { secret } }', {}, session))
      .createApiKey;
    const send = (path: string, body: object) =>
      fetch(`${account.url}/v1/${path}`, {
        method: 'POST',
        headers: { ...bearer(secret), 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    for (let n = 0; n < 5; n++)
      if (field === 'usageLogs')
        await send('chat/completions', { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hi' }] });
      else if (field === 'chatCompletions')
        await send('chat/completions', {
          model: 'sandbox/chat',
          messages: [{ role: 'user', content: 'Hi' }],
          store: true,
        });
      else if (field === 'videos') await send('videos', { model: 'sandbox/video', prompt: 'A cat' });
      else if (field === 'files') await upload(secret);
      else if (field === 'batches') await send('messages/batches', oneMessage);
      else if (field === 'responses') await send('responses', { model: 'sandbox/chat', input: 'Hi', background: true });
    const all = `{ ${field}(first: 100) { nodes { ${key} } } }`;
    const found = await vi.waitUntil(async () => {
      const { nodes } = (await ask(all, {}, session))[field];
      return nodes.length >= 5 && nodes;
    }, 120_000);
    const query = `query ($first: Int, $after: Cursor, $last: Int, $before: Cursor) {
      ${field}(first: $first, after: $after, last: $last, before: $before) {
        nodes { ${key} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }`;
    const forwards = [];
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof ask>>[string] = (await ask(query, { first: 2, after }, session))[field];
      forwards.push(...page.nodes);
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
      if (!page.pageInfo.hasNextPage) break;
      after = page.pageInfo.endCursor;
    }
    expect(forwards).toEqual(found);
    const backwards = [];
    for (let before: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof ask>>[string] = (await ask(query, { last: 2, before }, session))[field];
      backwards.unshift(...page.nodes);
      expect(page.pageInfo.hasNextPage).toBe(before !== null);
      if (!page.pageInfo.hasPreviousPage) break;
      before = page.pageInfo.startCursor;
    }
    expect(backwards).toEqual(found);
    for (const variables of [{ first: 1, last: 1 }, { first: 101 }, { last: 0 }, { first: 1, before: 'x' }])
      await expect(ask(query, variables, session)).rejects.toThrow('bad_user_input');
  });
});
