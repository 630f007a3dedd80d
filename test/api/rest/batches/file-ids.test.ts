import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../../harness/configured-server.ts';
import { startFakeOpenAiBatches, type FakeOpenAiBatches } from '../../../harness/fake-openai-batches.ts';
import type { ServerProcess } from '../../../harness/server-process.ts';

let provider: FakeOpenAiBatches;
let server: ServerProcess;
let client: OpenAI;
/** Of a file of the account. */
let fileId: string;

beforeAll(async () => {
  provider = await startFakeOpenAiBatches();
  const yaml = `
routing: { batches: provider }
routes: { direct: { targets: [openai/gpt-4.1-mini], batches: sluice } }
`;
  const environment = Object.fromEntries(
    ['OPENAI', 'ANTHROPIC', 'COHERE'].flatMap((name) => [
      [`${name}_API_KEY`, 'x'],
      [`${name}_BASE_URL`, provider.url],
    ]),
  );
  server = await startConfigured(yaml, {}, environment);
  client = new OpenAI({ apiKey: server.apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 });
  const file = await toFile(Buffer.from('A text.'), 'text.txt');
  fileId = (await client.files.create({ file, purpose: 'user_data' })).id;
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

async function create(url: string, body: object): Promise<OpenAI.Batch> {
  const line = JSON.stringify({ custom_id: 'one', method: 'POST', url, body });
  const file = await client.files.create({ file: await toFile(Buffer.from(line), 'in.jsonl'), purpose: 'batch' });
  const endpoint = url as OpenAI.BatchCreateParams['endpoint'];
  return client.batches.create({ input_file_id: file.id, endpoint, completion_window: '24h' });
}

/** The only response of a batch that has ended, whatever its status. */
async function responseOf({ id }: OpenAI.Batch): Promise<{ status_code: number; body: { error?: object } }> {
  await expect.poll(async () => (await client.batches.retrieve(id)).status).toBe('completed');
  const { output_file_id: output, error_file_id: errors } = await client.batches.retrieve(id);
  return JSON.parse(await (await client.files.content(output ?? errors ?? '')).text()).response;
}

/** A request that is sent alone. */
async function send(url: string, body: object): Promise<{ readonly status: number; readonly error: unknown }> {
  const response = await fetch(server.url + url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.apiKey}`,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify(body),
  });
  const { error } = (await response.json()) as { readonly error?: unknown };
  return { status: response.status, error };
}

const chat = (model: string): object => ({
  model,
  messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: fileId } }] }],
});

describe('the id of a file in a request of a batch', () => {
  it.each([
    ['/v1/chat/completions', (model: string) => chat(model)],
    [
      '/v1/responses',
      (model: string) => ({
        model,
        input: [{ role: 'user', content: [{ type: 'input_file', file_id: fileId }] }],
      }),
    ],
  ])("has the 404 of a request to %s that is sent alone, through the operator's connection", async (url, bodyOf) => {
    const requests = provider.requests.length;
    for (const model of ['direct', 'openai/gpt-4.1-mini']) {
      const { status, error } = await send(url, bodyOf(model));
      expect([status, error]).toMatchObject([404, { code: 'not_found' }]);
      const { status_code: batched, body } = await responseOf(await create(url, bodyOf(model)));
      expect([batched, body.error]).toEqual([status, error]);
    }
    expect(provider.requests).toHaveLength(requests);
  });

  it("has the 404 of a message that is sent alone, through the operator's connection to Anthropic", async () => {
    const content = [{ type: 'document' as const, source: { type: 'file' as const, file_id: fileId } }];
    const params = { model: 'anthropic/claude-haiku-4-5', max_tokens: 20, messages: [{ role: 'user', content }] };
    const requests = provider.requests.length;
    const { status, error } = await send('/v1/messages', params);
    expect([status, error]).toMatchObject([404, { type: 'not_found_error' }]);
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: server.apiKey, maxRetries: 0 });
    const { batches } = anthropic.messages;
    const given = JSON.parse(JSON.stringify({ requests: [{ custom_id: 'one', params }] }));
    const { id } = await batches.create(given);
    await expect.poll(async () => (await batches.retrieve(id)).processing_status).toBe('ended');
    const results: unknown[] = [];
    for await (const { result } of await batches.results(id)) results.push(result);
    expect(results).toMatchObject([{ type: 'errored', error: { type: 'error', error } }]);
    expect(provider.requests).toHaveLength(requests);
  });
});
