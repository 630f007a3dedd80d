import { createOpenAI } from '@ai-sdk/openai';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentMp3, wavTone } from '../../../harness/audio-samples.ts';
import {
  json,
  pieces,
  refusal,
  startFakeProvider,
  type FakeProvider,
  type Script,
} from '../../../harness/fake-provider.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { readEventData } from '../../../harness/read-events.ts';

/** 85 frames of 24 ms. */
const MP3_SECONDS = 2.04;
const mp3 = silentMp3(MP3_SECONDS);
const wav = wavTone(1.5);

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

const asked = { model: 'openai/gpt-4o-mini-tts', voice: 'alloy', input: 'Grüße, 🌊!' } as const;

/** Sends these bytes in chunks. */
function audio(bytes: Buffer, contentType = 'audio/mpeg', length = 1_000): Script {
  const parts = Array.from({ length: Math.ceil(bytes.length / length) }, (_, part) =>
    bytes.subarray(part * length, (part + 1) * length),
  );
  return pieces(parts, 'end', contentType);
}

function events(...data: unknown[]): string[] {
  return data.map((value) => `data: ${JSON.stringify(value)}\n\n`);
}

function post(body: unknown): Promise<Response> {
  return fetch(`${gateway.url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

interface ToldEvent {
  readonly type: string;
  readonly audio?: string;
  readonly usage?: Readonly<Record<string, number>>;
}

function spokenIn(told: readonly ToldEvent[]): Buffer {
  return Buffer.concat(told.map(({ audio: base64 }) => Buffer.from(base64 ?? '', 'base64')));
}

async function dataOf(response: Response): Promise<ToldEvent[]> {
  return readEventData(await response.text());
}

describe('bytes', () => {
  it('are relayed unchanged, and metered', async () => {
    provider.answerWith(audio(mp3));
    const response = await client.audio.speech.create({ ...asked, speed: 1.25, instructions: 'Calm.' });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await response.arrayBuffer()).equals(mp3)).toBe(true);
    expect(provider.requests[0]?.path).toBe('/v1/audio/speech');
    expect(provider.requests[0]?.json).toEqual({
      model: 'gpt-4o-mini-tts',
      voice: 'alloy',
      input: 'Grüße, 🌊!',
      speed: 1.25,
      instructions: 'Calm.',
    });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      capability: 'speech',
      model: 'openai/gpt-4o-mini-tts',
      status: 'succeeded',
      streamed: true,
      // 14 bytes of text and 5 of instructions; a token for each 50 ms.
      input_tokens: 6,
      output_tokens: 41,
      estimated: true,
    });
    expect(record?.units).toEqual({
      audioOutputTokens: 41,
      media: [
        { unit: 'audio_second', quantity: MP3_SECONDS },
        { unit: 'character', quantity: 9 },
      ],
    });
    // 0.6 USD for a million tokens of text, 12 for those of audio.
    expect(record?.cost_nano).toBe(String(6 * 600 + 41 * 12_000));
  });

  it('reach the client before the provider has finished', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    provider.answerWith(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      response.write(mp3.subarray(0, 5_000));
      await finished;
      response.end(mp3.subarray(5_000));
    });
    const response = await client.audio.speech.create(asked);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(first?.value?.length).toBe(5_000);
    expect(gateway.settled()).toEqual([]);
    finish();
    let rest = 0;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) rest += part.value.length;
    expect(rest).toBe(mp3.length - 5_000);
  });

  it('of a model priced per character have their cost in a header', async () => {
    provider.answerWith(audio(mp3));
    const response = await client.audio.speech.create({ ...asked, model: 'openai/tts-1' });
    // 15 USD for a million characters.
    expect(response.headers.get('x-sluice-cost')).toBe('0.000135');
    await response.arrayBuffer();
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ cost_nano: '135000', estimated: false, input_tokens: 0, output_tokens: 0 });
  });

  it('of another format than requested have their actual content type', async () => {
    provider.answerWith(audio(wav, 'audio/mpeg'));
    const response = await client.audio.speech.create(asked);
    expect(response.headers.get('content-type')).toBe('audio/wav');
    await response.arrayBuffer();
    const [record] = await gateway.settledCount(1);
    expect(record?.units?.media?.[0]).toEqual({ unit: 'audio_second', quantity: 1.5 });
  });

  it('are read by the AI SDK', async () => {
    provider.answerWith(audio(wav, 'audio/wav'));
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret });
    const model = openai.speech('openai/tts-1');
    const { audio: spoken } = await model.doGenerate({ text: 'Hello', voice: 'alloy', outputFormat: 'wav' });
    expect(Buffer.from(spoken).equals(wav)).toBe(true);
  });

  it('that are interrupted close the connection, and are billed for the received audio', async () => {
    provider.answerWith(pieces([mp3.subarray(0, 8_000)], 'cut', 'audio/mpeg'));
    const response = await client.audio.speech.create(asked);
    await expect(response.arrayBuffer()).rejects.toThrow();
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', error_code: 'provider_stream_cut' });
    // 8,000 bytes at 64 kbit/s, in frames of 192 bytes and 24 ms; 14 bytes of text.
    expect(record?.units?.media?.[0]).toEqual({ unit: 'audio_second', quantity: 1.008 });
    expect(record?.cost_nano).toBe(String(4 * 600 + 21 * 12_000));
  });

  it('are billed as far as they were received if the client disconnects', async () => {
    provider.answerWith(pieces([mp3.subarray(0, 8_000)], 'hang', 'audio/mpeg'));
    const leaving = new AbortController();
    const response = await client.audio.speech.create(
      { ...asked, model: 'openai/tts-1-hd' },
      { signal: leaving.signal },
    );
    await response.body?.getReader().read();
    leaving.abort();
    await provider.requests[0]?.aborted;
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', http_status: 499 });
    expect(record?.units?.media).toEqual([
      { unit: 'audio_second', quantity: 1.008 },
      { unit: 'character', quantity: 9 },
    ]);
    // 30 USD for a million characters: all of them.
    expect(record?.cost_nano).toBe(String(9 * 30_000));
  });

  it('that never arrived are billed by the characters sent', async () => {
    provider.answerWith(() => undefined);
    const leaving = new AbortController();
    const speaking = client.audio.speech.create({ ...asked, model: 'openai/tts-1' }, { signal: leaving.signal });
    const request = await provider.nextRequest();
    leaving.abort();
    await expect(speaking).rejects.toThrow();
    await request.aborted;
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'aborted', cost_nano: '135000' });
  });
});

describe('events', () => {
  const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
  const done = { type: 'speech.audio.done', usage };
  const delta = (bytes: Buffer): unknown => ({ type: 'speech.audio.delta', audio: bytes.toString('base64') });
  const ofMp3 = [delta(mp3.subarray(0, 6_001)), delta(mp3.subarray(6_001))];

  it('of OpenAI are relayed, and the last one contains the cost', async () => {
    provider.answerWith(pieces(events(...ofMp3, { type: 'speech.audio.news', more: 1 }, done), 'end'));
    const response = await post({ ...asked, stream_format: 'sse' });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(provider.requests[0]?.json.stream_format).toBe('sse');
    expect(await dataOf(response)).toEqual([
      ...ofMp3,
      { type: 'speech.audio.news', more: 1 },
      // 14 tokens at 600 nano-USD, and 101 at 12,000.
      { type: 'speech.audio.done', usage: { ...usage, cost: 0.0012204 } },
    ]);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      input_tokens: 14,
      output_tokens: 101,
      estimated: false,
      cost_nano: String(14 * 600 + 101 * 12_000),
    });
    expect(record?.units?.media?.[0]).toEqual({ unit: 'audio_second', quantity: MP3_SECONDS });
  });

  it('are complete, however they are split', async () => {
    const all = Buffer.from(
      events(...ofMp3, done)
        .join('')
        .replaceAll('\n', '\r\n'),
    );
    const parts = Array.from({ length: Math.ceil(all.length / 1_111) }, (_, at) =>
      all.subarray(at * 1_111, at * 1_111 + 1_111),
    );
    provider.answerWith(pieces(parts, 'end'));
    const told = await dataOf(await post({ ...asked, stream_format: 'sse' }));
    expect(spokenIn(told).equals(mp3)).toBe(true);
    expect(told.at(-1)?.usage?.output_tokens).toBe(101);
  });

  it('are generated from bytes for a model without events', async () => {
    provider.answerWith(audio(mp3));
    const told = await dataOf(await post({ ...asked, model: 'openai/tts-1', stream_format: 'sse' }));
    expect(provider.requests[0]?.json).not.toHaveProperty('stream_format');
    expect(new Set(told.slice(0, -1).map(({ type }) => type))).toEqual(new Set(['speech.audio.delta']));
    expect(spokenIn(told).equals(mp3)).toBe(true);
    expect(told.at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost: 0.000135 },
    });
  });

  it('are converted to bytes if the client requests bytes', async () => {
    provider.answerWith(pieces(events(...ofMp3, done), 'end'));
    const response = await client.audio.speech.create(asked);
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(Buffer.from(await response.arrayBuffer()).equals(mp3)).toBe(true);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ output_tokens: 101, estimated: false });
  });

  it('that end without the last one close the connection', async () => {
    provider.answerWith(pieces(events(...ofMp3), 'end'));
    const text = await (await post({ ...asked, stream_format: 'sse' })).text();
    expect(text).toContain('"code":"provider_stream_cut"');
    expect(text).not.toContain('speech.audio.done');
  });

  it('that report an error before any audio fail the request', async () => {
    const error = { type: 'error', error: { message: 'Slow down', type: 'requests', code: 'rate_limit_exceeded' } };
    provider.answerWith(pieces(events(error), 'end'));
    const response = await post({ ...asked, stream_format: 'sse' });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', cost_nano: '0' });
  });
});

describe('a request', () => {
  it.each([
    ['no model', { model: undefined }, 400, null, null],
    ['no input', { input: undefined }, 400, 'missing_required_parameter', 'input'],
    ['an empty input', { input: '' }, 400, 'string_below_min_length', 'input'],
    ['too long an input', { input: 'é'.repeat(4_097) }, 400, 'string_above_max_length', 'input'],
    ['an input that is no text', { input: ['a'] }, 400, 'invalid_type', 'input'],
    ['no voice', { voice: undefined }, 400, 'missing_required_parameter', 'voice'],
    ['an empty voice', { voice: '' }, 400, 'string_below_min_length', 'voice'],
    ['a voice without its id', { voice: {} }, 400, 'missing_required_parameter', 'voice.id'],
    ['a voice of another kind', { voice: 7 }, 400, 'invalid_type', 'voice'],
    ['too long instructions', { instructions: 'a'.repeat(4_097) }, 400, 'string_above_max_length', 'instructions'],
    ['an unknown format', { response_format: 'mp4' }, 400, 'invalid_value', 'response_format'],
    ['too slow a speed', { speed: 0.2 }, 400, 'decimal_below_min_value', 'speed'],
    ['too fast a speed', { speed: 4.5 }, 400, 'decimal_above_max_value', 'speed'],
    ['an unknown form of stream', { stream_format: 'websocket' }, 400, 'invalid_value', 'stream_format'],
    ['an unknown model', { model: 'openai' }, 404, 'model_not_found', null],
  ])('with %s is refused, and costs nothing', async (_what, members, status, code, param) => {
    const response = await post({ ...asked, ...members });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, param } });
    expect(provider.requests).toEqual([]);
    expect(gateway.settled()).toEqual([]);
  });

  it('with the longest text succeeds', async () => {
    provider.answerWith(audio(mp3));
    const response = await client.audio.speech.create({ ...asked, model: 'openai/tts-1', input: '🌊'.repeat(4_096) });
    expect(response.headers.get('x-sluice-cost')).toBe('0.06144');
    await response.arrayBuffer();
  });

  it('that the provider rejects returns its error, and costs nothing', async () => {
    provider.answerWith(refusal(400, 'No such voice'));
    const speaking = client.audio.speech.create({ ...asked, voice: 'nobody' });
    await expect(speaking).rejects.toMatchObject({ status: 400, message: expect.stringContaining('No such voice') });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it.each([
    ['a document', json(200, { audio: 'no' })],
    ['nothing', pieces([], 'end', 'audio/mpeg')],
  ])('with a response of %s fails', async (_what, script) => {
    provider.answerWith(script);
    await expect(client.audio.speech.create(asked)).rejects.toMatchObject({ status: 502 });
    const [record] = await gateway.settledCount(1);
    expect(record?.cost_nano).toBe('0');
  });
});
