import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../../../harness/server-process.ts';
import {
  answerBytes,
  answerJson,
  startFakeVideos,
  type FakeVideos,
  type VideoScript,
} from '../../../harness/fake-videos.ts';
import { bills, usageUntil, whenOver } from '../../../harness/follow-video.ts';

const film = Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 251));

/** One server with a path per provider; files are at a second server, which is allowed, and at a third, which is not. */
let provider: FakeVideos;
let files: FakeVideos;
let forbidden: FakeVideos;
let server: ServerProcess;
let client: OpenAI;
const folder = mkdtempSync(join(tmpdir(), 'sluice-videos-'));

/** Tests mostly wait for videos: providers are tested concurrently, the tests of each in order. */
const besideOthers = { concurrent: true };
const inOrder = { concurrent: false };

/** Responses of each provider, by the first segment of the path. */
const scripts = new Map<string, VideoScript>();

const answerOfProvider: VideoScript = (request, response) => {
  const script = scripts.get(request.path.split('/')[1] ?? '');
  if (script === undefined) answerJson(response, { detail: 'not found' }, 404);
  else script(request, response);
};

const serveFilm: VideoScript = (request, response) => {
  if (request.path === '/moved') {
    response.writeHead(302, { location: `${forbidden.origin}/metadata` });
    response.end();
  } else answerBytes(request, response, film);
};

beforeAll(async () => {
  [provider, files, forbidden] = await Promise.all([
    startFakeVideos(answerOfProvider),
    startFakeVideos(serveFilm),
    startFakeVideos(serveFilm),
  ]);
  const ids = ['OPENAI', 'GEMINI', 'FAL', 'LUMA', 'REPLICATE'];
  const env = ids.flatMap((id) => [
    [`${id}_BASE_URL`, `${provider.origin}/${id.toLowerCase()}`],
    [`${id}_API_KEY`, `key-of-${id.toLowerCase()}`],
  ]);
  // The usage log is polled: a slow machine would exhaust the default points, and wait a minute.
  const config = join(folder, 'sluice.yaml');
  writeFileSync(config, 'graphql: { limits: { cost_per_minute: 1000000000 } }\n');
  const allowed = { SLUICE_OUTBOUND_ALLOW: files.host, SLUICE_CONFIG: config };
  server = await startServer({ ...Object.fromEntries(env), ...allowed });
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: server.apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await server.dispose();
  await Promise.all([provider.close(), files.close(), forbidden.close()]);
  rmSync(folder, { recursive: true });
});

function asked(method: string, path: string | RegExp): FakeVideos['asked'][number] {
  const found = provider.asked.findLast(
    (each) => each.method === method && (typeof path === 'string' ? each.path === path : path.test(each.path)),
  );
  if (found === undefined) throw new Error(`nobody asked ${method} ${String(path)}`);
  return found;
}

function sent(method: string, path: string | RegExp): unknown {
  return JSON.parse(asked(method, path).body.toString());
}

async function downloaded(id: string): Promise<Buffer> {
  return Buffer.from(await (await client.videos.downloadContent(id)).arrayBuffer());
}

async function billOf(id: string): Promise<{ cost: string; seconds: string; estimated: boolean }> {
  const { response } = await client.videos.retrieve(id).withResponse();
  const told = response.headers.get('x-sluice-cost');
  const model = response.headers.get('x-sluice-model');
  const rows = await usageUntil(server, (all) => bills(all).some((row) => row.model === model));
  const found = bills(rows).filter((row) => row.model === model);
  expect(found).toHaveLength(1);
  const [row] = found;
  expect(row?.cost.amount).toBe(told);
  expect(row?.explanation.reduce((sum, step) => sum + Number(step.amount.amount), 0)).toBeCloseTo(Number(told), 9);
  return { cost: told ?? '', seconds: row?.units[0]?.quantity ?? '', estimated: row?.estimated ?? false };
}

/** Returns the responses in order, then repeats the last one. */
function inTurn(...answers: readonly unknown[]): () => unknown {
  let at = 0;
  return () => answers[Math.min(at++, answers.length - 1)];
}

