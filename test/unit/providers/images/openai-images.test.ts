import { readFileSync } from 'node:fs';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  json,
  pieces,
  refusal,
  silence,
  startFakeProvider,
  type FakeProvider,
} from '../../../harness/fake-provider.ts';
import { noFileIn } from '../../../harness/folder-changes.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/services/openai/${name}`, import.meta.url), 'utf8');
const generated = fixture('openai-image.json');
const edited = fixture('openai-image-edit.json');
const refused = fixture('gpt-image-response-format-error.json');

/** One pixel. */
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway({ openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

const usage = {
  input_tokens: 50,
  output_tokens: 4_160,
  total_tokens: 4_210,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
};

function picture(members: object = {}): object {
  return { created: 1, data: [{ b64_json: onePixel }], ...members };
}

function sse(events: readonly object[]): string {
  return events
    .map((event) => `event: ${'type' in event ? event.type : ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
}

describe('OpenAI’s generations', () => {
  it('are relayed with their size and quality', async () => {
    provider.answerWith(json(200, generated));
    const { data, response } = await client.images
      .generate({ model: 'openai/dall-e-3', prompt: 'a baby sea otter', n: 2, response_format: 'b64_json' })
      .withResponse();
    const recorded: OpenAI.ImagesResponse = JSON.parse(generated);
    expect(data.data).toEqual(recorded.data);
    expect(data).toMatchObject({
      created: recorded.created,
      size: '1024x1024',
      quality: 'standard',
      output_format: 'png',
    });
    expect(provider.requests[0]?.path).toBe('/v1/images/generations');
    expect(provider.requests[0]?.json).toEqual({
      model: 'dall-e-3',
      prompt: 'a baby sea otter',
      n: 2,
      response_format: 'b64_json',
    });
    const [record] = await gateway.settledCount(1);
    // Two at 0.04 USD.
    expect(record).toMatchObject({
      capability: 'images',
      status: 'succeeded',
      cost_nano: '80000000',
      estimated: false,
    });
    expect(response.headers.get('x-sluice-cost')).toBe('0.08');
  });

  it.each([
    ['dall-e-3', { size: '1792x1024', quality: 'hd' }, {}, '120000000'],
    ['dall-e-3', { size: '1024x1792' }, {}, '80000000'],
    ['dall-e-2', { size: '256x256' }, {}, '16000000'],
    // Priced per image: no size was requested, and no price depends on the pixels only.
    ['dall-e-2', {}, {}, '20000000'],
    ['gpt-image-1', { size: 'auto', quality: 'auto' }, { size: '1536x1024', quality: 'medium' }, '63000000'],
    ['gpt-image-1', { quality: 'low', size: '1024x1024' }, {}, '11000000'],
    // 10 text tokens at 5, 40 image tokens at 10, 4,160 output tokens at 40 USD per million: no price per image in
    // addition.
    ['gpt-image-1', {}, { size: '1024x1024', quality: 'high', usage }, '166850000'],
    // 10 at 5, 40 at 8, and of the output 4,000 at 32 and 160 text tokens at 10.
    [
      'gpt-image-1.5',
      {},
      { usage: { ...usage, output_tokens_details: { image_tokens: 4_000, text_tokens: 160 } } },
      '129970000',
    ],
  ])('of %s are priced by the requested %j and the reported %j', async (model, asked, result, cost) => {
    // A response without a size has images of the requested size.
    provider.answerWith(
      json(200, picture({ size: 'size' in asked && asked.size !== 'auto' ? asked.size : undefined, ...result })),
    );
    const answer = await post('/images/generations', { model: `openai/${model}`, prompt: 'a', ...asked });
    expect(answer.status).toBe(200);
    const [record] = await gateway.settledCount(1);
    expect(record?.cost_nano).toBe(cost);
  });

  it('request base64 from models that return nothing else, and create links from it', async () => {
    provider.answerWith(json(200, picture({ output_format: 'png' })));
    const { data } = await client.images.generate({ model: 'openai/gpt-image-1', prompt: 'a', response_format: 'url' });
    expect(provider.requests[0]?.json).toEqual({ model: 'gpt-image-1', prompt: 'a' });
    expect(data?.[0]?.b64_json).toBeUndefined();
    const link = await fetch(data?.[0]?.url ?? '');
    expect(link.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await link.arrayBuffer()).toString('base64')).toBe(onePixel);
  });

  it('replace the provider’s links by Sluice’s, and return base64 on request', async () => {
    const bytes = Buffer.from(onePixel, 'base64');
    provider.answerWith((request, response) => {
      if (!request.path.endsWith('.png'))
        return json(200, picture({ data: [{ url: `${provider.url}/otter.png` }] }))(request, response);
      response.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
      return undefined;
    });
    const links = await client.images.generate({ model: 'openai/dall-e-2', prompt: 'a' });
    expect(links.data?.[0]?.url).toMatch(new RegExp(`^${gateway.url}/media/`));
    expect(Buffer.from(await (await fetch(links.data?.[0]?.url ?? '')).arrayBuffer())).toEqual(bytes);
    const base64 = await client.images.generate({ model: 'openai/dall-e-2', prompt: 'a', response_format: 'b64_json' });
    expect(base64.data).toEqual([{ b64_json: onePixel }]);
    const fetched = provider.requests.find(({ path }) => path.endsWith('.png'));
    expect(fetched?.headers.authorization).toBeUndefined();
  });

  it('fail when the provider’s link is not allowed or does not exist', async () => {
    for (const url of [
      'http://169.254.169.254/latest/meta-data',
      'http://localhost:9/a.png',
      `${provider.url}/missing`,
    ]) {
      provider.answerWith((request, response) => {
        const answer = request.path.endsWith('missing') ? json(404, {}) : json(200, { created: 1, data: [{ url }] });
        return answer(request, response);
      });
      const asked = client.images.generate({ model: 'openai/dall-e-2', prompt: 'a' });
      await expect(asked).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
    }
    expect(gateway.settled().map(({ cost_nano }) => cost_nano)).toEqual(['0', '0', '0']);
    expect(gateway.shelf.kept.size).toBe(0);
  });

  it('that are rejected, or contain no images, cost nothing', async () => {
    provider.answerWith(json(400, refused));
    await expect(client.images.generate({ model: 'openai/gpt-image-1', prompt: 'a' })).rejects.toMatchObject({
      status: 400,
      code: 'unknown_parameter',
      param: 'response_format',
    });
    for (const body of [
      '{"data":[]}',
      '{"created":1}',
      'no JSON',
      '[]',
      '{"data":[{"b64_json":""}]}',
      '{"data":[null, 7]}',
    ]) {
      provider.answerWith(json(200, body));
      await expect(client.images.generate({ model: 'openai/gpt-image-1', prompt: 'a' })).rejects.toMatchObject({
        status: 502,
      });
    }
    provider.answerWith(refusal(500, 'broken'));
    await expect(client.images.generate({ model: 'openai/gpt-image-1', prompt: 'a' })).rejects.toMatchObject({
      status: 502,
    });
    const records = await gateway.settledCount(8);
    expect(new Set(records.map(({ cost_nano }) => cost_nano))).toEqual(new Set(['0']));
  });

  it('are aborted at the provider when the client disconnects, and billed as requested', async () => {
    provider.answerWith(silence);
    const leaving = new AbortController();
    const asked = client.images.generate(
      { model: 'openai/dall-e-3', prompt: 'a', n: 1, quality: 'hd', size: '1024x1024' },
      { signal: leaving.signal },
    );
    const request = await provider.nextRequest();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await request.aborted;
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', cost_nano: '80000000', estimated: true });
  });
});

describe('OpenAI’s image stream', () => {
  const partial = (index: number): object => ({
    type: 'image_generation.partial_image',
    b64_json: onePixel,
    created_at: 1,
    size: '1024x1024',
    quality: 'high',
    background: 'opaque',
    output_format: 'png',
    partial_image_index: index,
  });
  const completed = { ...partial(0), type: 'image_generation.completed', partial_image_index: undefined, usage };
  const asked = { model: 'openai/gpt-image-1', prompt: 'a', stream: true, partial_images: 2 } as const;

  it('is relayed event by event wherever its bytes are split, with its cost at the end', async () => {
    const bytes = Buffer.from(sse([partial(0), partial(1), completed]));
    const cuts = Array.from({ length: Math.ceil(bytes.length / 97) }, (_, at) => bytes.subarray(at * 97, at * 97 + 97));
    provider.answerWith(pieces(cuts, 'end'));
    const events = [];
    for await (const event of await client.images.generate(asked)) events.push(event);
    expect(provider.requests[0]?.json).toEqual({ ...asked, model: 'gpt-image-1' });
    expect(events).toEqual([
      partial(0),
      partial(1),
      { ...JSON.parse(JSON.stringify(completed)), usage: { ...usage, cost: 0.16685 } },
    ]);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      status: 'succeeded',
      streamed: true,
      input_tokens: 50,
      output_tokens: 4_160,
      cost_nano: '166850000',
      estimated: false,
    });
  });

  it('of an edit has its own event types', async () => {
    const edit = { ...completed, type: 'image_edit.completed' };
    provider.answerWith(pieces([sse([{ ...partial(0), type: 'image_edit.partial_image' }, edit])], 'end'));
    const image = await toFile(Buffer.from(onePixel, 'base64'), 'a.png', { type: 'image/png' });
    const types = [];
    for await (const event of await client.images.edit({ ...asked, image })) types.push(event.type);
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    expect(provider.requests[0]?.body).toContain('name="stream"\r\n\r\ntrue');
  });

  it('that reports an error, or is cut, ends with an error', async () => {
    const failure = {
      type: 'error',
      error: {
        type: 'image_generation_user_error',
        code: 'moderation_blocked',
        message: 'Pas ça, chérie.',
        param: null,
      },
    };
    provider.answerWith(pieces([sse([partial(0), failure])], 'end'));
    await expect(all(await client.images.generate(asked))).rejects.toThrow('Pas ça, chérie.');
    provider.answerWith(pieces([sse([partial(0)])], 'end'));
    await expect(all(await client.images.generate(asked))).rejects.toThrow();
    provider.answerWith(pieces([sse([failure])], 'end'));
    await expect(client.images.generate(asked)).rejects.toMatchObject({ code: 'moderation_blocked' });
    const records = await gateway.settledCount(3);
    expect(records.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    // The image was being generated: 0.167 USD, as the operator pays it.
    expect(records.map(({ cost_nano }) => cost_nano)).toEqual(['167000000', '167000000', '0']);
    expect(records.map(({ estimated }) => estimated)).toEqual([true, true, false]);
  });

  it('is aborted at the provider when the client disconnects', async () => {
    provider.answerWith(pieces([sse([partial(0)])], 'hang'));
    for await (const event of await client.images.generate(asked)) {
      expect(event.type).toBe('image_generation.partial_image');
      break;
    }
    await (
      await provider.nextRequest()
    ).aborted;
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', cost_nano: '167000000', estimated: true });
  });

  it('is created if the provider’s response is not streamed', async () => {
    provider.answerWith(
      json(
        200,
        picture({ size: '1024x1024', quality: 'low', usage, data: [{ b64_json: onePixel }, { b64_json: onePixel }] }),
      ),
    );
    const events = [];
    for await (const event of await client.images.generate({ ...asked, n: 2 })) events.push(event);
    expect(events.map(({ type }) => type)).toEqual(['image_generation.completed', 'image_generation.completed']);
    expect(events[1]).toMatchObject({ b64_json: onePixel, size: '1024x1024', usage: { ...usage, cost: 0.16685 } });
    const [record] = await gateway.settledCount(1);
    expect(record?.units).toMatchObject({
      media: expect.arrayContaining([expect.objectContaining({ unit: 'image', quantity: 1 })]),
    });
  });
});

describe('OpenAI’s edits and variations', () => {
  const file = (name = 'otter.bin'): Promise<File> => toFile(Buffer.from(onePixel, 'base64'), name);

  it('are relayed as forms, each image with its media type', async () => {
    provider.answerWith(json(200, edited));
    const made = await client.images.edit({
      model: 'openai/gpt-image-1',
      prompt: 'a flamingo’s “otter”',
      image: [await file(), await file('b.png')],
      mask: await file('mask.png'),
      n: 1,
      input_fidelity: 'high',
      output_compression: 50,
    });
    expect(made).toMatchObject({ size: '1024x1024', quality: 'high', background: 'opaque' });
    const [request] = provider.requests;
    expect(request?.path).toBe('/v1/images/edits');
    const form = await new Response(request?.body, {
      headers: { 'content-type': String(request?.headers['content-type']) },
    }).formData();
    const files = [...form.getAll('image[]'), form.get('mask')].map((value) =>
      value instanceof File ? [value.name, value.type] : value,
    );
    expect(files).toEqual([
      ['otter.png', 'image/png'],
      ['b.png', 'image/png'],
      ['mask.png', 'image/png'],
    ]);
    expect(Object.fromEntries([...form].filter(([, value]) => typeof value === 'string'))).toEqual({
      model: 'gpt-image-1',
      prompt: 'a flamingo’s “otter”',
      n: '1',
      input_fidelity: 'high',
      output_compression: '50',
    });
    const [record] = await gateway.settledCount(1);
    // One of 1024x1024, high, as the response states.
    expect(record?.cost_nano).toBe('167000000');
    await noFileIn(gateway.uploads);
  });

  it('are relayed as JSON if the client sent JSON', async () => {
    provider.answerWith(json(200, edited));
    const body = { model: 'openai/gpt-image-1', prompt: 'a', images: [{ image_url: 'https://example.com/a.png' }] };
    expect((await post('/images/edits', body)).status).toBe(200);
    expect(provider.requests[0]?.json).toEqual({ ...body, model: 'gpt-image-1' });
  });

  it('with an image only are variations', async () => {
    provider.answerWith(json(200, picture()));
    const made = await client.images.createVariation({
      model: 'openai/dall-e-2',
      image: await file('a.png'),
      size: '512x512',
      response_format: 'b64_json',
    });
    expect(made.data).toEqual([{ b64_json: onePixel }]);
    expect(provider.requests[0]?.path).toBe('/v1/images/variations');
    expect(provider.requests[0]?.body).toContain('name="image"; filename="a.png"');
  });

  it('leave no file behind when the client disconnects', async () => {
    provider.answerWith(silence);
    const leaving = new AbortController();
    const asked = client.images.edit(
      { model: 'openai/gpt-image-1', prompt: 'a', image: await file() },
      { signal: leaving.signal },
    );
    const request = await provider.nextRequest();
    leaving.abort();
    await expect(asked).rejects.toThrow();
    await request.aborted;
    await gateway.settledCount(1);
    await noFileIn(gateway.uploads);
  });
});

async function all(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const result = [];
  for await (const event of events) result.push(event);
  return result;
}

function post(path: string, body: unknown): Promise<Response> {
  return fetch(`${gateway.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}
