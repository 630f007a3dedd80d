import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../src/calendar/clock.ts';
import { blend, scaled, unfinished } from '../../../../src/providers/sandbox/image/canvas.ts';
import type { Send } from '../../../../src/providers/contract.ts';
import { createSandboxConnection } from '../../../../src/providers/sandbox/sandbox-connection.ts';
import { embeddingsDocument } from '../../../../src/providers/shared/embeddings/embeddings-document.ts';
import type { EmbeddingsRequest } from '../../../../src/providers/shared/embeddings/embeddings-request.ts';
import { opaqueMask } from '../../../../src/providers/shared/media/images-translation.ts';
import { decodePng, encodePng, type Bitmap } from '../../../../src/providers/shared/media/png.ts';
import { ask, RecordingReceiver, user } from './collect-answer.ts';

/** How often work may check the clock before it yields: eight times, and as often again for the following step. */
const LOOKS_PER_TURN = 20;

let looks = 0;

// Each read of the clock takes a millisecond: the duration of a turn is its number of reads.
beforeEach(() => {
  looks = 0;
  vi.spyOn(systemClock, 'monotonic').mockImplementation(() => ++looks);
});
afterEach(() => vi.restoreAllMocks());

/** Counts until the work is done. Fails for a turn with too many reads. */
async function looksDuring(work: Promise<unknown>): Promise<number> {
  const from = looks;
  let [before, most] = [looks, 0];
  let immediate = setImmediate(function turn() {
    most = Math.max(most, looks - before);
    before = looks;
    immediate = setImmediate(turn);
  });
  await work.finally(() => clearImmediate(immediate));
  expect(most).toBeLessThanOrEqual(LOOKS_PER_TURN);
  return looks - from;
}

const { services } = createSandboxConnection({ tokensPerSecond: 0 });
function asked<Request>(send: Send<Request> | undefined, model: string, request: Request): RecordingReceiver {
  const receiver = new RecordingReceiver();
  const call = { model, body: null, stream: false, requestId: 'req_0123456789abcdef', parameters: 'drop' } as const;
  send?.({ ...call, request }, receiver);
  return receiver;
}

const embedded = (request: EmbeddingsRequest) => asked(services.embeddings, 'embedding', request);
const judged = (input: string) => asked(services.moderation, 'moderation', { input });
const ranked = (query: string, documents: string[]) => asked(services.rerank, 'rerank', { query, documents });

const fail = (): never => expect.fail('nobody reads it');
const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

describe('the sandbox yields to the event loop', () => {
  it('while it generates many long embeddings', async () => {
    const receiver = embedded({ input: Array<string>(32).fill('one word'), dimensions: 3_072 });
    expect(await looksDuring(receiver.ended)).toBeGreaterThanOrEqual(32 * 6);
    expect(Math.max(...receiver.slices.map(({ length }) => length))).toBeLessThan(64 * 1024);
    expect(JSON.parse(receiver.body).data[31]).toMatchObject({ index: 31, embedding: expect.any(Array) });
    expect(JSON.parse(receiver.body).data[31].embedding).toHaveLength(3_072);
  });

  it('while it embeds a long text', async () => {
    expect(await looksDuring(embedded({ input: words(10_000) }).ended)).toBeGreaterThanOrEqual(10_000 / 64);
  });

  it('while it moderates a long text', async () => {
    const receiver = judged(`${'a plain word '.repeat(40_000)} I will kill you`);
    expect(await looksDuring(receiver.ended)).toBeGreaterThanOrEqual(520_000 / 2_000);
    expect(JSON.parse(receiver.body).results[0].flagged).toBe(true);
  });

  it.each([
    ['many documents', 'one', Array<string>(1_000).fill('one document')],
    ['long documents', 'one', [words(64_000)]],
    ['a long query', words(64_000), ['one document']],
  ])('while it ranks by %s', async (_what, query, documents) => {
    expect(await looksDuring(ranked(query, documents).ended)).toBeGreaterThanOrEqual(1_000);
  });

  it('and stops when the client disconnects', async () => {
    const receiver = judged('a plain word '.repeat(40_000));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    receiver.upstream?.abort();
    await new Promise((resolve) => setImmediate(resolve));
    const before = looks;
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(looks).toBe(before);
    expect(receiver.calls).not.toContain('end');
  });

  it('and rejects a schema above its context window', async () => {
    const schema = { const: Array.from({ length: 200_000 }, (_, index) => index) };
    const format = { type: 'json_schema', json_schema: { name: 'a', schema } };
    await expect(ask({ messages: user('Hello'), response_format: format })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'response_format',
    });
  });

  it('and transcribes at most two hours of a recording', async () => {
    const file = { filename: 'a.wav', contentType: 'audio/wav', size: 1, open: fail, read: fail };
    const request = { task: 'transcribe', file, durationSeconds: 8_640_000 } as const;
    const receiver = asked(services.transcription, 'transcription', request);
    await receiver.ended;
    expect(JSON.parse(receiver.body).text.split(' ')).toHaveLength(20_000);
  });
});

describe('an image', () => {
  const HEIGHT = 800;
  const bitmap: Bitmap = { width: 4, height: HEIGHT, pixels: Buffer.alloc(4 * HEIGHT * 4, 7) };

  it.each([
    ['is read', 2, async () => decodePng(await encodePng(bitmap))],
    ['is drawn over', 1, () => blend(bitmap, bitmap, () => true)],
    ['is scaled', 1, () => scaled(bitmap, 5, HEIGHT)],
    ['is made coarse', 1, () => unfinished(bitmap, 64)],
  ])('that %s yields to the event loop', async (_what, passes, draw) => {
    expect(await looksDuring(draw())).toBeGreaterThanOrEqual(passes * HEIGHT);
  });

  it('that is a mask is converted in many turns of the event loop', async () => {
    const png = await encodePng(bitmap);
    const url = `data:image/png;base64,${png.toString('base64')}`;
    // It is read, converted and written.
    expect(await looksDuring(opaqueMask('one', { url }, 'white'))).toBeGreaterThanOrEqual(4 * HEIGHT);
  });

  it.each(['video', 'thumbnail', 'spritesheet'] as const)('of a %s is made in many turns', async (variant) => {
    const job = { id: 'a', model: 'video', prompt: 'a', seconds: 60, size: '1280x1440', state: {}, createdAt: 0 };
    const video = services.video ?? fail();
    expect(await looksDuring(video.content(job, variant, {}, new AbortController().signal))).toBeGreaterThanOrEqual(
      variant === 'spritesheet' ? 60 : 1_440 / LOOKS_PER_TURN,
    );
  });
});

it('many embeddings of a provider are re-encoded in many turns of the event loop', async () => {
  const vectors = Array.from({ length: 1_000 }, () => [0.5, -0.25]);
  const part = { size: { inputs: 1_000, estimatedTokens: 1 }, answer: { vectors, tokens: 3 } };
  const work = embeddingsDocument('one', 'model', 'base64', [part]);
  expect(await looksDuring(work)).toBeGreaterThanOrEqual(1_000);
  const { data, usage } = JSON.parse((await work).body.toString());
  expect(data).toHaveLength(1_000);
  expect(data[999]).toEqual({ object: 'embedding', index: 999, embedding: 'AAAAPwAAgL4=' });
  expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 });
});