describe('OpenAI', besideOthers, () => {
  const answerWith = (script: VideoScript) => scripts.set('openai', script);

  const made = {
    id: 'video_upstream',
    object: 'video',
    model: 'sora-2',
    status: 'queued',
    progress: 0,
    created_at: 1_790_000_000,
    seconds: '8',
    size: '1280x720',
  };

  it('creates, remixes, serves and deletes videos, billed per second', inOrder, async () => {
    const status = inTurn(
      { ...made, status: 'in_progress', progress: 33 },
      { ...made, status: 'completed', progress: 100, expires_at: 4_000_000_000 },
    );
    answerWith((request, response) => {
      if (request.method === 'DELETE') answerJson(response, { id: made.id, object: 'video.deleted', deleted: true });
      else if (request.path.endsWith('/content?variant=video')) answerBytes(request, response, film);
      else if (request.path.endsWith('/remix')) answerJson(response, { ...made, id: 'video_remix' });
      else answerJson(response, request.method === 'POST' ? made : status());
    });
    const begun = await client.videos.create({
      model: 'openai/sora-2',
      prompt: 'A calico cat',
      seconds: '8',
      size: '1280x720',
    });
    expect(sent('POST', '/openai/videos')).toEqual({
      model: 'sora-2',
      prompt: 'A calico cat',
      seconds: '8',
      size: '1280x720',
    });
    expect(asked('POST', '/openai/videos').headers.authorization).toBe('Bearer key-of-openai');
    expect(begun).toMatchObject({ model: 'openai/sora-2', seconds: '8', size: '1280x720' });
    const seen = await whenOver(client, begun.id);
    expect(seen.map(({ progress }) => progress)).toContain(33);
    expect(seen.at(-1)).toMatchObject({ status: 'completed', expires_at: 4_000_000_000 });
    // 8 seconds at 0.10 USD.
    expect(await billOf(begun.id)).toEqual({ cost: '0.8', seconds: '8', estimated: false });
    expect(await downloaded(begun.id)).toEqual(film);
    expect(asked('GET', '/openai/videos/video_upstream/content?variant=video').headers.authorization).toBe(
      'Bearer key-of-openai',
    );
    const remixed = await client.videos.remix(begun.id, { prompt: 'It takes a bow' });
    expect(sent('POST', '/openai/videos/video_upstream/remix')).toEqual({ prompt: 'It takes a bow' });
    expect(remixed).toMatchObject({ remixed_from_video_id: begun.id, prompt: 'It takes a bow', status: 'queued' });
    const remixes = (): number => provider.asked.filter(({ path }) => path.endsWith('/remix')).length;
    const [before, again] = [remixes(), { headers: { 'idempotency-key': 'remixed-once' } }];
    const once = await client.videos.remix(begun.id, { prompt: 'It bows once' }, again);
    const twice = await client.videos.remix(begun.id, { prompt: 'It bows once' }, again).withResponse();
    expect([twice.data.id, twice.response.headers.get('idempotency-replayed')]).toEqual([once.id, 'true']);
    expect(remixes() - before).toBe(1);
    await client.videos.delete(begun.id);
    expect(asked('DELETE', '/openai/videos/video_upstream').path).toBeTruthy();
  });

  it('receives a file as in the form', inOrder, async () => {
    answerWith((request, response) => answerJson(response, request.method === 'POST' ? made : made));
    await client.videos.create({
      model: 'openai/sora-2-pro',
      prompt: 'From here on',
      input_reference: await toFile(film.subarray(0, 300), 'first.png', { type: 'image/png' }),
    });
    const { headers, body } = asked('POST', '/openai/videos');
    expect(headers['content-type']).toMatch(/^multipart\/form-data/);
    expect(body.includes(film.subarray(0, 300))).toBe(true);
    expect(body.toString('latin1')).toMatch(/name="model"\r\n\r\nsora-2-pro\r\n/);
    expect(body.toString('latin1')).toMatch(/name="input_reference"; filename="first.png"\r\ncontent-type: image\/png/);
    expect(body.toString('latin1')).not.toMatch(/name="(seconds|size)"/);
  });

  it('reports why it failed, and nothing is billed', inOrder, async () => {
    const error = { code: 'moderation_blocked', message: 'Your request was blocked.' };
    answerWith((request, response) =>
      answerJson(response, request.method === 'POST' ? made : { ...made, status: 'failed', error }),
    );
    const billed = async () =>
      bills(await usageUntil(server, () => true)).filter(({ model }) => model === 'openai/sora-2').length;
    const before = await billed();
    const begun = await client.videos.create({ model: 'openai/sora-2', prompt: 'Something bad' });
    const failed = (await whenOver(client, begun.id)).at(-1);
    expect(failed).toMatchObject({ status: 'failed', error });
    const { response } = await client.videos.retrieve(begun.id).withResponse();
    expect(response.headers.get('x-sluice-cost')).toBeNull();
    await expect(client.videos.downloadContent(begun.id)).rejects.toMatchObject({
      status: 400,
      code: 'video_not_ready',
    });
    expect(await billed()).toBe(before);
  });

  it('is called with its default model if none is specified', inOrder, async () => {
    answerWith((_request, response) => answerJson(response, made));
    const begun = await client.videos.create({ prompt: 'A cat' });
    expect(begun.model).toBe('openai/sora-2');
    expect(sent('POST', '/openai/videos')).toEqual({ model: 'sora-2', prompt: 'A cat' });
  });

  it('refuses unsupported requests before it is called', inOrder, async () => {
    answerWith((_request, response) =>
      answerJson(
        response,
        { error: { message: 'Bad size', type: 'invalid_request_error', param: 'size', code: 'x' } },
        400,
      ),
    );
    const refused = client.videos.create({ model: 'openai/sora-2', prompt: 'A cat' });
    await expect(refused).rejects.toMatchObject({ status: 400, param: 'size', code: 'x' });
  });
});

