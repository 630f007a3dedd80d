import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventIdOf } from '../../../src/gateway/event-id.ts';
import { toGlobalId } from '../../../src/graphql/relay/global-id.ts';
import { completion, refusal, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { post } from '../../harness/graphql-client.ts';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';

const PIXEL = Buffer.from('iVBORw0KGgo=', 'base64');
const [SEEING, TEXT_ONLY] = ['openai/gpt-4o-mini', 'openai/gpt-3.5-turbo'];

let provider: FakeProvider;
let server: ServerProcess;

beforeAll(async () => {
  provider = await startFakeProvider((request, response) => {
    if (request.path.endsWith('.png')) return void response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL);
    const isRefused = request.json.model === 'gpt-3.5-turbo' && request.body.includes('"image_url"');
    const answer = isRefused ? refusal(400, 'image_url is only supported by certain models.') : completion();
    return answer(request, response);
  });
  server = await startServer({
    SLUICE_STORE_CONTENT: 'full',
    SLUICE_OUTBOUND_ALLOW: new URL(imageUrl()).host,
    OPENAI_API_KEY: 'x',
    OPENAI_BASE_URL: provider.url,
  });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

/** Content logging redacts IP addresses. */
const imageUrl = (): string => `${provider.url.replace('127.0.0.1', 'localhost')}/cat.png`;

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${server.apiKey}` });

async function ask(query: string, variables: object = {}) {
  const { data, errors } = await post(server.url, { query, variables }, bearer());
  if (errors) throw new Error(errors[0]?.message);
  return data ?? {};
}

/** @returns the ID of its usage log, once its content is stored */
async function send(content: unknown): Promise<string> {
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json' },
    body: JSON.stringify({ model: SEEING, messages: [{ role: 'user', content }] }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
  const id = toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
  const log = 'query ($id: ID!) { usageLog(id: $id) { content { state } } }';
  const state = async (): Promise<unknown> => (await ask(log, { id })).usageLog?.content.state;
  await expect.poll(state, { timeout: 120_000 }).toBe('STORED');
  return id;
}

describe('a dataset with an image', () => {
  it('runs against a model that reads text only: that request fails, and no other', async () => {
    const image = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: imageUrl() } },
    ];
    const usageLogIds = [await send(image), await send('Which animal purrs?')];
    const { createDataset } = await ask('mutation { createDataset(name: "Images") { id } }');
    const input = { datasetId: createDataset.id, usageLogIds };
    const add = 'mutation ($input: AddToDatasetInput!) { addToDataset(input: $input) { added } }';
    expect((await ask(add, { input })).addToDataset.added).toBe(2);
    const create = 'mutation ($input: CreateDatasetRunInput!) { createDatasetRun(input: $input) { id } }';
    const { id } = (await ask(create, { input: { datasetId: createDataset.id, models: [SEEING, TEXT_ONLY] } }))
      .createDatasetRun;
    const read = `query ($id: ID!) { datasetRun(id: $id) { status models { model completed failed errors { code count } }
      results { nodes { position outputs { model status errorCode errorMessage usageLogId costUsd } } } } }`;
    const run = async () => (await ask(read, { id })).datasetRun;
    await expect.poll(async () => (await run()).status, { timeout: 120_000 }).toBe('COMPLETED');
    const { models, results } = await run();
    expect(models).toEqual([
      { model: SEEING, completed: 2, failed: 0, errors: [] },
      { model: TEXT_ONLY, completed: 1, failed: 1, errors: [{ code: expect.any(String), count: 1 }] },
    ]);
    const [withImage, withText] = results.nodes;
    expect(withImage.outputs[0].status).toBe('COMPLETED');
    expect(withImage.outputs[1]).toMatchObject({ status: 'FAILED', costUsd: '0' });
    expect(withImage.outputs[1].errorMessage).toContain('image_url is only supported by certain models.');
    expect(withImage.outputs[1].usageLogId).not.toBeNull();
    expect(withText.outputs.map(({ status }: { status: string }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  });
});
