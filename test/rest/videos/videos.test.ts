import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../../harness/server-process.ts';
import { usageOf, whenOver } from './follow.ts';

let server: ServerProcess;
let client: OpenAI;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-videos-'));
  server = await startServer();
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const members = [
  'id',
  'object',
  'model',
  'status',
  'progress',
  'created_at',
  'completed_at',
  'expires_at',
  'prompt',
  'size',
  'seconds',
  'remixed_from_video_id',
  'error',
];

/** What ffprobe reads of a file. */
function probe(bytes: Buffer, name: string): Record<string, string> {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const shown = execFileSync('ffprobe', [
    ...['-v', 'error', '-count_frames', '-of', 'default=noprint_wrappers=1'],
    ...['-show_entries', 'stream=codec_name,width,height,nb_read_frames:format=duration', path],
  ]);
  return Object.fromEntries(
    shown
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  );
}

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${server.apiKey}`, ...init.headers },
  });
}

function create(body: object): Promise<Response> {
  return ask('/videos', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/video', ...body }),
  });
}

describe('a video of the sandbox', () => {
  it('is made, told of as it comes, played, listed and deleted through the official SDK', async () => {
    const { data: begun, response } = await client.videos
      .create({ model: 'sandbox/video', prompt: 'A cat at the piano', seconds: '8', size: '1280x720' })
      .withResponse();
    expect(Object.keys(begun).toSorted()).toEqual(members.toSorted());
    expect(begun).toMatchObject({
      object: 'video',
      status: 'queued',
      progress: 0,
      seconds: '8',
      size: '1280x720',
      prompt: 'A cat at the piano',
      completed_at: null,
      error: null,
    });
    expect(begun.id).toMatch(/^video_[0-9a-f]{32}$/);
    expect(response.headers.get('x-sluice-provider')).toBe('sandbox');
    expect(response.headers.get('x-sluice-cost')).toBeNull();

    const seen = await whenOver(client, begun.id);
    expect(seen.map(({ progress }) => progress)).toEqual(
      seen.map(({ progress }) => progress).toSorted((a, b) => a - b),
    );
    expect(new Set(seen.map(({ status }) => status))).toContain('in_progress');
    const done = seen.at(-1);
    expect(done).toMatchObject({ id: begun.id, status: 'completed', progress: 100, error: null });
    expect(done?.completed_at).toBeGreaterThanOrEqual(begun.created_at);

    const content = await client.videos.downloadContent(begun.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(probe(Buffer.from(await content.arrayBuffer()), 'whole.mp4')).toEqual({
      codec_name: 'h264',
      width: '1280',
      height: '720',
      nb_read_frames: '192',
      duration: '8.000000',
    });
    for (const [variant, size] of [
      ['thumbnail', { width: '1280', height: '720' }],
      ['spritesheet', { width: '1280', height: '360' }],
    ] as const) {
      const picture = await client.videos.downloadContent(begun.id, { variant });
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(probe(Buffer.from(await picture.arrayBuffer()), `${variant}.png`)).toMatchObject(size);
    }

    expect((await client.videos.list()).data.map(({ id }) => id)).toContain(begun.id);
    expect(await client.videos.delete(begun.id)).toEqual({ id: begun.id, object: 'video.deleted', deleted: true });
    await expect(client.videos.retrieve(begun.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(client.videos.delete(begun.id)).rejects.toMatchObject({ status: 404 });
  });
});
