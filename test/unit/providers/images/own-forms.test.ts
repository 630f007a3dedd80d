import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { json, startFakeProvider, type FakeProvider, type ReceivedRequest } from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

/** One pixel, half transparent. */
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const bytes = Buffer.from(onePixel, 'base64');
const dataUrl = `data:image/png;base64,${onePixel}`;

let provider: FakeProvider;
let gateway: TestGateway;

beforeEach(async () => {
  provider = await startFakeProvider();
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function connect(id: string, options: Record<string, string> = {}): Promise<void> {
  gateway = await startGateway({ providers: { [id]: { baseUrl: provider.url, options } } });
}

interface Answered {
  readonly status: number;
  readonly dropped: string | null;
  readonly body: {
    readonly data: readonly { readonly b64_json?: string; readonly revised_prompt?: string }[];
    readonly size?: string;
    readonly usage?: object;
    readonly error: { readonly code: string; readonly param: string | null; readonly message: string };
  };
}

async function post(path: string, body: unknown): Promise<Answered> {
  const answer = await fetch(`${gateway.url}/v1/images/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const dropped = answer.headers.get('x-sluice-dropped-params');
  return { status: answer.status, dropped, body: JSON.parse(await answer.text()) };
}

async function formOf({ body, headers }: ReceivedRequest): Promise<Record<string, unknown>> {
  const form = await new Response(body, { headers: { 'content-type': String(headers['content-type']) } }).formData();
  return Object.fromEntries([...form].map(([name, value]) => [name, value instanceof File ? value.type : value]));
}

/** Responds to the package's posts with JSON, and to its downloads with an image. */
function madeAt(answer: (request: ReceivedRequest) => unknown): void {
  provider.answerWith((request, response) => {
    if (!request.path.endsWith('/made.png')) return json(200, answer(request))(request, response);
    response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
    return undefined;
  });
}

describe('Google’s', () => {
  it('Imagen generates at most four images per call', async () => {
    await connect('gemini');
    provider.answerWith((request, response) => {
      const { parameters } = request.json;
      const count =
        typeof parameters === 'object' && parameters && 'sampleCount' in parameters
          ? Number(parameters.sampleCount)
          : 0;
      const predictions = Array.from({ length: count }, () => ({
        mimeType: 'image/png',
        bytesBase64Encoded: onePixel,
      }));
      return json(200, { predictions })(request, response);
    });
    const made = await post('generations', {
      model: 'gemini/imagen-4.0-generate-001',
      prompt: 'a cat',
      n: 5,
      size: '1792x1024',
      output_format: 'jpeg',
      output_compression: 70,
    });
    expect(made).toMatchObject({ status: 200, dropped: null });
    expect(made.body.data).toEqual(Array.from({ length: 5 }, () => ({ b64_json: onePixel })));
    expect(provider.requests.map(({ path }) => path)).toEqual(
      Array.from({ length: 2 }, () => '/v1/models/imagen-4.0-generate-001:predict'),
    );
    const parameters = { aspectRatio: '16:9', outputOptions: { mimeType: 'image/jpeg', compressionQuality: 70 } };
    expect(provider.requests.map((request) => request.json)).toEqual(
      expect.arrayContaining(
        [4, 1].map((sampleCount) => ({ instances: [{ prompt: 'a cat' }], parameters: { sampleCount, ...parameters } })),
      ),
    );
    const [record] = await gateway.settledCount(1);
    // Five at 0.04 USD.
    expect(record?.cost_nano).toBe('200000000');
  });

  it('Gemini generates one image per call, and reports its tokens', async () => {
    await connect('gemini');
    provider.answerWith(
      json(200, {
        candidates: [
          {
            content: { parts: [{ text: 'Here:' }, { inlineData: { mimeType: 'image/png', data: onePixel } }] },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: {
          promptTokenCount: 270,
          candidatesTokenCount: 1_290,
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 12 },
            { modality: 'IMAGE', tokenCount: 258 },
          ],
          candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_290 }],
        },
      }),
    );
    const made = await post('edits', {
      model: 'gemini/gemini-2.5-flash-image',
      prompt: 'bluer',
      images: [{ image_url: dataUrl }],
      n: 2,
      size: '1024x1536',
      quality: 'high',
    });
    expect(made).toMatchObject({ status: 200, dropped: 'quality' });
    expect(made.body.data).toHaveLength(2);
    expect(made.body.usage).toMatchObject({
      input_tokens: 540,
      output_tokens: 2_580,
      input_tokens_details: { image_tokens: 516, text_tokens: 24 },
    });
    expect(provider.requests[0]?.path).toBe('/v1/models/gemini-2.5-flash-image:generateContent');
    expect(provider.requests[0]?.json).toEqual({
      contents: [
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: onePixel } }, { text: 'bluer' }] },
      ],
      generationConfig: { responseModalities: ['IMAGE'], imageConfig: { aspectRatio: '2:3' } },
    });
    const [record] = await gateway.settledCount(1);
    // 540 at 0.30 and 2,580 at 30 USD per million.
    expect(record?.cost_nano).toBe('77562000');
  });

  it('filter is reported as an error that costs nothing', async () => {
    await connect('gemini');
    provider.answerWith(json(200, { predictions: [{ raiFilteredReason: 'Unsafe.' }] }));
    const made = await post('generations', { model: 'gemini/imagen-4.0-generate-001', prompt: 'a' });
    expect(made).toMatchObject({ status: 400, body: { error: { code: 'moderation_blocked' } } });
    const mask = {
      model: 'gemini/gemini-2.5-flash-image',
      prompt: 'a',
      images: [{ image_url: dataUrl }],
      mask: { image_url: dataUrl },
    };
    expect(await post('edits', mask)).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_parameter', param: 'mask' } },
    });
    const elsewhere = {
      model: 'gemini/gemini-2.5-flash-image',
      prompt: 'a',
      images: [{ image_url: 'https://example.com/a.png' }],
    };
    expect(await post('edits', elsewhere)).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_value' } },
    });
    expect(gateway.settled().every(({ cost_nano }) => cost_nano === '0')).toBe(true);
  });
});

describe('xAI', () => {
  it('receives an aspect ratio, and images within JSON', async () => {
    await connect('xai');
    provider.answerWith(json(200, { data: [{ b64_json: onePixel, revised_prompt: 'a red cat' }] }));
    const made = await post('generations', {
      model: 'xai/grok-imagine-image',
      prompt: 'a cat',
      size: '1024x1024',
      style: 'vivid',
      resolution: '2k',
    });
    expect(made).toMatchObject({
      status: 200,
      dropped: 'style',
      body: { data: [{ b64_json: onePixel, revised_prompt: 'a red cat' }] },
    });
    expect(provider.requests[0]?.json).toEqual({
      model: 'grok-imagine-image',
      prompt: 'a cat',
      aspect_ratio: '1:1',
      resolution: '2k',
      response_format: 'b64_json',
    });
    await post('edits', {
      model: 'xai/grok-imagine-image',
      prompt: 'bluer',
      images: [{ image_url: dataUrl }],
      size: '123x457',
    });
    expect(provider.requests[1]?.path).toBe('/v1/images/edits');
    expect(provider.requests[1]?.json).toEqual({
      model: 'grok-imagine-image',
      prompt: 'bluer',
      image: { type: 'image_url', url: dataUrl },
      response_format: 'b64_json',
    });
  });
});

describe('Together', () => {
  it('receives width and height, and is billed by megapixel', async () => {
    await connect('together');
    provider.answerWith(json(200, { id: 'x', data: [{ index: 0, b64_json: onePixel }] }));
    const made = await post('generations', {
      model: 'together/black-forest-labs/FLUX.1-schnell',
      prompt: 'a',
      size: '1024x768',
      steps: 4,
      output_format: 'webp',
    });
    expect(made).toMatchObject({ status: 200, dropped: 'output_format', body: { size: '1x1' } });
    expect(provider.requests[0]?.json).toEqual({
      model: 'black-forest-labs/FLUX.1-schnell',
      prompt: 'a',
      width: 1_024,
      height: 768,
      steps: 4,
      n: 1,
      response_format: 'base64',
    });
    const [record] = await gateway.settledCount(1);
    expect(record?.units).toMatchObject({
      media: [
        { unit: 'image', quantity: 1 },
        { unit: 'megapixel', size: '1x1' },
      ],
    });
  });

  it('generates more than four images in several calls, all or none', async () => {
    await connect('together');
    let calls = 0;
    provider.answerWith((request, response) => {
      calls++;
      return calls >= 2
        ? json(500, { error: { message: 'broken' } })(request, response)
        : json(200, { data: [{ b64_json: onePixel }] })(request, response);
    });
    const made = await post('generations', { model: 'together/black-forest-labs/FLUX.1.1-pro', prompt: 'a', n: 10 });
    expect(made.status).toBe(502);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', cost_nano: '0' });
  });
});

describe('Stability', () => {
  it('receives one form per image', async () => {
    await connect('stability');
    provider.answerWith(json(200, { image: onePixel, finish_reason: 'SUCCESS', seed: 7 }));
    const made = await post('generations', {
      model: 'stability/sd3.5-large',
      prompt: 'a cat',
      n: 2,
      size: '1536x1024',
      output_format: 'webp',
      seed: 7,
      negative_prompt: 'dogs',
    });
    expect(made).toMatchObject({
      status: 200,
      dropped: 'output_format',
      body: { data: [{ b64_json: onePixel }, { b64_json: onePixel }] },
    });
    expect(provider.requests).toHaveLength(2);
    const [request] = provider.requests;
    expect(request?.path).toBe('/v1/v2beta/stable-image/generate/sd3');
    expect(request?.headers).toMatchObject({ accept: 'application/json', authorization: 'Bearer provider-key' });
    expect(request && (await formOf(request))).toEqual({
      prompt: 'a cat',
      model: 'sd3.5-large',
      aspect_ratio: '3:2',
      seed: '7',
      negative_prompt: 'dogs',
    });
    const [record] = await gateway.settledCount(1);
    // Two at 0.065 USD.
    expect(record?.cost_nano).toBe('130000000');
  });

  it('edits an image, and its errors are relayed', async () => {
    await connect('stability');
    provider.answerWith(json(200, { image: onePixel, finish_reason: 'SUCCESS' }));
    const asked = { prompt: 'a', images: [{ image_url: dataUrl }] };
    await post('edits', { ...asked, model: 'stability/ultra' });
    expect(provider.requests[0] && (await formOf(provider.requests[0]))).toEqual({
      prompt: 'a',
      image: 'image/png',
      strength: '0.7',
    });
    await post('edits', { ...asked, model: 'stability/inpaint', mask: { image_url: dataUrl } });
    expect(provider.requests[1]?.path).toBe('/v1/v2beta/stable-image/edit/inpaint');
    expect(provider.requests[1] && (await formOf(provider.requests[1]))).toEqual({
      prompt: 'a',
      image: 'image/png',
      mask: 'image/png',
    });
    provider.answerWith(json(400, { id: 'x', name: 'bad_request', errors: ['prompt: too long'] }));
    const refused = await post('generations', { model: 'stability/core', prompt: 'a' });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: 'prompt: too long', code: 'bad_request' } },
    });
    provider.answerWith(json(200, { image: onePixel, finish_reason: 'CONTENT_FILTERED' }));
    expect((await post('generations', { model: 'stability/core', prompt: 'a' })).status).toBe(400);
    expect((await post('generations', { model: 'stability/unknown', prompt: 'a' })).status).toBe(404);
  });
});

describe('through its package', () => {
  it('fal generates each image in its own call', async () => {
    await connect('fal');
    madeAt(() => ({ images: [{ url: `${provider.url}/made.png` }] }));
    const made = await post('generations', {
      model: 'fal/fal-ai/flux/dev',
      prompt: 'a cat',
      n: 2,
      size: '640x480',
      output_format: 'png',
      seed: 5,
      background: 'transparent',
    });
    expect(made).toMatchObject({
      status: 200,
      dropped: 'background',
      body: { data: [{ b64_json: onePixel }, { b64_json: onePixel }] },
    });
    const calls = provider.requests.filter(({ path }) => path === '/v1/fal-ai/flux/dev');
    expect(calls.map((call) => call.json)).toEqual(
      Array.from({ length: 2 }, () => ({
        prompt: 'a cat',
        seed: 5,
        image_size: { width: 640, height: 480 },
        num_images: 1,
        output_format: 'png',
      })),
    );
    const [record] = await gateway.settledCount(1);
    // Two at 0.025 USD.
    expect(record?.cost_nano).toBe('50000000');
  });

  it('fal receives a mask that is white where the image may change', async () => {
    await connect('fal');
    madeAt(() => ({ image: { url: `${provider.url}/made.png` } }));
    await post('edits', {
      model: 'fal/fal-ai/flux/dev',
      prompt: 'a',
      images: [{ image_url: dataUrl }],
      mask: { image_url: dataUrl },
    });
    const sent = provider.requests[0]?.json;
    expect(sent).toMatchObject({ image_url: dataUrl, mask_url: expect.stringMatching(/^data:image\/png;base64,/) });
    expect(sent?.mask_url).not.toBe(dataUrl);
  });

  it('Black Forest Labs is polled until the image is ready', async () => {
    await connect('black-forest-labs');
    let asked = 0;
    madeAt(({ path }) => {
      if (path === '/v1/flux-pro-1.1') return { id: 'job', polling_url: `${provider.url}/get_result` };
      return ++asked < 2 ? { status: 'Pending' } : { status: 'Ready', result: { sample: `${provider.url}/made.png` } };
    });
    const made = await post('generations', {
      model: 'black-forest-labs/flux-pro-1.1',
      prompt: 'a cat',
      size: '1024x768',
      output_format: 'jpeg',
    });
    expect(made).toMatchObject({ status: 200, body: { data: [{ b64_json: onePixel }] } });
    expect(provider.requests[0]?.json).toMatchObject({
      prompt: 'a cat',
      width: 1_024,
      height: 768,
      output_format: 'jpeg',
    });
  });

  it('Replicate generates images as predictions', async () => {
    await connect('replicate');
    madeAt(() => ({ status: 'succeeded', output: [`${provider.url}/made.png`], urls: { get: `${provider.url}/p` } }));
    const made = await post('generations', {
      model: 'replicate/black-forest-labs/flux-schnell',
      prompt: 'a cat',
      output_format: 'jpeg',
      output_compression: 80,
    });
    expect(made).toMatchObject({ status: 200, body: { data: [{ b64_json: onePixel }] } });
    expect(provider.requests[0]?.json).toMatchObject({
      input: { prompt: 'a cat', num_outputs: 1, output_format: 'jpg', output_quality: 80 },
    });
  });

  it('Amazon’s models receive pixels and their own quality names', async () => {
    await connect('amazon-bedrock', { region: 'us-east-1' });
    provider.answerWith(json(200, { images: [onePixel, onePixel] }));
    const made = await post('generations', {
      model: 'amazon-bedrock/amazon.nova-canvas-v1:0',
      prompt: 'a cat',
      n: 2,
      size: '512x512',
      quality: 'hd',
    });
    expect(made).toMatchObject({
      status: 200,
      dropped: null,
      body: { data: [{ b64_json: onePixel }, { b64_json: onePixel }] },
    });
    expect(provider.requests[0]?.json).toEqual({
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: 'a cat' },
      imageGenerationConfig: { width: 512, height: 512, numberOfImages: 2, quality: 'premium' },
    });
    expect((await post('generations', { model: 'amazon-bedrock/anthropic.claude', prompt: 'a' })).status).toBe(404);
  });

  it('an error of the provider is relayed, and nothing is billed', async () => {
    await connect('fal');
    provider.answerWith(json(422, { detail: [{ loc: ['body', 'prompt'], msg: 'too short', type: 'value_error' }] }));
    const made = await post('generations', { model: 'fal/fal-ai/flux/dev', prompt: 'a' });
    expect(made.status).toBe(422);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', cost_nano: '0' });
  });
});
