import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';
import { bills, usageUntil, whenOver } from '../../../harness/follow-video.ts';

let account: TestAccount;
let client: OpenAI;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-videos-'));
  account = await newAccount();
  client = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await account.dispose();
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

/** The output of ffprobe for a file. */
function probe(bytes: Buffer, name: string): Record<string, string> {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  const shown = execFileSync('ffprobe', [
    '-v',
    'error',
    '-count_frames',
    '-of',
    'default=noprint_wrappers=1',
    '-show_entries',
    'stream=codec_name,width,height,nb_read_frames:format=duration',
    path,
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
  return fetch(`${account.url}/v1${path}`, {
    ...init,
    headers: { authorization: `Bearer ${account.apiKey}`, ...init.headers },
  });
}

function create(body: object): Promise<Response> {
  return ask('/videos', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/video', ...body }),
  });
}

describe('a sandbox video', () => {
  it('is created, followed, downloaded, listed and deleted with the official SDK', async () => {
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
    await content.arrayBuffer();
    expect((await client.videos.list()).data.map(({ id }) => id)).toContain(begun.id);
    expect(await client.videos.delete(begun.id)).toEqual({ id: begun.id, object: 'video.deleted', deleted: true });
    await expect(client.videos.retrieve(begun.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
    await expect(client.videos.delete(begun.id)).rejects.toMatchObject({ status: 404 });
  });

  itWithFfmpeg('has the requested length and size, and frames', async () => {
    const { id } = await client.videos.create({
      model: 'sandbox/video',
      prompt: 'A cat at the piano',
      seconds: '8',
      size: '1280x720',
    });
    await whenOver(client, id);
    const content = await client.videos.downloadContent(id);
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
      const picture = await client.videos.downloadContent(id, { variant });
      expect(picture.headers.get('content-type')).toBe('image/png');
      expect(probe(Buffer.from(await picture.arrayBuffer()), `${variant}.png`)).toMatchObject(size);
    }
  });
});

describe('the content of a video', () => {
  let id: string;
  let whole: Buffer;

  beforeAll(async () => {
    ({ id } = await client.videos.create({ model: 'sandbox/video', prompt: 'Waves', seconds: '4', size: '1280x720' }));
    await whenOver(client, id);
    whole = Buffer.from(await (await client.videos.downloadContent(id)).arrayBuffer());
  });

  it.each([
    ['bytes=0-99', 0, 100],
    ['bytes=100-', 100, undefined],
    ['bytes=-50', -50, undefined],
    ['bytes=10-99999999', 10, undefined],
  ])('is served for the range %s', async (range, from, to) => {
    const answer = await ask(`/videos/${id}/content`, { headers: { range } });
    const expected = whole.subarray(from, to);
    const first = whole.indexOf(expected);
    expect(answer.status).toBe(206);
    expect(Buffer.from(await answer.arrayBuffer()).equals(expected)).toBe(true);
    expect(answer.headers.get('content-length')).toBe(String(expected.length));
    expect(answer.headers.get('content-range')).toBe(
      `bytes ${from < 0 ? whole.length + from : first}-${from < 0 ? whole.length - 1 : first + expected.length - 1}/${whole.length}`,
    );
  });

  it.each([['bytes=99999999-'], ['bytes=-0']])('has no range %s', async (range) => {
    const answer = await ask(`/videos/${id}/content`, { headers: { range } });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    expect(await answer.text()).toBe('');
  });

  it.each([['bytes=0-1,4-5'], ['bytes=9-3'], ['items=0-1'], ['bytes=']])(
    'is served completely for %s',
    async (range) => {
      const answer = await ask(`/videos/${id}/content`, { headers: { range } });
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBe(whole.length);
    },
  );

  it('is served partially only while If-Range matches', async () => {
    const head = await ask(`/videos/${id}/content`, { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe(String(whole.length));
    expect(head.headers.get('accept-ranges')).toBe('bytes');
    expect(await head.text()).toBe('');
    const etag = head.headers.get('etag') ?? '';
    const statuses = await Promise.all(
      [etag, '"other"', `W/${etag}`].map(async (tag) => {
        const answer = await ask(`/videos/${id}/content`, { headers: { range: 'bytes=0-9', 'if-range': tag } });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    expect(statuses).toEqual([206, 200, 200]);
  });

  it('has exactly three variants', async () => {
    const answer = await ask(`/videos/${id}/content?variant=poster`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_value', param: 'variant' } });
  });
});

describe('a list of videos', () => {
  it('is paged in either order', async () => {
    const ids: string[] = [];
    for (const prompt of ['one', 'two', 'three'])
      ids.push((await client.videos.create({ model: 'sandbox/video', prompt })).id);
    const newest = await client.videos.list({ limit: 2 });
    expect(newest.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(newest.has_more).toBe(true);
    const all: string[] = [];
    for await (const { id } of client.videos.list({ limit: 2 })) all.push(id);
    expect(all.slice(0, 3)).toEqual([ids[2], ids[1], ids[0]]);
    const oldest: string[] = [];
    for await (const { id } of client.videos.list({ limit: 2, order: 'asc' })) oldest.push(id);
    expect(oldest).toEqual(all.toReversed());
  });

  it.each([
    ['limit=101', 'integer_above_max_value', 'limit'],
    ['limit=-1', 'integer_below_min_value', 'limit'],
    ['limit=many', 'invalid_value', 'limit'],
    ['order=up', 'invalid_value', 'order'],
  ])('with %s is refused', async (query, code, param) => {
    const answer = await ask(`/videos?${query}`);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code, param } });
  });

  it('refuses an unknown cursor', async () => {
    expect((await ask('/videos?after=video_1')).status).toBe(404);
    expect(await (await ask('/videos?limit=0')).json()).toMatchObject({ data: [], first_id: null, last_id: null });
  });
});

describe('a video request', () => {
  it.each([
    ['no prompt', {}, 'missing_required_parameter', 'prompt'],
    ['an empty prompt', { prompt: '' }, 'string_below_min_length', 'prompt'],
    ['too long a prompt', { prompt: 'a'.repeat(32_001) }, 'string_above_max_length', 'prompt'],
    ['a prompt that cannot be kept', { prompt: 'a\0b' }, 'invalid_value', 'prompt'],
    ['no seconds', { prompt: 'a', seconds: '0' }, 'invalid_value', 'seconds'],
    ['seconds as a number', { prompt: 'a', seconds: 4 }, 'invalid_type', 'seconds'],
    ['an odd size', { prompt: 'a', size: '101x100' }, 'unsupported_value', 'size'],
    ['no size', { prompt: 'a', size: 'large' }, 'invalid_value', 'size'],
    ['an unknown member', { prompt: 'a', fps: 24 }, 'unknown_parameter', 'fps'],
    [
      'two references',
      { prompt: 'a', input_reference: { image_url: 'x', file_id: 'y' } },
      'invalid_value',
      'input_reference',
    ],
    ['no reference', { prompt: 'a', input_reference: {} }, 'invalid_value', 'input_reference'],
  ])('with %s is refused', async (_what, members, code, param) => {
    const answer = await create(members);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code, param } });
  });

  it.each([
    ['prompt', 413],
    ['size', 413],
    ['user', 413],
    ['input_reference[file_id]', 413],
    ['input_reference[image_url]', 200],
  ])('with a form whose field %s has 15 MB returns status %i', async (name, status) => {
    const form = new FormData();
    form.set('model', 'sandbox/video');
    form.set('prompt', 'A cat');
    form.set(name, `data:image/png;base64,${'A'.repeat(15 * 1024 * 1024)}`);
    const answer = await fetch(`${account.url}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}` },
      body: form,
    });
    const body: unknown = await answer.json();
    expect(answer.status).toBe(status);
    if (status === 413) expect(body).toMatchObject({ error: { code: 'field_too_large', param: name } });
  });

  it('with a form may have the longest prompt', async () => {
    const form = new FormData();
    form.set('model', 'sandbox/video');
    form.set('prompt', '\u{1F408}'.repeat(16_000));
    const headers = { authorization: `Bearer ${account.apiKey}` };
    const answer = await fetch(`${account.url}/v1/videos`, { method: 'POST', headers, body: form });
    expect(answer.status).toBe(200);
  });

  it('without a model is refused if the default one is not served', async () => {
    const refused = client.videos.create({ prompt: 'a' });
    await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining('model parameter') });
  });

  it('to a model without videos is refused', async () => {
    const refused = client.videos.create({ model: 'sandbox/chat', prompt: 'a' });
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'capability_not_supported' });
  });

  it('is accessible only for its account', async () => {
    const { id } = await client.videos.create({ model: 'sandbox/video', prompt: 'Mine' });
    const { apiKey: other, dispose } = await newAccount();
    for (const [path, method] of [
      [`/videos/${id}`, 'GET'],
      [`/videos/${id}`, 'DELETE'],
      [`/videos/${id}/content`, 'GET'],
      [`/videos?after=${id}`, 'GET'],
    ] as const) {
      const answer = await ask(path, { method, headers: { authorization: `Bearer ${other}` } });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const remix = { method: 'POST', body: '{"prompt":"a"}' };
    const headers = { authorization: `Bearer ${other}`, 'content-type': 'application/json' };
    expect((await ask(`/videos/${id}/remix`, { ...remix, headers })).status).toBe(404);
    const list = await ask('/videos', { headers: { authorization: `Bearer ${other}` } });
    expect(await list.json()).toMatchObject({ data: [] });
    await dispose();
  });

  it('cannot be deleted while it is in progress, and has no content yet', async () => {
    const { id } = await client.videos.create({ model: 'sandbox/video', prompt: 'Slow' });
    await expect(client.videos.downloadContent(id)).rejects.toMatchObject({ status: 400, code: 'video_not_ready' });
    await expect(client.videos.delete(id)).rejects.toMatchObject({ status: 400, code: 'video_not_ready' });
    await expect(client.videos.remix(id, { prompt: 'b' })).rejects.toMatchObject({ code: 'video_not_ready' });
  });

  it('is remixed with its size and length, and not billed by the sandbox', async () => {
    const { id } = await client.videos.create({ model: 'sandbox/video', prompt: 'A', seconds: '8', size: '1280x720' });
    await whenOver(client, id);
    const remix = await client.videos.remix(id, { prompt: 'B' });
    expect(remix).toMatchObject({ prompt: 'B', seconds: '8', size: '1280x720', remixed_from_video_id: id });
    const { response } = await client.videos.retrieve(id).withResponse();
    expect(response.headers.get('x-sluice-cost')).toBe('0');
    const rows = await usageUntil(account, (all) => bills(all).length > 0);
    expect(new Set(rows.map(({ cost }) => cost.amount))).toEqual(new Set(['0']));
  });

  it('is limited to 50 concurrent ones per account', async () => {
    const other = await newAccount();
    const headers = { authorization: `Bearer ${other.apiKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'sandbox/video', prompt: 'One of many' });
    const begin = (key: string): Promise<Response> =>
      ask('/videos', { method: 'POST', headers: { ...headers, 'idempotency-key': key }, body });
    const begun = await Promise.all(Array.from({ length: 50 }, (_, at) => begin(`video-${at}`)));
    expect(begun.map(({ status }) => status)).toEqual(begun.map(() => 200));
    const refused = await begin('refused');
    expect(refused.status).toBe(429);
    // A created video is replayed; a rejected one is not stored.
    expect((await begin('video-49')).headers.get('idempotency-replayed')).toBe('true');
    expect((await begin('refused')).headers.get('idempotency-replayed')).toBeNull();
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    await other.dispose();
  });
});
