import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { chunk, pieces, stream, type FakeProvider } from '../../harness/fake-provider.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { operator } from '../../harness/operator.ts';
import { newEmail, signUp as signUpAt, type TestAccount } from '../../harness/shared-server.ts';

let provider: FakeProvider;
let account: TestAccount;
/** Another account of the same product. */
let newStranger: () => Promise<TestAccount>;

beforeAll(async () => {
  const operated = await operator();
  ({ provider, newAccount: newStranger } = operated);
  account = await operated.newAccount();
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

const owner = (): Record<string, string> => ({ authorization: `Bearer ${account.apiKey}` });

async function ask(query: string, variables: object = {}, headers = owner()) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null, message: errors?.[0]?.message ?? null };
}

const laneFields = `lane model servedModel provider status output finishReason cost { amount } firstTokenMs durationMs
  tokensPerSecond usage { inputTokens outputTokens estimated } media { contentType size url } similarity dimensions
  error { code } votes toolCalls { name arguments }`;
const fields = `id kind name prompt messages texts isRunning winner votedFor hasVoted sharedAt endedAt cost { amount } lanes { ${laneFields} }`;

async function begin(input: object, headers = owner()) {
  return ask(
    `mutation ($input: StartComparisonInput!) { startComparison(input: $input) { ${fields} } }`,
    { input },
    headers,
  );
}

async function get(id: string) {
  return (await ask(`query ($id: ID!) { comparison(id: $id) { ${fields} } }`, { id })).data.comparison;
}

/** Once its end is stored, which readers of its events do not wait for. */
function ended(id: string) {
  return vi.waitUntil(async () => {
    const comparison = await get(id);
    // Its end is stored after those of its lanes.
    return comparison.isRunning === false && comparison.endedAt !== null && comparison;
  }, 120_000);
}

const eventSchema = z.object({
  cursor: z.string().nullable(),
  lane: z.number().nullable(),
  model: z.string().nullable(),
  firstTokenMs: z.number().nullable(),
  tokensPerSecond: z.number().nullable(),
  runningCost: z.object({ amount: z.string() }).nullable(),
  event: z.looseObject({ __typename: z.string(), text: z.string().optional(), code: z.string().optional() }),
});
type Event = z.infer<typeof eventSchema>;

const subscription = `subscription ($id: ID!, $after: Cursor) { comparison(id: $id, after: $after) {
  cursor lane model firstTokenMs tokensPerSecond runningCost { amount }
  event { __typename ... on CompletionDelta { text } ... on ComparisonLaneFailed { code }
    ... on ComparisonLaneFinished { cost { amount } result { status output } }
    ... on ComparisonLaneCancelled { result { status output } } } } }`;

/** Who subscribes: by a session's cookie or by an API key, to the account that is named. */
interface Subscriber {
  readonly cookie?: string;
  readonly authorization?: string;
  readonly account?: string;
}

interface FollowOptions {
  readonly after?: string | null;
  readonly enough?: (event: Event) => boolean;
  readonly caller?: Subscriber;
}

/** Follows a comparison to its end, or until `enough`. */
async function follow(
  id: string,
  { after = null, enough = () => false, caller = owner() }: FollowOptions = {},
): Promise<{ events: Event[]; code: unknown }> {
  const { cookie, ...connectionParams } = caller;
  const socket = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: class extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { headers: cookie === undefined ? {} : { cookie } });
      }
    },
    connectionParams,
    retryAttempts: 0,
  });
  const events: Event[] = [];
  let code: unknown = null;
  for await (const answer of socket.iterate({ query: subscription, variables: { id, after } })) {
    code ??= answer.errors?.[0]?.extensions?.code;
    if (!answer.data) continue;
    const event = eventSchema.parse(answer.data.comparison);
    events.push(event);
    if (enough(event)) break;
  }
  await socket.dispose();
  return { events, code };
}

const textOf = (events: readonly Event[], lane: number): string =>
  events
    .filter((each) => each.lane === lane)
    .map(({ event }) => event.text ?? '')
    .join('');