describe('Google’s Veo', besideOthers, () => {
  const answerWith = (script: VideoScript) => scripts.set('gemini', script);

  const operation = 'models/veo-3.1-generate-preview/operations/abc123';

  it('is called by a long-running operation, and its file is fetched through the base URL', inOrder, async () => {
    const status = inTurn(
      { name: operation },
      {
        name: operation,
        done: true,
        response: {
          generateVideoResponse: {
            generatedSamples: [
              { video: { uri: 'https://generativelanguage.googleapis.com/v1beta/files/q1w2:download?alt=media' } },
            ],
          },
        },
      },
    );
    answerWith((request, response) => {
      if (request.method === 'POST') answerJson(response, { name: operation });
      else if (request.path === '/gemini/files/q1w2:download?alt=media') {
        response.writeHead(302, { location: `${files.origin}/signed?secret=1` });
        response.end();
      } else answerJson(response, status());
    });
    const begun = await client.videos.create({
      model: 'gemini/veo-3.1-generate-preview',
      prompt: 'A lion',
      seconds: '8',
      size: '720x1280',
      input_reference: await toFile(Buffer.from('pixels'), 'first.png', { type: 'image/png' }),
    });
    expect(sent('POST', /:predictLongRunning$/)).toEqual({
      instances: [
        {
          prompt: 'A lion',
          image: { bytesBase64Encoded: Buffer.from('pixels').toString('base64'), mimeType: 'image/png' },
        },
      ],
      parameters: { aspectRatio: '9:16', resolution: '720p', durationSeconds: 8 },
    });
    const done = (await whenOver(client, begun.id)).at(-1);
    expect(done).toMatchObject({ status: 'completed', seconds: '8', size: '720x1280' });
    expect(asked('GET', `/gemini/${operation}`).headers['x-goog-api-key']).toBe('key-of-gemini');
    // 8 seconds at 0.40 USD. The price is specified for 1280x720, and applies to the portrait size too.
    expect(await billOf(begun.id)).toEqual({ cost: '3.2', seconds: '8', estimated: false });
    expect(await downloaded(begun.id)).toEqual(film);
    // Only the provider receives the credentials.
    const signed = files.asked.filter(({ path }) => path === '/signed?secret=1');
    expect(signed).toHaveLength(1);
    expect(signed[0]?.headers['x-goog-api-key']).toBeUndefined();
  });

  it('reports what its filters found', inOrder, async () => {
    answerWith((request, response) =>
      answerJson(
        response,
        request.method === 'POST'
          ? { name: operation }
          : { done: true, response: { generateVideoResponse: { raiMediaFilteredReasons: ['A celebrity.'] } } },
      ),
    );
    const begun = await client.videos.create({ model: 'gemini/veo-2.0-generate-001', prompt: 'Somebody' });
    expect((await whenOver(client, begun.id)).at(-1)).toMatchObject({
      status: 'failed',
      error: { code: 'content_filtered', message: 'A celebrity.' },
    });
  });

  it(
    'is not sent a picture by its address, nor a size that it does not have, and the caller is told',
    inOrder,
    async () => {
      answerWith((_request, response) => answerJson(response, { name: operation }));
      const { response } = await client.videos
        .create({
          model: 'gemini/veo-2.0-generate-001',
          prompt: 'A cat',
          size: '1024x1792',
          input_reference: { image_url: 'https://example.com/cat.png' },
        })
        .withResponse();
      expect(response.headers.get('x-sluice-dropped-params')).toBe('size, input_reference');
      expect(sent('POST', /:predictLongRunning$/)).toEqual({ instances: [{ prompt: 'A cat' }], parameters: {} });
    },
  );
});

