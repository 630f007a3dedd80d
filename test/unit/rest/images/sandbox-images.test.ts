import { execFileSync } from 'node:child_process';
import { createOpenAI } from '@ai-sdk/openai';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider } from '../../../harness/fake-provider.ts';
import { itWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { noFileIn } from '../../../harness/folder-changes.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(() => gateway.close());

interface Probed {
  readonly codec_name: string;
  readonly width: number;
  readonly height: number;
}

/** The result of an independent decoder. */
function probe(picture: Buffer): Probed {
  const told = execFileSync('ffprobe', ['-v', 'error', '-show_streams', '-of', 'json', '-i', 'pipe:0'], {
    input: picture,
  });
  const { codec_name, width, height } = JSON.parse(told.toString()).streams[0];
  return { codec_name, width, height };
}

/** Size from the header of a PNG. */
function pngSize(picture: Buffer): { readonly width: number; readonly height: number } {
  expect(picture.toString('latin1', 0, 8)).toBe('\x89PNG\r\n\x1a\n');
  return { width: picture.readUInt32BE(16), height: picture.readUInt32BE(20) };
}

/** Red, green, blue and opacity of each pixel. */
function pixels(picture: Buffer): Buffer {
  const raw = ['-v', 'error', '-i', 'pipe:0', '-f', 'rawvideo', '-pix_fmt', 'rgba', 'pipe:1'];
  return execFileSync('ffmpeg', raw, { input: picture, maxBuffer: 64 * 1024 * 1024 });
}

function decoded(image: { readonly b64_json?: string | undefined } | undefined): Buffer {
  return Buffer.from(image?.b64_json ?? '', 'base64');
}

async function png(size: `${number}x${number}`, prompt = 'a base', background: 'opaque' | 'transparent' = 'opaque') {
  const made = await client.images.generate({ model: 'sandbox/image', prompt, size: size, background });
  return decoded(made.data?.[0]);
}

describe('sandbox/image', () => {
  itWithFfmpeg.each([
    ['png', 'png'],
    ['jpeg', 'mjpeg'],
    ['webp', 'webp'],
  ] as const)('draws a %s of the size that was asked for', async (format, codec) => {
    const made = await client.images.generate({
      model: 'sandbox/image',
      prompt: 'a cat',
      size: '300x170',
      output_format: format,
      n: 2,
    });
    expect(made).toMatchObject({ output_format: format, size: '300x170', background: 'opaque' });
    expect(made.data).toHaveLength(2);
    for (const image of made.data ?? [])
      expect(probe(decoded(image))).toEqual({ codec_name: codec, width: 300, height: 170 });
    expect(made.data?.[0]?.b64_json).not.toBe(made.data?.[1]?.b64_json);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ capability: 'images', model: 'sandbox/image', status: 'succeeded', cost_nano: '0' });
    expect(record?.units).toMatchObject({
      media: [
        { unit: 'image', quantity: 2, size: '300x170', quality: 'low' },
        { unit: 'megapixel', quantity: 0.102 },
      ],
    });
  });

  it('generates the same image for the same prompt, and another for another', async () => {
    const asked = { model: 'sandbox/image', prompt: 'a cat', size: '96x64' } as const;
    const [first, second, other] = await Promise.all([
      client.images.generate(asked),
      client.images.generate(asked),
      client.images.generate({ ...asked, prompt: 'a dog' }),
    ]);
    expect(decoded(first.data?.[0])).toEqual(decoded(second.data?.[0]));
    expect(decoded(first.data?.[0])).not.toEqual(decoded(other.data?.[0]));
  });

  itWithFfmpeg('draws the same in every format', async () => {
    const asked = { model: 'sandbox/image', prompt: 'a cat', size: '96x64' } as const;
    const [first, webp, jpeg] = await Promise.all([
      client.images.generate(asked),
      client.images.generate({ ...asked, output_format: 'webp' }),
      client.images.generate({ ...asked, output_format: 'jpeg', output_compression: 100 }),
    ]);
    const exact = pixels(decoded(first.data?.[0]));
    expect(pixels(decoded(webp.data?.[0])).equals(exact)).toBe(true);
    const lossy = pixels(decoded(jpeg.data?.[0]));
    const off = exact.reduce((sum, value, at) => sum + Math.abs(value - (lossy[at] ?? 0)), 0) / exact.length;
    expect(off).toBeLessThan(3);
  });

  itWithFfmpeg('leaves the ground transparent where asked', async () => {
    const raw = pixels(await png('64x64', 'a ball', 'transparent'));
    const opacities = new Set(raw.filter((_value, at) => at % 4 === 3));
    expect([...opacities].sort()).toEqual([0, 255]);
  });

  itWithFfmpeg('changes within the mask alone', async () => {
    const image = await png('64x64', 'before');
    const mask = await png('64x64', 'a mask', 'transparent');
    const made = await client.images.edit({
      model: 'sandbox/image',
      prompt: 'after',
      image: await toFile(image, 'image.png', { type: 'image/png' }),
      mask: await toFile(mask, 'mask.png', { type: 'image/png' }),
    });
    const [before, after, open] = [pixels(image), pixels(decoded(made.data?.[0])), pixels(mask)];
    let changed = 0;
    for (let at = 0; at < before.length; at += 4) {
      const same = before.readUInt32BE(at) === after.readUInt32BE(at);
      if (open[at + 3] === 255) expect(same).toBe(true);
      else if (!same) changed++;
    }
    expect(changed).toBeGreaterThan(500);
    await noFileIn(gateway.uploads);
  });

  it('edits several images of a form, and one of JSON', async () => {
    const image = await png('40x30');
    const file = (): Promise<File> => toFile(image, 'image.png', { type: 'image/png' });
    const made = await client.images.edit({ model: 'sandbox/image', prompt: 'a', image: [await file(), await file()] });
    expect(pngSize(decoded(made.data?.[0]))).toEqual({ width: 40, height: 30 });
    const answer = await post('/images/edits', {
      model: 'sandbox/image',
      prompt: 'a',
      images: [{ image_url: `data:image/png;base64,${image.toString('base64')}` }],
      size: '20x20',
    });
    expect(answer.status).toBe(200);
    const { data }: OpenAI.ImagesResponse = JSON.parse(await answer.text());
    expect(pngSize(decoded(data?.[0]))).toEqual({ width: 20, height: 20 });
  });

  it('does not count images in JSON as text', async () => {
    const image = await png('16x16');
    const padded = Buffer.concat([image, Buffer.alloc(6 * 1024 * 1024)]);
    const answer = await post('/images/edits', {
      model: 'sandbox/image',
      prompt: 'a',
      images: [{ image_url: `data:image/png;base64,${padded.toString('base64')}` }],
    });
    // Counted as text, it would exceed the token limit of the key.
    expect(answer.status).toBe(200);
  });

  it('creates a variation of an image', async () => {
    const image = await png('48x48');
    const made = await client.images.createVariation({
      model: 'sandbox/image',
      image: await toFile(image, 'image.png', { type: 'image/png' }),
      n: 2,
      response_format: 'b64_json',
    });
    expect(made.data).toHaveLength(2);
    expect(decoded(made.data?.[0])).not.toEqual(image);
    expect(pngSize(decoded(made.data?.[0]))).toEqual({ width: 48, height: 48 });
  });

  it('streams partial images, then the complete one with its cost', async () => {
    const stream = await client.images.generate({
      model: 'sandbox/image',
      prompt: 'a cat',
      size: '64x64',
      stream: true,
      partial_images: 2,
    });
    const events = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(events.slice(0, 2)).toMatchObject([{ partial_image_index: 0 }, { partial_image_index: 1 }]);
    for (const event of events) expect(pngSize(decoded(event))).toEqual({ width: 64, height: 64 });
    expect(events[2]).toMatchObject({ size: '64x64', usage: { output_tokens: 4, cost: 0 } });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'succeeded', streamed: true, output_tokens: 4, estimated: false });
  });

  it('returns URLs of this server if requested', async () => {
    const made = await client.images.generate({
      model: 'sandbox/image',
      prompt: 'a cat',
      size: '64x64',
      output_format: 'webp',
      response_format: 'url',
    });
    const [image] = made.data ?? [];
    expect(image?.b64_json).toBeUndefined();
    expect(image?.url).toMatch(new RegExp(`^${gateway.url}/media/`));
    const answer = await fetch(image?.url ?? '');
    expect(answer.headers.get('content-type')).toBe('image/webp');
    const picture = Buffer.from(await answer.arrayBuffer());
    expect([picture.toString('latin1', 0, 4), picture.toString('latin1', 8, 12)]).toEqual(['RIFF', 'WEBP']);
    const [kept] = [...gateway.shelf.kept.values()];
    expect(kept?.accountId).toBe(gateway.key.accountId);
    expect((kept?.expiresAt?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3_500_000);
  });

  it('works with the AI SDK', async () => {
    const provider = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret });
    // What `generateImage` calls.
    const { images, warnings } = await provider.image('sandbox/image').doGenerate({
      prompt: 'a cat',
      size: '64x64',
      n: 2,
      seed: undefined,
      aspectRatio: undefined,
      files: undefined,
      mask: undefined,
      providerOptions: {},
    });
    expect(warnings).toEqual([]);
    expect(images).toHaveLength(2);
    for (const image of images)
      expect(pngSize(Buffer.from(image.toString(), 'base64'))).toEqual({ width: 64, height: 64 });
  });
});

