import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { get } from 'node:http';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { answerJson, startFakeVideos, type AskedOfProvider, type FakeVideos } from '../harness/fake-videos.ts';
import { bills, usageUntil, whenOver } from '../harness/follow-video.ts';

const MEGABYTE = 1024 * 1024;
const CONTENT_BYTES = 100 * MEGABYTE;

let provider: FakeVideos;
let server: ServerProcess;
/** Jobs by id, and how they stand. */
const jobs = new Map<string, string>();
/** Called with each job that the provider is asked about while it is completed. */
let onCompletedTold: (id: string) => void = () => undefined;

beforeAll(async () => {
  provider = await startFakeVideos(answer);
  server = await startServer({ OPENAI_API_KEY: 'x', OPENAI_BASE_URL: provider.origin });
});

afterAll(async () => {
  await server.dispose();
  await provider.close();
});

function answer({ method, path }: AskedOfProvider, response: ServerResponse): void {
  if (method === 'POST') jobs.set(`job-${jobs.size}`, 'in_progress');
  const id = method === 'POST' ? `job-${jobs.size - 1}` : (/job-\d+/.exec(path)?.[0] ?? '');
  if (path.includes('/content')) {
    sendContent(response);
    return;
  }
  if (jobs.get(id) === 'completed') onCompletedTold(id);
  answerJson(response, {
    id,
    object: 'video',
    model: 'sora-2',
    status: jobs.get(id),
    progress: 10,
    seconds: '4',
    size: '720x1280',
  });
}

/** As fast as it is taken. */
function sendContent(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': CONTENT_BYTES });
  let left = CONTENT_BYTES;
  const more = (): void => {
    while (left > 0) {
      left -= MEGABYTE;
      if (!response.write(Buffer.alloc(MEGABYTE, left % 251))) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}

function client(): OpenAI {
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
}

describe('videos of a server that is killed', () => {
  it('are followed to their end by the next one, each billed once, round after round', async () => {
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (let more = 0; more < 3; more++)
        ids.push((await client().videos.create({ model: 'openai/sora-2', prompt: `${round} ${more}` })).id);
      // It dies when it learns that those of this round but one are done: between that and their bills.
      const target = server;
      const ended = Promise.withResolvers<void>();
      let told = 0;
      onCompletedTold = () => {
        if (++told === round + 1) target.end('SIGKILL').then(() => ended.resolve(), ended.reject);
      };
      for (const id of [...jobs.keys()].slice(0, -1)) jobs.set(id, 'completed');
      await ended.promise;
      server = await server.restart();
    }
    onCompletedTold = () => undefined;
    for (const id of jobs.keys()) jobs.set(id, 'completed');
    for (const id of ids) expect((await whenOver(client(), id)).at(-1)).toMatchObject({ status: 'completed' });
    const rows = bills(await usageUntil(server, (all) => bills(all).length >= ids.length));
    // Whatever comes late has come: everything before it is stored by then.
    await client().videos.create({ model: 'sandbox/video', prompt: 'last' });
    const last = await usageUntil(server, (all) => all.some(({ model }) => model === 'sandbox/video'));
    expect(bills(last).filter(({ model }) => model === 'openai/sora-2')).toHaveLength(ids.length);
    expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(ids.length);
    // 4 seconds at 0.10 USD.
    expect(new Set(rows.map(({ cost }) => cost.amount))).toEqual(new Set(['0.4']));
  });
});

describe('a video of 100 MB', () => {
  it('passes through a server that grows by 20 MB at most, as slowly as its caller reads', async () => {
    const { id } = await client().videos.create({ model: 'openai/sora-2', prompt: 'Long' });
    for (const job of jobs.keys()) jobs.set(job, 'completed');
    await whenOver(client(), id);
    // What a first download of any size costs is not the content's.
    for (let warm = 0; warm < 2; warm++) await download(id, 8 * MEGABYTE);
    const before = await residentBytes();
    let most = 0;
    let at = 0;
    const bytes = await download(id, CONTENT_BYTES, async (read) => {
      if (read < at) return;
      at += 5 * MEGABYTE;
      most = Math.max(most, await residentBytes());
    });
    expect(bytes).toBe(CONTENT_BYTES);
    expect((most - before) / MEGABYTE).toBeLessThan(20);
  });
});

/** Reads up to `limit` bytes, waiting for `seen` after each part. */
async function download(id: string, limit: number, seen?: (read: number) => Promise<void>): Promise<number> {
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const request = get(`${server.url}/v1/videos/${id}/content`, { headers });
  const [response] = await once(request, 'response');
  let read = 0;
  for await (const chunk of response) {
    read += chunk.length;
    await seen?.(read);
    if (read >= limit) break;
  }
  request.destroy();
  return read;
}

async function residentBytes(): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/process_resident_memory_bytes (\d+)/.exec(text)?.[1]);
}