describe('fal', besideOthers, () => {
  const answerWith = (script: VideoScript) => scripts.set('fal', script);

  it('queues a job under the model’s name, and serves it from the returned URL', inOrder, async () => {
    const status = inTurn({ status: 'IN_QUEUE', queue_position: 1 }, { status: 'COMPLETED' });
    answerWith((request, response) => {
      if (request.method === 'POST') answerJson(response, { request_id: 'job-1', status_url: 'http://10.0.0.1/' });
      else if (request.path.endsWith('/status')) answerJson(response, status());
      else answerJson(response, { video: { url: `${files.origin}/fal.mp4`, content_type: 'video/mp4' } });
    });
    const begun = await client.videos.create({
      model: 'fal/fal-ai/kling-video/v2/master',
      prompt: 'A tram',
      seconds: '4',
      size: '1280x720',
    });
    expect(sent('POST', '/fal/fal-ai/kling-video/v2/master')).toEqual({
      prompt: 'A tram',
      duration: '4',
      aspect_ratio: '16:9',
      resolution: '720p',
    });
    expect((await whenOver(client, begun.id)).at(-1)).toMatchObject({ status: 'completed', seconds: '4' });
    expect(await billOf(begun.id)).toMatchObject({ seconds: '4', estimated: true });
    expect(asked('GET', '/fal/fal-ai/kling-video/requests/job-1').headers.authorization).toBe('Key key-of-fal');
    expect(await downloaded(begun.id)).toEqual(film);
    const fetched = files.asked.filter(({ path }) => path === '/fal.mp4');
    expect(fetched).toHaveLength(1);
    expect(fetched[0]?.headers.authorization).toBeUndefined();
  });

  it('is billed by the reported length', inOrder, async () => {
    answerWith((request, response) => {
      if (request.method === 'POST') answerJson(response, { request_id: 'job-5' });
      else if (request.path.endsWith('/status')) answerJson(response, { status: 'COMPLETED' });
      else answerJson(response, { video: { url: `${files.origin}/fal.mp4`, duration: 6.5 } });
    });
    const begun = await client.videos.create({ model: 'fal/fal-ai/wan/v2.2-5b', prompt: 'A tram', seconds: '4' });
    await whenOver(client, begun.id);
    expect(await billOf(begun.id)).toMatchObject({ seconds: '6.5', estimated: false });
  });

  it('cannot make this server request an address that is not allowed', inOrder, async () => {
    answerWith((request, response) => {
      if (request.method === 'POST') answerJson(response, { request_id: 'job-2' });
      else if (request.path.endsWith('/status')) answerJson(response, { status: 'COMPLETED' });
      else answerJson(response, { video: { url: `${forbidden.origin}/metadata` } });
    });
    const begun = await client.videos.create({ model: 'fal/fal-ai/ltx-video', prompt: 'A trap' });
    expect((await whenOver(client, begun.id)).at(-1)?.status).toBe('completed');
    const refused = client.videos.downloadContent(begun.id);
    await expect(refused).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
    expect(forbidden.asked).toEqual([]);
  });

  it('cannot do so with a redirect either', inOrder, async () => {
    answerWith((request, response) => {
      if (request.method === 'POST') answerJson(response, { request_id: 'job-4' });
      else if (request.path.endsWith('/status')) answerJson(response, { status: 'COMPLETED' });
      else answerJson(response, { video: { url: `${files.origin}/moved` } });
    });
    const begun = await client.videos.create({ model: 'fal/fal-ai/ltx-video', prompt: 'A trap' });
    await whenOver(client, begun.id);
    const refused = client.videos.downloadContent(begun.id);
    await expect(refused).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
    expect(files.asked.some(({ path }) => path === '/moved')).toBe(true);
    expect(forbidden.asked).toEqual([]);
  });

  it('reports in its result why it failed', inOrder, async () => {
    answerWith((request, response) => {
      if (request.method === 'POST') answerJson(response, { request_id: 'job-3' });
      else if (request.path.endsWith('/status')) answerJson(response, { status: 'COMPLETED' });
      else answerJson(response, { detail: [{ loc: ['body'], msg: 'The prompt is not allowed', type: 'x' }] }, 422);
    });
    const begun = await client.videos.create({ model: 'fal/fal-ai/ltx-video', prompt: 'Something' });
    expect((await whenOver(client, begun.id)).at(-1)).toMatchObject({
      status: 'failed',
      error: { code: 'video_generation_failed', message: 'The prompt is not allowed' },
    });
  });
});

