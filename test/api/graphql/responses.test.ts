import { createClient } from 'graphql-ws';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { chunk, completion, stream, type FakeProvider, type Script } from '../../harness/fake-provider.ts';
import { operator } from '../../harness/operator.ts';
import type { TestAccount } from '../../harness/shared-server.ts';

const model = 'openai/gpt-4.1-mini';
let account: TestAccount;
let provider: FakeProvider;
let client: OpenAI;

beforeAll(async () => {
  const operated = await operator();
  ({ provider } = operated);
  account = await operated.newAccount();
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ extensions: z.object({ code: z.string() }) })).optional(),
});

async function ask(query: string, variables: object = {}, authorization = `Bearer ${account.apiKey}`) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return { data: data ?? {}, code: errors?.[0]?.extensions.code ?? null };
}

const told = z.object({ sequenceNumber: z.number(), type: z.string(), delta: z.string().nullable(), body: z.any() });

/** Events from behind a number on, at most so many. */
async function follow(id: string, after: number | null, most = Infinity, authorization = `Bearer ${account.apiKey}`) {
  const socket = createClient({
    url: `${account.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
    retryAttempts: 0,
  });
  const query = `subscription ($id: ID!, $after: Int) { responseEvents(id: $id, after: $after) { sequenceNumber type delta body } }`;
  const seen: z.infer<typeof told>[] = [];
  let code: unknown = null;
  for await (const answer of socket.iterate({ query, variables: { id, after } })) {
    code = answer.errors?.[0]?.extensions?.code ?? null;
    if (answer.data?.responseEvents) seen.push(told.parse(answer.data.responseEvents));
    if (seen.length >= most) break;
  }
  await socket.dispose();
  return { seen, code };
}

const story = { model, input: 'Tell me a story', background: true } as const;
const words = ['Once', ' upon', ' a', ' time'];

/** Tells these words, and the rest of a story once it is told to; it is cut off by its length. */
function twoParts(begun: readonly string[]): { script: Script; goOn: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const text of begun) response.write(chunk({ content: text }));
    await promise;
    response.end(`${chunk({ content: ' there was' })}${chunk({}, 'length')}data: [DONE]\n\n`);
  };
  return { script, goOn: resolve };
}

describe('a background response in GraphQL', () => {
  it('is streamed live and resumed in order', async () => {
    const { script, goOn } = twoParts(words);
    provider.answerWith(script);
    const { id } = await client.responses.create({ ...story, max_output_tokens: 30 });
    const first = await follow(id, null, 5);
    expect(first.seen.map(({ sequenceNumber }) => sequenceNumber)).toEqual([0, 1, 2, 3, 4]);
    goOn();
    const rest = await follow(id, 4);
    const all = [...first.seen, ...rest.seen];
    expect(all.map(({ sequenceNumber }) => sequenceNumber)).toEqual(all.map((_, at) => at));
    expect(all.at(-1)?.type).toBe('response.incomplete');
    const { data } = await ask(
      'query ($id: ID!) { response(id: $id) { id responseId status background outputText body error { code } cost { amount } previousResponseId createdAt completedAt expiresAt } }',
      { id },
    );
    const said = all.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : [])).join('');
    expect(data.response).toMatchObject({
      responseId: id,
      status: 'INCOMPLETE',
      background: true,
      outputText: said,
      error: null,
      previousResponseId: null,
    });
    expect(data.response.body).toEqual(all.at(-1)?.body.response);
    expect(new Date(data.response.expiresAt).getTime() - new Date(data.response.createdAt).getTime()).toBe(
      30 * 86_400_000,
    );
    // By its global id too.
    expect((await follow(data.response.id, all.length - 2)).seen).toHaveLength(1);
  });

  it('of another kind has no events, and says so', async () => {
    provider.answerWith(completion());
    const { id } = await client.responses.create({ model, input: 'Tell me a story' });
    expect(await follow(id, null)).toEqual({ seen: [], code: 'response_without_events' });
  });

  it('is cancelled and deleted', async () => {
    provider.answerWith(twoParts(words).script);
    const { id } = await client.responses.create(story);
    const cancelling = await ask('mutation ($id: ID!) { cancelResponse(id: $id) { status completedAt } }', { id });
    expect(cancelling.data.cancelResponse).toMatchObject({ status: 'CANCELLED', completedAt: expect.any(String) });
    expect((await follow(id, null)).seen.at(-1)?.type).toBe('response.incomplete');
    expect((await ask('mutation ($id: ID!) { deleteResponse(id: $id) }', { id })).data.deleteResponse).toBe(true);
    expect((await ask('query ($id: ID!) { response(id: $id) { id } }', { id })).code).toBe('not_found');
    expect((await follow(id, null)).code).toBe('not_found');
  });

  it('is visible to keys with `read` and cancelled by keys with `manage`', async () => {
    provider.answerWith(stream(words));
    const { id } = await client.responses.create({ ...story, max_output_tokens: 16 });
    const make = async (scope: string) => {
      const query = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { secret } }';
      const { data } = await ask(query, { input: { name: 'k', scopes: [scope] } });
      return `Bearer ${data.createApiKey.secret}`;
    };
    const [reader, runner] = [await make('READ'), await make('INFERENCE')];
    const see = 'query ($id: ID!) { response(id: $id) { responseId } }';
    expect((await ask(see, { id }, reader)).data.response).toEqual({ responseId: id });
    expect((await ask(see, { id }, runner)).code).toBe('insufficient_scope');
    expect((await ask('mutation ($id: ID!) { deleteResponse(id: $id) }', { id }, reader)).code).toBe(
      'insufficient_scope',
    );
    expect((await follow(id, null, 1, runner)).code).toBe('insufficient_scope');
  });
});
