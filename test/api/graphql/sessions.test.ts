import { randomUUID } from 'node:crypto';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;
let other: TestAccount;
let client: Client;

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

interface Progress extends Record<string, unknown> {
  readonly sessionProgress: { readonly sessionId: string; readonly usage: { readonly requests: number } };
}

beforeAll(async () => {
  [account, other] = await Promise.all([newAccount(), newAccount()]);
  client = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${account.apiKey}` },
  });
});
afterAll(async () => {
  await client.dispose();
  await Promise.all([account.dispose(), other.dispose()]);
});

async function ask(query: string, variables: object = {}, of = account) {
  const response = await fetch(`${of.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${of.apiKey}` },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

/** A request of a session, or one without. @returns its request ID */
async function chat(
  session: string | null,
  headers: Record<string, string> = {},
  { model = 'sandbox/chat', of = account }: { readonly model?: string; readonly of?: TestAccount } = {},
): Promise<string> {
  const response = await fetch(`${of.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${of.apiKey}`,
      'content-type': 'application/json',
      ...(session !== null && { 'x-sluice-session-id': session }),
      ...headers,
    },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

const sessionFields = `sessionId firstRequestAt lastRequestAt endedAt durationMs models apiKeys { name }
  usage { requests errors inputTokens outputTokens cost { amount } }`;

/** The session, once so many of its requests are stored. */
async function stored(id: string, requests: number, of = account): Promise<unknown> {
  const read = async (): Promise<unknown> =>
    (await ask(`query ($id: ID!) { session(id: $id) { ${sessionFields} } }`, { id }, of)).data.session;
  await expect.poll(read).toMatchObject({ usage: { requests } });
  return read();
}

describe('a session', () => {
  it('has totals of its requests, with those that were rejected', async () => {
    const id = randomUUID();
    await chat(id);
    await chat(id, {}, { model: 'sandbox/none' });
    await chat(id);
    await chat(null);
    expect(await stored(id, 3)).toMatchObject({
      sessionId: id,
      models: ['sandbox/chat'],
      apiKeys: [expect.objectContaining({ name: expect.any(String) })],
      usage: { requests: 3, errors: 1, inputTokens: expect.any(Number), cost: { amount: '0' } },
      durationMs: expect.any(Number),
    });
  });

  it('shows its requests as a tree of requests and steps', async () => {
    const id = randomUUID();
    const root = await chat(id);
    const step = await chat(id, { 'x-sluice-parent-id': 'plan' });
    const part = await chat(id, { 'x-sluice-parent-id': root });
    const later = await chat(id, { 'x-sluice-parent-id': 'plan' });
    const partOfPart = await chat(id, { 'x-sluice-parent-id': part });
    await stored(id, 5);
    const { data } = await ask(
      `query ($id: ID!) { session(id: $id) { requests { depth parentRequestId step request { requestId sessionId parentId } } } }`,
      { id },
    );
    expect(data.session.requests).toEqual([
      { depth: 0, parentRequestId: null, step: null, request: { requestId: root, sessionId: id, parentId: null } },
      { depth: 1, parentRequestId: root, step: null, request: { requestId: part, sessionId: id, parentId: root } },
      {
        depth: 2,
        parentRequestId: part,
        step: null,
        request: { requestId: partOfPart, sessionId: id, parentId: part },
      },
      { depth: 1, parentRequestId: null, step: 'plan', request: { requestId: step, sessionId: id, parentId: 'plan' } },
      { depth: 1, parentRequestId: null, step: 'plan', request: { requestId: later, sessionId: id, parentId: 'plan' } },
    ]);
  });

  it('is of one account alone, also where others use the same ID', async () => {
    const id = randomUUID();
    await chat(id);
    await stored(id, 1);
    const read = `query ($id: ID!, $text: String!) { session(id: $id) { sessionId } usageLogs(filter: { sessionId: $text }) { nodes { id } } }`;
    expect((await ask(read, { id, text: id }, other)).data).toEqual({ session: null, usageLogs: { nodes: [] } });
    await chat(id, {}, { of: other });
    await stored(id, 1, other);
    expect(await stored(id, 1)).toMatchObject({ usage: { requests: 1 } });
  });

  it('filters the usage log and its totals, as the trace does', async () => {
    const [id, traceId] = [randomUUID(), randomUUID().replaceAll('-', '')];
    const traced = await chat(id, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` });
    await chat(id);
    await stored(id, 2);
    const { data } = await ask(
      `query ($id: String!, $traceId: String!, $range: UsageRange!) {
        ofSession: usageLogs(filter: { sessionId: $id }) { nodes { sessionId } }
        ofTrace: usageLogs(filter: { traceId: $traceId }) { nodes { requestId traceId } }
        usage(range: $range, filter: { sessionId: $id }) { total { requests } }
      }`,
      { id, traceId, range: { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 3_600_000) } },
    );
    expect(data).toEqual({
      ofSession: { nodes: [{ sessionId: id }, { sessionId: id }] },
      ofTrace: { nodes: [{ requestId: traced, traceId }] },
      usage: { total: { requests: 2 } },
    });
  });

  it('is shown only to callers who may read usage', async () => {
    const response = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ sessions { nodes { sessionId } } }' }),
    });
    expect(answerSchema.parse(await response.json()).errors).toMatchObject([
      { extensions: { code: 'unauthenticated' } },
    ]);
  });
});