describe('Luma', besideOthers, () => {
  const answerWith = (script: VideoScript) => scripts.set('luma', script);

  it('creates a video', inOrder, async () => {
    const status = inTurn(
      { id: 'gen-1', state: 'dreaming' },
      {
        id: 'gen-1',
        state: 'completed',
        assets: { video: `${files.origin}/luma.mp4`, image: `${files.origin}/l.jpg` },
      },
    );
    answerWith((request, response) =>
      answerJson(response, request.method === 'POST' ? { id: 'gen-1', state: 'queued' } : status(), 201),
    );
    const begun = await client.videos.create({ model: 'luma/ray-2', prompt: 'A lake', size: '1280x720' });
    expect(sent('POST', '/luma/dream-machine/v1/generations')).toEqual({
      prompt: 'A lake',
      model: 'ray-2',
      aspect_ratio: '16:9',
      resolution: '720p',
    });
    expect((await whenOver(client, begun.id)).at(-1)).toMatchObject({ status: 'completed', seconds: '5' });
    expect(await billOf(begun.id)).toMatchObject({ seconds: '5', estimated: true });
    expect(await downloaded(begun.id)).toEqual(film);
    expect((await client.videos.downloadContent(begun.id, { variant: 'thumbnail' })).status).toBe(200);
    await expect(client.videos.downloadContent(begun.id, { variant: 'spritesheet' })).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('Replicate', besideOthers, () => {
  const answerWith = (script: VideoScript) => scripts.set('replicate', script);

  it('creates predictions by a model’s name or its version', inOrder, async () => {
    const status = inTurn({ status: 'processing' }, { status: 'succeeded', output: [`${files.origin}/r.mp4`] });
    answerWith((request, response) =>
      answerJson(response, request.method === 'POST' ? { id: 'pred-1', status: 'starting' } : status(), 201),
    );
    const begun = await client.videos.create({ model: 'replicate/minimax/video-01', prompt: 'A fox', seconds: '4' });
    expect(sent('POST', '/replicate/models/minimax/video-01/predictions')).toEqual({
      input: { prompt: 'A fox', duration: 4 },
    });
    const done = (await whenOver(client, begun.id)).at(-1);
    expect(done?.status).toBe('completed');
    expect(done?.expires_at).toBeGreaterThan(Date.now() / 1_000);
    expect(await billOf(begun.id)).toMatchObject({ seconds: '4', estimated: true });
    expect(await downloaded(begun.id)).toEqual(film);
    await client.videos.create({ model: 'replicate/a/b:0123abcd', prompt: 'A fox' });
    expect(sent('POST', '/replicate/predictions')).toEqual({ input: { prompt: 'A fox' }, version: '0123abcd' });
  });
});
