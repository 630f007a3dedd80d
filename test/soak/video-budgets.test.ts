import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { answerJson, startFakeVideos, type FakeVideos } from '../harness/fake-videos.ts';
import { whenOver } from '../harness/follow-video.ts';

let provider: FakeVideos;
let server: ServerProcess;
/** How jobs stand. */
let end: 'in_progress' | 'completed' | 'failed';

beforeEach(() => {
  end = 'in_progress';
});

beforeAll(async () => {
  provider = await startFakeVideos(({ path }, response) =>
    answerJson(response, {
      id: 'job',
      object: 'video',
      model: 'sora-2',
      status: path.includes('job') ? end : 'in_progress',
      progress: 10,
      seconds: '4',
      size: '720x1280',
    }),
  );
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.origin });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

const made = z.object({ createApiKey: z.object({ secret: z.string(), apiKey: z.object({ id: z.string() }) }) });
const amount = z.object({ amount: z.string() });
const listed = z.object({
  apiKeys: z.object({
    nodes: z.array(z.object({ id: z.string(), budget: z.object({ spent: amount, reserved: amount }).nullable() })),
  }),
});

async function graphql<T extends z.ZodType>(data: T, query: string): Promise<z.output<T>> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return data.parse(z.object({ data: z.unknown() }).parse(await response.json()).data);
}

interface BoundedKey {
  readonly id: string;
  client(): OpenAI;
}

async function keyWith(usd: string): Promise<BoundedKey> {
  const query = `mutation { createApiKey(input: { name: "films", budget: { amount: "${usd}", period: MONTH } }) { secret apiKey { id } } }`;
  const { secret, apiKey } = (await graphql(made, query)).createApiKey;
  const client = () => new OpenAI({ baseURL: `${server.url}/v1`, apiKey: secret, maxRetries: 0 });
  return { id: apiKey.id, client };
}

/** What its budget says, in USD. */
async function sums({ id }: BoundedKey): Promise<{ spent?: string; reserved?: string }> {
  const query = '{ apiKeys(first: 100) { nodes { id budget { spent { amount } reserved { amount } } } } }';
  const { nodes } = (await graphql(listed, query)).apiKeys;
  const budget = nodes.find((each) => each.id === id)?.budget;
  return { spent: budget?.spent.amount, reserved: budget?.reserved.amount };
}

const video = { model: 'openai/sora-2', prompt: 'A kite' } as const;

it('a video is begun only where its budget has room for the seconds asked for, and counts in it when it is there', async () => {
  // 4 seconds of sora-2 cost 0.40 USD.
  const key = await keyWith('0.79');
  const client = key.client();
  const asked = provider.asked.length;
  await expect(client.videos.create({ ...video, seconds: '8', size: '720x1280' })).rejects.toMatchObject({
    status: 429,
    code: 'insufficient_quota',
  });
  expect(provider.asked.slice(asked).filter(({ method }) => method === 'POST')).toEqual([]);
  const { id } = await client.videos.create({ ...video, seconds: '4', size: '720x1280' });
  end = 'completed';
  expect((await whenOver(client, id)).at(-1)).toMatchObject({ status: 'completed' });
  await expect.poll(() => sums(key)).toEqual({ spent: '0.4', reserved: '0' });
  await expect(client.videos.create({ ...video, seconds: '4', size: '720x1280' })).rejects.toMatchObject({
    code: 'insufficient_quota',
  });
  // Counted once, also by the next process.
  await server.end('SIGTERM');
  server = await server.restart();
  expect(await sums(key)).toEqual({ spent: '0.4', reserved: '0' });
});

it('a video that is under way leaves no room for what it may cost, also in the next process, until it has failed', async () => {
  const key = await keyWith('0.7');
  const client = key.client();
  const { id } = await client.videos.create({ ...video, seconds: '4', size: '720x1280' });
  const another = () => client.videos.create({ ...video, seconds: '4', size: '720x1280' });
  await expect(another()).rejects.toMatchObject({ code: 'insufficient_quota' });
  await expect.poll(() => sums(key)).toEqual({ spent: '0', reserved: '0.4' });
  await server.end('SIGKILL');
  server = await server.restart();
  const again = key.client();
  await expect(again.videos.create({ ...video, seconds: '4', size: '720x1280' })).rejects.toMatchObject({
    code: 'insufficient_quota',
  });
  expect(await sums(key)).toEqual({ spent: '0', reserved: '0.4' });
  end = 'failed';
  expect((await whenOver(again, id)).at(-1)).toMatchObject({ status: 'failed' });
  await expect.poll(() => sums(key)).toEqual({ spent: '0', reserved: '0' });
  await again.videos.create({ ...video, seconds: '4', size: '720x1280' });
});

it('a video without seconds needs room for the longest that is made unasked', async () => {
  const { client } = await keyWith('0.9');
  await expect(client().videos.create(video)).rejects.toMatchObject({ code: 'insufficient_quota' });
  const other = await keyWith('1');
  await other.client().videos.create(video);
});