function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function form(path: string, fields: Record<string, string | Blob | (string | Blob)[]>): Promise<Response> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields))
    for (const one of [value].flat())
      if (typeof one === 'string') body.append(name, one);
      else body.append(name, one, 'a.png');
  return fetch(`${gateway.url}/v1${path}`, { method: 'POST', headers: { authorization: `Bearer ${secret}` }, body });
}

async function expectRefusal(
  answer: Response,
  status: number,
  code: string | null,
  param: string | null,
): Promise<string> {
  const { error }: { error: { code: string; param: string; message: string } } = JSON.parse(await answer.text());
  expect({ status: answer.status, code: error.code, param: error.param }).toEqual({ status, code, param });
  await noFileIn(gateway.uploads);
  expect(gateway.settled().filter(({ cost_nano }) => cost_nano !== '0')).toEqual([]);
  return error.message;
}

describe('a generation', () => {
  it.each([
    ['no prompt', { prompt: undefined }, 'missing_required_parameter', 'prompt'],
    ['an empty prompt', { prompt: '' }, 'string_below_min_length', 'prompt'],
    ['too long a prompt', { prompt: 'a'.repeat(32_001) }, 'string_above_max_length', 'prompt'],
    ['no pictures', { n: 0 }, 'integer_below_min_value', 'n'],
    ['too many pictures', { n: 11 }, 'integer_above_max_value', 'n'],
    ['half a picture', { n: 1.5 }, 'invalid_type', 'n'],
    ['a size that is none', { size: 'large' }, 'invalid_value', 'size'],
    ['a size without height', { size: '0x10' }, 'invalid_value', 'size'],
    ['a quality that is none', { quality: 'best' }, 'invalid_value', 'quality'],
    ['a style that is none', { style: 'baroque' }, 'invalid_value', 'style'],
    ['a background that is none', { background: 'blue' }, 'invalid_value', 'background'],
    ['a moderation that is none', { moderation: 'off' }, 'invalid_value', 'moderation'],
    ['a format that is none', { output_format: 'bmp' }, 'invalid_value', 'output_format'],
    ['too much compression', { output_compression: 101 }, 'integer_above_max_value', 'output_compression'],
    ['too little compression', { output_compression: -1 }, 'integer_below_min_value', 'output_compression'],
    ['too many unfinished pictures', { partial_images: 4 }, 'integer_above_max_value', 'partial_images'],
    ['a stream that is none', { stream: 'yes' }, 'invalid_type', 'stream'],
    ['a response format that is none', { response_format: 'png' }, 'invalid_value', 'response_format'],
    ['a transparent JPEG', { background: 'transparent', output_format: 'jpeg' }, 'invalid_value', 'background'],
    ['more than the sandbox draws', { size: '1793x16' }, 'unsupported_value', 'size'],
  ])('with %s is refused', async (_what, members, code, param) => {
    const answer = await post('/images/generations', {
      model: 'sandbox/image',
      prompt: 'a cat',
      size: '16x16',
      ...members,
    });
    await expectRefusal(answer, 400, code, param);
  });

  it('treats null as absent', async () => {
    const nothing = {
      n: null,
      quality: null,
      style: null,
      background: null,
      response_format: null,
      partial_images: null,
      stream: null,
    };
    const answer = await post('/images/generations', {
      model: 'sandbox/image',
      prompt: 'a',
      size: '16x16',
      ...nothing,
    });
    expect(answer.status).toBe(200);
  });

  it('lists parameters that the provider does not support', async () => {
    const answer = await post('/images/generations', { model: 'sandbox/image', prompt: 'a', size: '16x16', seed: 7 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-sluice-dropped-params')).toBe('seed');
  });

  it('without a model uses the only one', async () => {
    const made = await client.images.generate({ prompt: 'a cat', size: '96x64' as '1024x1024' });
    expect(made.data?.[0]?.b64_json?.length).toBeGreaterThan(100);
    const record = (await gateway.settledCount(1)).at(-1);
    expect(record).toMatchObject({ capability: 'images', model: 'sandbox/image' });
  });

  it('without a model uses OpenAI’s default if it is served', async () => {
    const provider = await startFakeProvider();
    provider.answerWith(json(200, { created: 1, data: [{ b64_json: 'AAAA' }] }));
    const other = await startGateway({ openai: provider.url });
    const openai = new OpenAI({ baseURL: `${other.url}/v1`, apiKey: secret, maxRetries: 0 });
    await openai.images.generate({ prompt: 'a cat' });
    expect(provider.requests[0]?.json).toMatchObject({ model: 'gpt-image-1.5', prompt: 'a cat' });
    await other.close();
    await provider.close();
  });

  it('without a model and with several candidates is refused with their names', async () => {
    const other = await startGateway({ providers: { stability: 'http://127.0.0.1:9' } });
    const response = await fetch(`${other.url}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'a cat' }),
    });
    await other.close();
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('you must provide a model parameter (choose `');
    expect(text).toContain('`sandbox/image`');
  });

  it('by a model without images is refused', async () => {
    const answer = await post('/images/generations', { model: 'sandbox/chat', prompt: 'a cat' });
    await expectRefusal(answer, 400, 'capability_not_supported', null);
  });
});

describe('an edit', () => {
  const text = new Blob(['this is no picture'], { type: 'image/png' });

  async function picture(size: `${number}x${number}`): Promise<Blob> {
    return new Blob([new Uint8Array(await png(size))], { type: 'image/png' });
  }

  it('without an image, or with an invalid one, is refused', async () => {
    const fields = { model: 'sandbox/image', prompt: 'a' };
    await expectRefusal(await form('/images/edits', fields), 400, 'missing_required_parameter', 'image');
    await expectRefusal(await form('/images/edits', { ...fields, image: 'a.png' }), 400, 'invalid_type', 'image');
    const empty = await form('/images/edits', { ...fields, image: new Blob([]) });
    expect(await expectRefusal(empty, 400, 'invalid_value', 'image')).toContain('empty');
    const none = await form('/images/edits', { ...fields, 'image[]': [await picture('16x16'), text] });
    expect(await expectRefusal(none, 400, 'invalid_value', 'image[1]')).toContain('not a PNG, JPEG or WebP image');
    const mask = await form('/images/edits', { ...fields, image: await picture('16x16'), mask: text });
    await expectRefusal(mask, 400, 'invalid_value', 'mask');
  });

  it('of a data: URL with endless parameters is refused', async () => {
    const images = [{ image_url: `data:image/png${';a'.repeat(10_000_000)}` }];
    const answer = await post('/images/edits', { model: 'sandbox/image', prompt: 'a', images });
    await expectRefusal(answer, 400, 'invalid_value', 'images[0].image_url');
  });

  it('with a mask of another size is refused with both sizes', async () => {
    const fields = { model: 'sandbox/image', prompt: 'a', image: await picture('16x16'), mask: await picture('24x16') };
    const message = await expectRefusal(await form('/images/edits', fields), 400, 'invalid_value', 'mask');
    expect(message).toContain('24x16');
    expect(message).toContain('16x16');
  });

  it('with too many or too large images is refused', async () => {
    const fields = { model: 'sandbox/image', prompt: 'a' };
    const one = await picture('16x16');
    const many = await form('/images/edits', { ...fields, 'image[]': Array.from({ length: 17 }, () => one) });
    await expectRefusal(many, 400, 'array_above_max_length', 'image');
    const more = await form('/images/edits', { ...fields, 'image[]': Array.from({ length: 18 }, () => one) });
    await expectRefusal(more, 400, 'too_many_files', 'image[]');
    const large = new Blob([new Uint8Array(50 * 1024 * 1024 + 1)]);
    await expectRefusal(await form('/images/edits', { ...fields, image: large }), 413, 'file_too_large', 'image');
  });

  it('with a wrong content type is refused with that type', async () => {
    const answer = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'text/plain' },
      body: 'a picture',
    });
    expect(answer.status).toBe(415);
    expect(await answer.text()).toContain("'text/plain'");
  });

  it('larger than the total limit is refused by its content length', async () => {
    const answer = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'multipart/form-data; boundary=x' },
      body: new Blob([new Uint8Array(201 * 1024 * 1024)]),
    });
    await expectRefusal(answer, 413, 'request_too_large', null);
  });

  it('with an invalid text field is refused', async () => {
    const fields = { model: 'sandbox/image', prompt: 'a', image: await picture('16x16') };
    for (const [name, value, code] of [
      ['n', '0', 'integer_below_min_value'],
      ['n', 'two', 'invalid_type'],
      ['stream', 'maybe', 'invalid_type'],
      ['partial_images', '9', 'integer_above_max_value'],
      ['input_fidelity', 'middling', 'invalid_value'],
      ['prompt', '', 'string_below_min_length'],
    ] as const)
      await expectRefusal(await form('/images/edits', { ...fields, [name]: value }), 400, code, name);
    const { prompt: _prompt, ...without } = fields;
    await expectRefusal(await form('/images/edits', without), 400, 'missing_required_parameter', 'prompt');
  });

  it('in JSON with an unresolvable reference is refused', async () => {
    const asked = { model: 'sandbox/image', prompt: 'a' };
    const edits = (members: object): Promise<Response> => post('/images/edits', { ...asked, ...members });
    await expectRefusal(await edits({ images: [] }), 400, 'empty_array', 'images');
    await expectRefusal(await edits({ images: [{}] }), 400, 'missing_required_parameter', 'images[0].image_url');
    await expectRefusal(
      await edits({ images: [{ file_id: 'file-1' }] }),
      400,
      'unsupported_value',
      'images[0].file_id',
    );
    await expectRefusal(
      await edits({ images: [{ image_url: 'ftp://a/b' }] }),
      400,
      'invalid_value',
      'images[0].image_url',
    );
    const words = `data:image/png;base64,${Buffer.from('words').toString('base64')}`;
    await expectRefusal(await edits({ images: [{ image_url: words }] }), 400, 'invalid_value', 'images[0].image_url');
    await expectRefusal(
      await edits({ images: [{ image_url: 'https://example.com/a.png' }] }),
      400,
      'unsupported_value',
      'image',
    );
  });

  it('of another content type is refused', async () => {
    const answer = await fetch(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'text/plain' },
      body: 'a picture, please',
    });
    await expectRefusal(answer, 415, 'unsupported_content_type', null);
  });
});
