import { Ajv2020 } from 'ajv/dist/2020.js';
import OpenAI from 'openai';
import type { Response as ModelResponse } from 'openai/resources/responses/responses.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { buildOpenApiDocument } from '../../../../src/rest/openapi/document.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';
import { slowSandbox } from '../../../harness/slow-sandbox.ts';

const model = 'sandbox/chat';
let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  account = await newAccount(slowSandbox);
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(() => account.dispose());

const long = { model, input: 'Tell me a long story, of 2000 words.', background: true } as const;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'openapi.json', ...buildOpenApiDocument() });
const isResponse = ajv.compile({ $ref: 'openapi.json#/components/schemas/Response' });

/** Errors of a response under the product's OpenAPI document, without members that the SDK adds. */
function faults({ output_text: _ofSdk, ...response }: ModelResponse): unknown[] {
  return isResponse(response) ? [] : (isResponse.errors ?? []);
}

async function whenOver(id: string): Promise<ModelResponse> {
  await expect.poll(async () => (await client.responses.retrieve(id)).status).not.toMatch(/queued|in_progress/);
  return client.responses.retrieve(id);
}

describe('a background response', () => {
  it('is queued, runs without a client, and is stored', async () => {
    const queued = await client.responses.create({ ...long, max_output_tokens: 20 });
    expect(queued).toMatchObject({ status: 'queued', background: true, output: [] });
    expect(queued).not.toHaveProperty('usage');
    expect(faults(queued)).toEqual([]);
    const done = await whenOver(queued.id);
    expect(faults(done)).toEqual([]);
    expect(done).toMatchObject({ id: queued.id, status: 'incomplete', background: true });
    expect(done.output_text.length).toBeGreaterThan(10);
    expect(done.usage?.output_tokens).toBe(20);
  });

  it('resumes its stream after a disconnect', async () => {
    const seen: number[] = [];
    let id = '';
    const stream = await client.responses.create({ ...long, max_output_tokens: 40, stream: true });
    for await (const event of stream) {
      seen.push(event.sequence_number);
      if (event.type === 'response.created') id = event.response.id;
      if (seen.length === 8) break;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    const types: string[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 7 })) {
      seen.push(event.sequence_number);
      types.push(event.type);
    }
    expect(seen).toEqual(seen.map((_, at) => at));
    expect(types.at(-1)).toBe('response.incomplete');
    // A completed response can be streamed again from the start.
    let again = 0;
    for await (const _event of await client.responses.retrieve(id, { stream: true })) again++;
    expect(again).toBe(seen.length);
  });

  it('stops its stream when the key is revoked', async () => {
    const { id } = await client.responses.create(long);
    const asked = (query: string, variables: object): Promise<Response> =>
      fetch(`${account.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
        body: JSON.stringify({ query, variables }),
      });
    const made = await asked(
      'mutation { createApiKey(input: { name: "k", scopes: [INFERENCE, READ] }) { secret apiKey { id } } }',
      {},
    );
    const { data } = z
      .object({
        data: z.object({ createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }) }),
      })
      .parse(await made.json());
    const other = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: data.createApiKey.secret, maxRetries: 0 });
    const stream = await other.responses.retrieve(id, { stream: true });
    const following = (async () => {
      for await (const _event of stream);
    })().then(
      () => 'ended',
      () => 'cut',
    );
    await asked('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: data.createApiKey.apiKey.id });
    expect(await following).toBe('cut');
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
  });

  it('is cancelled, and keeps the output generated so far', async () => {
    const queued = await client.responses.create(long);
    await expect.poll(async () => (await client.responses.retrieve(queued.id)).status).toBe('in_progress');
    const cancelled = await client.responses.cancel(queued.id);
    expect(cancelled).toMatchObject({ id: queued.id, status: 'cancelled', error: null });
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: 'cancelled' });
  });

  it('is cancelled when it is deleted', async () => {
    const queued = await client.responses.create(long);
    await client.responses.delete(queued.id);
    await expect(client.responses.retrieve(queued.id)).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    ['stream', 'stream=maybe'],
    ['stream', 'stream=true&stream=true'],
    ['starting_after', 'starting_after=x'],
  ])('is not retrieved with an invalid `%s`: %s', async (param, query) => {
    const { id } = await client.responses.create({ ...long, max_output_tokens: 16 });
    const answer = await fetch(`${account.url}/v1/responses/${id}?${query}`, {
      headers: { authorization: `Bearer ${account.apiKey}` },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param, code: 'invalid_value' } });
  });

  it('is not started for an invalid request', async () => {
    await expect(client.responses.create({ ...long, model: 'nobody/nothing' })).rejects.toMatchObject({ status: 404 });
    await expect(client.responses.create({ ...long, store: false })).rejects.toMatchObject({ param: 'background' });
  });
});
