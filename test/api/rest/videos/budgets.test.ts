import OpenAI from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startServer, type ServerProcess } from '../../../harness/server-process.ts';
import { answerJson, startFakeVideos, type FakeVideos } from '../../../harness/fake-videos.ts';
import { whenOver } from '../../../harness/follow-video.ts';

let provider: FakeVideos;
let server: ServerProcess;
/** How jobs stand. */
let end: 'in_progress' | 'completed' | 'failed';

beforeEach(async () => {
  end = 'in_progress';
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

afterEach(async () => {
  await server.dispose();
  await provider.close();
});

const made = z.object({ createApiKey: z.object({ secret: z.string() }) });
const listed = z.object({
  budgets: z.array(z.object({ spent: z.object({ amount: z.string() }), reserved: z.object({ amount: z.string() }) })),
});

async function graphql<T extends z.ZodType>(data: T, query: string): Promise<z.output<T>> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return data.parse(z.object({ data: z.unknown() }).parse(await response.json()).data);
}

async function clientWith(usd: string): Promise<OpenAI> {
  const query = `mutation { createApiKey(input: { name: "films", budget: { amount: "${usd}", period: MONTH } }) { secret } }`;
  const { secret } = (await graphql(made, query)).createApiKey;
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: secret, maxRetries: 0 });
}

const spent = async () => (await graphql(listed, '{ budgets { spent { amount } reserved { amount } } }')).budgets;
const video = { model: 'openai/sora-2', prompt: 'A kite' } as const;

it('a video is begun only where its budget has room for the seconds asked for, and counts in it when it is there', async () => {
  // 4 seconds of sora-2 cost 0.40 USD.
  const client = await clientWith('0.79');
  const asked = provider.asked.length;
  await expect(client.videos.create({ ...video, seconds: '8', size: '720x1280' })).rejects.toMatchObject({
    status: 429,
    code: 'insufficient_quota',
  });
  expect(provider.asked.slice(asked).filter(({ method }) => method === 'POST')).toEqual([]);
  const { id } = await client.videos.create({ ...video, seconds: '4', size: '720x1280' });
  end = 'completed';
  expect((await whenOver(client, id)).at(-1)).toMatchObject({ status: 'completed' });
  await expect.poll(spent).toEqual([{ spent: { amount: '0.4' }, reserved: { amount: '0' } }]);
  await expect(client.videos.create({ ...video, seconds: '4', size: '720x1280' })).rejects.toMatchObject({
    code: 'insufficient_quota',
  });
  // Counted once, also by the next process.
  await server.end('SIGTERM');
  server = await server.restart();
  expect(await spent()).toEqual([{ spent: { amount: '0.4' }, reserved: { amount: '0' } }]);
});

it('a video that is under way leaves no room for what it may cost, also in the next process, until it has failed', async () => {
  const client = await clientWith('0.7');
  const { id } = await client.videos.create({ ...video, seconds: '4', size: '720x1280' });
  const another = () => client.videos.create({ ...video, seconds: '4', size: '720x1280' });
  await expect(another()).rejects.toMatchObject({ code: 'insufficient_quota' });
  await expect.poll(spent).toEqual([{ spent: { amount: '0' }, reserved: { amount: '0.4' } }]);
  await server.end('SIGKILL');
  server = await server.restart();
  const again = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: client.apiKey, maxRetries: 0 });
  await expect(again.videos.create({ ...video, seconds: '4', size: '720x1280' })).rejects.toMatchObject({
    code: 'insufficient_quota',
  });
  expect(await spent()).toEqual([{ spent: { amount: '0' }, reserved: { amount: '0.4' } }]);
  end = 'failed';
  expect((await whenOver(again, id)).at(-1)).toMatchObject({ status: 'failed' });
  await expect.poll(spent).toEqual([{ spent: { amount: '0' }, reserved: { amount: '0' } }]);
  await again.videos.create({ ...video, seconds: '4', size: '720x1280' });
});

it('a video without seconds needs room for the longest that is made unasked', async () => {
  const client = await clientWith('0.9');
  await expect(client.videos.create(video)).rejects.toMatchObject({ code: 'insufficient_quota' });
  const other = await clientWith('1');
  await other.videos.create(video);
});