describe('a comparison', () => {
  it('runs all models over one stream and stores their output', async () => {
    provider.answerWith(stream(['Hello', ' there']));
    const { data } = await begin({
      prompt: 'Say hello',
      models: ['openai/gpt-4.1-mini', 'sandbox/chat'],
      name: 'Greetings',
    });
    const { id } = data.startComparison;
    expect(data.startComparison).toMatchObject({ kind: 'CHAT', name: 'Greetings', prompt: 'Say hello' });
    const { events } = await follow(id);
    expect(textOf(events, 0)).toBe('Hello there');
    for (const lane of [0, 1]) {
      const own = events.filter((each) => each.lane === lane);
      expect(own[0]?.event.__typename).toBe('CompletionStarted');
      expect(own.at(-1)).toMatchObject({
        firstTokenMs: expect.any(Number),
        runningCost: { amount: expect.any(String) },
        event: { __typename: 'ComparisonLaneFinished', result: { status: 'FINISHED' } },
      });
    }
    const kept = await ended(id);
    expect(kept).toMatchObject({ isRunning: false, endedAt: expect.any(String) });
    expect(kept.lanes).toMatchObject([
      {
        servedModel: 'openai/gpt-4.1-mini',
        status: 'FINISHED',
        output: 'Hello there',
        finishReason: 'stop',
        usage: { inputTokens: 12, outputTokens: 5, estimated: false },
      },
      { servedModel: 'sandbox/chat', status: 'FINISHED', output: textOf(events, 1), cost: { amount: '0' } },
    ]);
    expect(Number(kept.lanes[0].cost.amount)).toBeGreaterThan(0);
    // Each lane is a request in the usage log.
    const path = `{ usageLogs(first: 10) { nodes { model status } } }`;
    await expect
      .poll(async () => (await ask(path)).data.usageLogs.nodes.map(({ model }: { model: string }) => model))
      .toEqual(expect.arrayContaining(['openai/gpt-4.1-mini', 'sandbox/chat']));
  });

  it('resumes after a cursor, and from the start', async () => {
    provider.answerWith(stream(['one', ' two', ' three']));
    const { data } = await begin({ prompt: 'Count', models: ['openai/gpt-4.1-mini'] });
    const { id } = data.startComparison;
    const first = await follow(id, { enough: ({ event }) => event.text === 'one' });
    const { cursor = null } = first.events.at(-1) ?? {};
    const second = await follow(id, { after: cursor });
    expect(textOf(first.events, 0) + textOf(second.events, 0)).toBe('one two three');
    expect(second.events.at(-1)?.event.__typename).toBe('ComparisonLaneFinished');
    expect(textOf((await follow(id)).events, 0)).toBe('one two three');
    const lost = await follow(id, { after: 'nonsense' });
    expect(lost.events[0]).toMatchObject({ lane: null, event: { __typename: 'EventGap' } });
    expect(textOf(lost.events, 0)).toBe('one two three');
  });

  it('continues when a lane fails', async () => {
    const { data } = await begin({ prompt: 'Hello', models: ['sandbox/chat', 'nobody/nothing'] });
    const { events } = await follow(data.startComparison.id);
    expect(events.find(({ lane, event }) => lane === 1 && event.code)?.event).toMatchObject({
      __typename: 'ComparisonLaneFailed',
      code: 'model_not_found',
    });
    expect((await ended(data.startComparison.id)).lanes).toMatchObject([
      { status: 'FINISHED', error: null },
      { status: 'FAILED', error: { code: 'model_not_found' } },
    ]);
  });

  it('cancels single lanes and closes the provider’s socket', async () => {
    provider.answerWith(pieces([chunk({ content: 'beginning' })], 'hang'));
    const taken = provider.requests.length;
    const { data } = await begin({ prompt: 'Hello', models: ['openai/gpt-4.1-mini', 'openai/gpt-4.1'] });
    const { id } = data.startComparison;
    const seen = new Set<number | null>();
    await follow(id, { enough: ({ lane, event }) => event.text === 'beginning' && seen.add(lane).size === 2 });
    const cancel = `mutation ($id: ID!, $model: String) { cancelComparison(id: $id, model: $model) { lanes { status output } } }`;
    await ask(cancel, { id, model: 'openai/gpt-4.1' });
    const requests = provider.requests.slice(taken);
    await requests.find(({ json }) => json.model === 'gpt-4.1')?.aborted;
    await expect
      .poll(async () => (await get(id)).lanes.map((lane: { status: string }) => lane.status))
      .toEqual(['RUNNING', 'CANCELLED']);
    expect((await ask(cancel, { id, model: 'sandbox/chat' })).code).toBe('not_found');
    await ask(cancel, { id });
    await requests.find(({ json }) => json.model === 'gpt-4.1-mini')?.aborted;
    const { events } = await follow(id);
    expect(events.filter(({ event }) => event.__typename === 'ComparisonLaneCancelled')).toHaveLength(2);
    const { lanes } = await ended(id);
    for (const lane of lanes) {
      expect(lane).toMatchObject({ status: 'CANCELLED', output: 'beginning' });
      // What was produced is paid for.
      expect(Number(lane.cost.amount)).toBeGreaterThan(0);
    }
  });

  it('compares images, speech and embeddings, and stores their files', async () => {
    const image = (await begin({ kind: 'IMAGE', prompt: 'A kite', models: ['sandbox/image'] })).data.startComparison;
    await follow(image.id);
    const [drawn] = (await ended(image.id)).lanes;
    expect(drawn).toMatchObject({ status: 'FINISHED', media: [{ contentType: 'image/png' }] });
    const picture = await fetch(`${account.url}${drawn.media[0].url}`);
    expect(picture.status).toBe(200);
    expect((await picture.arrayBuffer()).byteLength).toBe(drawn.media[0].size);

    const speech = await begin({
      kind: 'SPEECH',
      prompt: 'Hello there',
      models: ['sandbox/speech'],
      modelParameters: [{ model: 'sandbox/speech', parameters: { voice: 'alloy', response_format: 'wav' } }],
    });
    await follow(speech.data.startComparison.id);
    const [spoken] = (await ended(speech.data.startComparison.id)).lanes;
    expect(spoken).toMatchObject({ status: 'FINISHED', firstTokenMs: expect.any(Number) });
    expect(spoken.media[0].contentType).toMatch(/^audio\/(x-)?wav/);

    const texts = ['a kite in the sky', 'a kite in the sky'];
    const pair = await begin({ kind: 'EMBEDDINGS', texts, models: ['sandbox/embedding'] });
    await follow(pair.data.startComparison.id);
    const [alike] = (await ended(pair.data.startComparison.id)).lanes;
    expect(alike).toMatchObject({ status: 'FINISHED', dimensions: expect.any(Number) });
    expect(alike.similarity).toBeCloseTo(1, 5);

    expect(
      (await ask('mutation ($id: ID!) { deleteComparison(id: $id) }', { id: image.id })).data.deleteComparison,
    ).toBe(true);
    expect((await fetch(`${account.url}${drawn.media[0].url}`)).status).toBe(404);
    expect(await get(image.id)).toBeNull();
  });

  it.each([
    [{ models: ['sandbox/chat'] }, 'prompt'],
    [{ prompt: 'x', messages: [], models: ['sandbox/chat'] }, 'messages'],
    [{ prompt: 'x', models: [] }, 'models'],
    [{ prompt: 'x', models: ['a', 'a'] }, 'twice'],
    [{ prompt: 'x', models: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'] }, 'models'],
    [{ kind: 'EMBEDDINGS', texts: ['x'], models: ['a'] }, 'texts'],
    [{ prompt: 'x\0', models: ['a'] }, 'NUL'],
    [{ messages: [{ role: 'user', content: '\0' }], models: ['a'] }, 'NUL'],
    [{ prompt: 'x', models: ['a'], parameters: 7 }, 'parameters'],
    [{ prompt: 'x', models: ['a'], modelParameters: [{ model: 'b', parameters: {} }] }, 'compared'],
    [{ kind: 'IMAGE', prompt: 'x', models: ['a'], parameters: { n: 10 } }, 'images'],
  ])('refuses %j', async (input, word) => {
    const { code, message } = await begin(input);
    expect(code).toBe('bad_user_input');
    expect(message).toContain(word);
  });
});

describe('stored comparisons', () => {
  const rename = 'mutation ($id: ID!, $name: String) { renameComparison(id: $id, name: $name) { name } }';
  const vote = `mutation ($id: ID!, $winner: String) { voteComparison(id: $id, winner: $winner) { winner votedFor hasVoted lanes { votes } } }`;
  const share = 'mutation ($id: ID!) { shareComparison(id: $id) { token sharedAt } }';
  const shared = `query ($token: String!) { sharedComparison(token: $token) { prompt winner lanes { model output } } }`;
  const list = `query ($filter: ComparisonFilter, $first: Int, $after: Cursor) { comparisons(filter: $filter, first: $first, after: $after) {
    nodes { id name } pageInfo { hasNextPage endCursor } } }`;

  async function begunAndEnded(input: object = {}): Promise<string> {
    const { data } = await begin({ prompt: 'Hello', models: ['sandbox/chat', 'nobody/nothing'], ...input });
    await ended(data.startComparison.id);
    return data.startComparison.id;
  }

  it('are renamed, voted on, and votes are withdrawn', async () => {
    const id = await begunAndEnded();
    expect((await ask(rename, { id, name: '  Which is best  ' })).data.renameComparison.name).toBe('Which is best');
    expect((await ask(rename, { id, name: 'x'.repeat(201) })).code).toBe('bad_user_input');
    expect((await ask(vote, { id, winner: 'sandbox/chat' })).data.voteComparison).toEqual({
      winner: 'sandbox/chat',
      votedFor: 'sandbox/chat',
      hasVoted: true,
      lanes: [{ votes: 1 }, { votes: 0 }],
    });
    expect((await ask(vote, { id, winner: null })).data.voteComparison).toMatchObject({ winner: null, hasVoted: true });
    expect((await ask(vote, { id, winner: 'openai/gpt-4.1' })).code).toBe('not_found');
    expect((await ask(vote, { id, winner: 'nobody/nothing' })).code).toBe('bad_user_input');
    const withdraw = 'mutation ($id: ID!) { withdrawComparisonVote(id: $id) { hasVoted } }';
    expect((await ask(withdraw, { id })).data.withdrawComparisonVote).toEqual({ hasVoted: false });
  });

  it('are readable by a link without a session until it is replaced or revoked', async () => {
    const id = await begunAndEnded();
    const first = (await ask(share, { id })).data.shareComparison.token;
    const read = async (token: string) => ask(shared, { token }, {});
    expect((await read(first)).data.sharedComparison).toMatchObject({
      prompt: 'Hello',
      lanes: [{ model: 'sandbox/chat' }, {}],
    });
    const second = (await ask(share, { id })).data.shareComparison.token;
    expect((await read(first)).code).toBe('not_found');
    expect((await read(second)).code).toBeNull();
    expect((await read('nonsense')).code).toBe('not_found');
    await ask('mutation ($id: ID!) { unshareComparison(id: $id) { id } }', { id });
    expect((await read(second)).code).toBe('not_found');
  });

  it('are filtered and paginated', async () => {
    const ids = [
      await begunAndEnded({ name: '100% kites' }),
      await begunAndEnded({ prompt: 'Of 100 kites' }),
      await begunAndEnded({ name: 'boats' }),
    ];
    const find = async (filter: object, more: object = {}) => (await ask(list, { filter, ...more })).data.comparisons;
    const found = async (filter: object) => (await find(filter)).nodes.map(({ id }: { id: string }) => id);
    expect(await found({ search: '100%' })).toEqual([ids[0]]);
    expect(await found({ search: 'KITES' })).toEqual([ids[1], ids[0]]);
    expect(await found({ search: 'boats', model: 'nobody/nothing' })).toEqual([ids[2]]);
    expect(await found({ search: 'boats', model: 'openai/gpt-4.1' })).toEqual([]);
    expect(await found({ search: 'boats', isShared: true })).toEqual([]);
    expect(await found({ search: 'boats', isVoted: false, isRunning: false, kind: 'CHAT' })).toEqual([ids[2]]);
    expect(await found({ kind: 'SPEECH', search: 'boats' })).toEqual([]);
    const page = await find({ search: 'kites' }, { first: 1 });
    expect([page.nodes[0].id, page.pageInfo.hasNextPage]).toEqual([ids[1], true]);
    const next = await find({ search: 'kites' }, { first: 1, after: page.pageInfo.endCursor });
    expect([next.nodes[0].id, next.pageInfo.hasNextPage]).toEqual([ids[0], false]);
  });

  it('are invisible to another account and to a key without the scope', async () => {
    const id = await begunAndEnded();
    const stranger = await signUp();
    for (const mutation of [
      `query ($id: ID!) { comparison(id: $id) { id } }`,
      rename,
      vote,
      share,
      'mutation ($id: ID!) { unshareComparison(id: $id) { id } }',
      'mutation ($id: ID!) { cancelComparison(id: $id) { id } }',
      'mutation ($id: ID!) { deleteComparison(id: $id) }',
    ])
      expect([mutation, (await ask(mutation, { id }, stranger)).code]).toEqual([mutation, 'not_found']);
    expect((await ask('{ comparisons { nodes { id } } }', {}, stranger)).data.comparisons.nodes).toEqual([]);
    const { data } = await ask('mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }', {
      input: { name: 'inference alone', scopes: ['INFERENCE'] },
    });
    const inference = { authorization: `Bearer ${data.createApiKey.secret}` };
    expect((await ask(share, { id }, inference)).code).toBe('insufficient_scope');
    expect((await ask('{ comparisons { nodes { id } } }', {}, inference)).code).toBe('insufficient_scope');
    expect((await begin({ prompt: 'Hello', models: ['sandbox/chat'] }, inference)).code).toBeNull();
    // A session runs as the account's own key.
    expect((await begin({ prompt: 'Hello', models: ['sandbox/chat'] }, stranger)).code).toBeNull();
  });

  it('send no events to another account or to a user without an account, during or after the run', async () => {
    const stranger = await newStranger();
    const accounts = '{ viewer { accounts { accountId } } }';
    const [{ accountId }] = (await ask(accounts, {}, { cookie: account.cookie })).data.viewer.accounts;
    const callers: Readonly<Record<string, [code: string | number, caller: Subscriber]>> = {
      'a session of another account': ['not_found', { cookie: stranger.cookie }],
      'a key of another account': ['not_found', { authorization: `Bearer ${stranger.apiKey}` }],
      'a session of another account that names this one': [4401, { cookie: stranger.cookie, account: accountId }],
      'a user who was removed from their only account': [4401, { cookie: await removedMember() }],
    };
    const seenBy = async (id: string): Promise<object> => {
      const seen: Record<string, unknown> = {};
      for (const [name, [, caller]] of Object.entries(callers))
        seen[name] = await follow(id, { caller, enough: () => true }).catch(closedSocket);
      return seen;
    };
    const refused = Object.fromEntries(
      Object.entries(callers).map(([name, [code]]) => [name, { events: [], code }] as const),
    );

    provider.answerWith(pieces([chunk({ content: 'secret plan' })], 'hang'));
    const { id } = (await begin({ prompt: 'Hello', models: ['openai/gpt-4.1-mini'] })).data.startComparison;
    const own = await follow(id, { enough: ({ event }) => event.text === 'secret plan' });
    expect(own.events.at(-1)?.event.text).toBe('secret plan');
    expect((await get(id)).isRunning).toBe(true);
    expect(await seenBy(id)).toEqual(refused);
    await ask('mutation ($id: ID!) { cancelComparison(id: $id) { id } }', { id });
    await ended(id);
    expect(await seenBy(id)).toEqual(refused);
  });
});

describe('a key with only `inference`', () => {
  it('can subscribe to and cancel only the comparisons that it started', async () => {
    provider.answerWith(stream(['Secret plan']));
    const newKey = async (): Promise<Record<string, string>> => {
      const { data } = await ask('mutation { createApiKey(input: { name: "k", scopes: [INFERENCE] }) { secret } }');
      return { authorization: `Bearer ${data.createApiKey.secret}` };
    };
    const [maker, other] = [await newKey(), await newKey()];
    const { id } = (await begin({ prompt: 'Hello', models: ['openai/gpt-4o-mini'] }, maker)).data.startComparison;
    const cancel = 'mutation ($id: ID!) { cancelComparison(id: $id) { prompt lanes { output } } }';
    expect((await ask(cancel, { id }, other)).code).toBe('not_found');
    expect((await ask(cancel, { id }, maker)).code).toBeNull();
    const follows = async (headers: Record<string, string>): Promise<string> => {
      const client = createClient({
        url: `${account.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        retryAttempts: 0,
        connectionParams: headers,
      });
      const events = client.iterate({
        query: 'subscription ($id: ID!) { comparison(id: $id) { event { __typename } } }',
        variables: { id },
      });
      const first = await events.next().catch((error: unknown) => ({ value: error }));
      await client.dispose();
      return JSON.stringify(first);
    };
    expect(await follows(other)).toContain('not_found');
    expect(await follows(maker)).toContain('Completion');
  });
});

describe('compareModels', () => {
  const query = `query ($ids: [ID!]!, $usage: ComparisonWorkload) { compareModels(ids: $ids, usage: $usage) { cheapest
    models { id model { id contextWindow pricing { input output } } cost { amount } timesCheapest errorRate
      costSteps { label quantity amount { amount } } measured { requests errors latency { p50 } } } } }`;

  it('returns the cost of a workload with the account’s measurements', async () => {
    provider.answerWith(stream(['Hello']));
    const { data } = await begin({ prompt: 'Hello', models: ['openai/gpt-4.1-nano'] });
    await follow(data.startComparison.id);
    const ids = ['openai/gpt-4o', 'openai/gpt-4.1-nano'];
    const usage = { requests: 1_000, inputTokens: 1_000, outputTokens: 500 };
    await expect
      .poll(async () => (await ask(query, { ids, usage })).data.compareModels.models[1].measured.requests)
      .toBe(1);
    const { cheapest, models } = (await ask(query, { ids, usage })).data.compareModels;
    expect(cheapest).toBe('openai/gpt-4.1-nano');
    for (const { cost, model, timesCheapest, id } of models) {
      const { input, output } = model.pricing;
      expect(Number(cost.amount)).toBeCloseTo((1_000 * (1_000 * Number(input) + 500 * Number(output))) / 1_000_000, 6);
      expect(timesCheapest).toBeGreaterThanOrEqual(id === cheapest ? 1 : 1.5);
    }
    expect(models[1]).toMatchObject({ errorRate: 0, measured: { requests: 1, latency: { p50: expect.any(Number) } } });
    expect(models[0]).toMatchObject({ errorRate: null, measured: { requests: 0 } });
  });

  it('rejects an invalid workload and unknown models', async () => {
    expect((await ask(query, { ids: [] })).code).toBe('bad_user_input');
    expect((await ask(query, { ids: ['nobody/nothing'] })).code).toBe('model_not_found');
    expect((await ask(query, { ids: ['sandbox/chat'], usage: { inputTokens: -1 } })).code).toBe('bad_user_input');
    expect((await ask(query, { ids: ['sandbox/chat'], usage: { cachedTokens: 5 } })).code).toBe('bad_user_input');
  });
});

/** A new user with an account of their own. */
async function signUp(): Promise<Record<string, string>> {
  const { cookie } = await signUpAt(account.url);
  return { cookie };
}

/** What is seen of a server that closes the socket; what else fails is thrown. */
function closedSocket(event: unknown): { events: Event[]; code: unknown } {
  return { events: [], code: z.looseObject({ code: z.number() }).parse(event).code };
}

/** The session of a user who belongs to no account any more. */
async function removedMember(): Promise<string> {
  const inviter = await signUp();
  const email = newEmail();
  const invite = 'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }';
  expect((await ask(invite, { input: { email, role: 'VIEWER' } }, inviter)).data.inviteMember).toEqual({
    __typename: 'Invitation',
  });
  const invitation = await mailFolder(account.dataDir).token(email, 'Invitation to');
  const { cookie } = await signUpAt(account.url, { email, invitation });
  const list = '{ account { members { nodes { id user { email } } } } }';
  const { nodes } = (await ask(list, {}, inviter)).data.account.members;
  const { id } = nodes.find(({ user }: { user: { email: string } }) => user.email === email);
  const remove = 'mutation ($id: ID!) { removeMember(memberId: $id) }';
  expect((await ask(remove, { id }, inviter)).code).toBeNull();
  return cookie;
}