describe('the list of sessions', () => {
  it('has the session with the newest request first, in pages of either direction', async () => {
    const own = await newAccount();
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [...ids, ...ids.slice(0, 1)]) await chat(id, {}, { of: own });
    await chat(null, {}, { of: own });
    for (const [index, id] of ids.entries()) await stored(id, index === 0 ? 2 : 1, own);
    const [first, second, third] = [ids[0], ids[2], ids[1]];
    const page = async (args: string) => {
      const query = `{ sessions(${args}) { nodes { sessionId } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
      const { nodes, pageInfo } = (await ask(query, {}, own)).data.sessions;
      return { ids: nodes.map(({ sessionId }: { sessionId: string }) => sessionId), ...pageInfo };
    };
    const start = await page('first: 2');
    expect(start).toMatchObject({ ids: [first, second], hasNextPage: true, hasPreviousPage: false });
    const end = await page(`first: 2, after: "${start.endCursor}"`);
    expect(end).toMatchObject({ ids: [third], hasNextPage: false, hasPreviousPage: true });
    expect(await page(`last: 1, before: "${end.startCursor}"`)).toMatchObject({ ids: [second], hasPreviousPage: true });
    await own.dispose();
  });

  it('has the sessions with a request that matches, with totals of all their requests', async () => {
    const [failing, fine] = [randomUUID(), randomUUID()];
    await chat(failing);
    await chat(failing, {}, { model: 'sandbox/none' });
    await chat(fine);
    await stored(failing, 2);
    await stored(fine, 1);
    const { data } = await ask('{ sessions(filter: { status: REJECTED }) { nodes { sessionId usage { requests } } } }');
    const ids = data.sessions.nodes.map(({ sessionId }: { sessionId: string }) => sessionId);
    expect(data.sessions.nodes).toContainEqual({ sessionId: failing, usage: { requests: 2 } });
    expect(ids).not.toContain(fine);
    const named = `query ($id: String!) { sessions(filter: { sessionId: $id }) { nodes { sessionId } } }`;
    expect((await ask(named, { id: fine })).data.sessions.nodes).toEqual([{ sessionId: fine }]);
  });
});

describe('the progress of sessions', () => {
  const query = 'subscription ($id: ID) { sessionProgress(id: $id) { sessionId usage { requests } } }';

  it('reports a session, then each change of it', async () => {
    const id = randomUUID();
    await chat(id);
    await stored(id, 1);
    const events = client.iterate<Progress>({ query, variables: { id } });
    const next = async (): Promise<unknown> => (await events.next()).value?.data?.sessionProgress;
    expect(await next()).toEqual({ sessionId: id, usage: { requests: 1 } });
    await chat(randomUUID());
    await chat(id);
    expect(await next()).toEqual({ sessionId: id, usage: { requests: 2 } });
    await events.return?.();
  });

  it('reports every session of the account without an ID, and none of others', async () => {
    const events = client.iterate<Progress>({ query });
    const [id, foreign] = [randomUUID(), randomUUID()];
    const seen: string[] = [];
    const until = async (wanted: string): Promise<void> => {
      while (!seen.includes(wanted)) seen.push((await events.next()).value?.data?.sessionProgress.sessionId ?? '');
    };
    await chat(foreign, {}, { of: other });
    await stored(foreign, 1, other);
    await chat(id);
    await until(id);
    expect(seen).not.toContain(foreign);
    await events.return?.();
  });

  it('fails for a session of another account', async () => {
    const id = randomUUID();
    await chat(id, {}, { of: other });
    await stored(id, 1, other);
    const { value } = await client.iterate<Progress>({ query, variables: { id } }).next();
    expect(value?.errors).toMatchObject([{ extensions: { code: 'not_found' } }]);
  });
});
