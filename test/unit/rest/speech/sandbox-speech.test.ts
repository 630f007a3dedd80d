import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSandboxConnection } from '../../../../src/providers/sandbox/sandbox-connection.ts';
import type { Upstream } from '../../../../src/providers/contract.ts';
import { probed } from '../../../harness/audio.ts';
import { itWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { readEventData } from '../../../harness/read-events.ts';

let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  gateway = await startGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(() => gateway.close());

const model = 'sandbox/speech';
const input = 'Sluice is one gate for every model: what it says can be heard.';
/** 62 characters, 15 in a second. */
const SECONDS = 62 / 15;
const WAV_HEADER_BYTES = 44;

async function spoken(
  request: Partial<OpenAI.Audio.SpeechCreateParams>,
): Promise<{ audio: Buffer; response: Response }> {
  const response = await client.audio.speech.create({ model, voice: 'alloy', input, ...request });
  return { audio: Buffer.from(await response.arrayBuffer()), response };
}

describe('the sandbox’s speech', () => {
  itWithFfmpeg.each([
    ['mp3', 'audio/mpeg', 'mp3', 24_000],
    ['opus', 'audio/ogg; codecs=opus', 'opus', 48_000],
    ['aac', 'audio/aac', 'aac', 24_000],
    ['flac', 'audio/flac', 'flac', 24_000],
    ['wav', 'audio/wav', 'pcm_s16le', 24_000],
  ] as const)('is real %s, as long as its text', async (format, type, codec, rate) => {
    const { audio, response } = await spoken({ response_format: format });
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-sluice-cost')).toBe('0');
    const found = probed(audio);
    expect(found).toMatchObject({ codec, rate, channels: 1 });
    // A frame of AAC is 43 ms long.
    expect(Math.abs(found.seconds - SECONDS)).toBeLessThan(0.05);
    expect(found.loudness).toBeGreaterThan(0.1);
    expect(found.loudness).toBeLessThan(0.9);
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({
      model,
      capability: 'speech',
      status: 'succeeded',
      cost_nano: '0',
      estimated: false,
    });
    const [seconds, characters] = record?.units?.media ?? [];
    expect(Math.abs((seconds?.quantity ?? 0) - found.seconds)).toBeLessThan(0.002);
    expect(characters).toEqual({ unit: 'character', quantity: 62 });
  });

  it('consists of raw samples of 24 kHz', async () => {
    const { audio, response } = await spoken({ response_format: 'pcm' });
    expect(response.headers.get('content-type')).toBe('audio/pcm');
    expect(audio.length / 2 / 24_000).toBeCloseTo(SECONDS, 3);
    const { audio: wav } = await spoken({ response_format: 'wav' });
    expect(wav.subarray(WAV_HEADER_BYTES).equals(audio)).toBe(true);
    const { audio: flac } = await spoken({ response_format: 'flac' });
    expect(flac.length).toBeLessThan(wav.length);
  });

  it('is MP3 by default', async () => {
    const { audio, response } = await spoken({});
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    const { audio: mp3 } = await spoken({ response_format: 'mp3' });
    expect(audio.equals(mp3)).toBe(true);
  });

  it.each([
    [0.25, SECONDS * 4],
    [4, SECONDS / 4],
  ])('obeys a speed of %d', async (speed, seconds) => {
    const { audio } = await spoken({ speed, response_format: 'pcm' });
    expect(Math.abs(audio.length / 2 / 24_000 - seconds)).toBeLessThan(0.05);
  });

  itWithFfmpeg.each([
    [0.25, SECONDS * 4],
    [4, SECONDS / 4],
  ])('obeys a speed of %d in WAV and MP3', async (speed, seconds) => {
    for (const format of ['wav', 'mp3'] as const) {
      const { audio } = await spoken({ speed, response_format: format });
      expect(Math.abs(probed(audio).seconds - seconds)).toBeLessThan(0.05);
    }
  });

  it('is the same for the same text and voice, and differs for others', async () => {
    const one = await spoken({ response_format: 'pcm' });
    const same = await spoken({ response_format: 'pcm' });
    const otherVoice = await spoken({ response_format: 'pcm', voice: 'onyx' });
    const otherText = await spoken({ response_format: 'pcm', input: input.toUpperCase().replace('GATE', 'DOOR') });
    expect(same.audio.equals(one.audio)).toBe(true);
    expect(otherVoice.audio.equals(one.audio)).toBe(false);
    expect(otherText.audio.equals(one.audio)).toBe(false);
  });

  itWithFfmpeg.each(['a', '…', '水門', 'é', '🌊'.repeat(30), ' '])('speaks %s', async (text) => {
    for (const format of ['wav', 'opus', 'flac', 'mp3', 'aac'] as const) {
      const { audio } = await spoken({ input: text, response_format: format });
      expect(probed(audio).seconds).toBeGreaterThan(0.15);
    }
  });

  itWithFfmpeg('of the longest text is complete in Opus', async () => {
    const { audio } = await spoken({ input: 'abcdefg '.repeat(512), response_format: 'opus' });
    expect(probed(audio).seconds).toBeCloseTo(4_096 / 15, 1);
  });

  it('of the longest text is generated quickly', async () => {
    const { audio: samples } = await spoken({ input: 'abcdefg '.repeat(512), response_format: 'pcm' });
    expect(samples.length / 48_000).toBeCloseTo(4_096 / 15, 1);
  });

  it('reports its tokens in the last event', async () => {
    const response = await fetch(`${gateway.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, voice: { id: 'mine' }, input, stream_format: 'sse', response_format: 'wav' }),
    });
    const events = readEventData(await response.text());
    const last = events.pop();
    const audio = events.map((event) => Buffer.from(event.audio, 'base64'));
    expect((Buffer.concat(audio).length - WAV_HEADER_BYTES) / 2 / 24_000).toBeCloseTo(SECONDS, 2);
    expect(last.usage).toMatchObject({ output_tokens: 83, total_tokens: expect.any(Number), cost: 0 });
    const [record] = await gateway.settledCount(1);
    expect(record).toMatchObject({ output_tokens: 83, estimated: false });
  });

  it('is listed', async () => {
    const found = await client.models.retrieve(model);
    expect(found).toMatchObject({ name: 'Sandbox speech (no AI model)', capabilities: ['speech'] });
  });

  it('of another sandbox model does not exist', async () => {
    const refused = { status: 400, code: 'capability_not_supported' };
    await expect(spoken({ model: 'sandbox/chat' })).rejects.toMatchObject(refused);
    await expect(
      client.chat.completions.create({ model, messages: [{ role: 'user', content: 'a' }] }),
    ).rejects.toMatchObject(refused);
  });
});

describe('its pace', () => {
  let clock: FakeClock;

  beforeEach(() => void (clock = new FakeClock()));

  /** The received part of a response, when the provider is called directly. */
  function receive(tokensPerSecond: number): { bytes: () => number; ended: Promise<void>; upstream: () => Upstream } {
    let bytes = 0;
    let upstream: Upstream | undefined;
    const { services } = createSandboxConnection({ tokensPerSecond, clock });
    const ended = new Promise<void>((resolve, reject) => {
      services.speech?.(
        {
          model: 'speech',
          body: null,
          request: { input: 'abc', voice: 'alloy', response_format: 'pcm' },
          stream: true,
          requestId: 'req_1',
          parameters: 'strict',
        },
        {
          onConnecting: (given) => (upstream = given),
          onHead: () => undefined,
          onData: (data) => (bytes += data.length),
          onEnd: resolve,
          onFailure: reject,
        },
      );
    });
    return { bytes: () => bytes, ended, upstream: () => upstream ?? expect.fail('not connected') };
  }

  it('is the configured one: a token is 50 ms of audio', async () => {
    const { bytes, ended } = receive(40);
    // 3 characters are 0.2 s, 4 tokens: 0.1 s.
    await clock.advanceAsync(99);
    expect(bytes()).toBeLessThan(0.2 * 48_000);
    await clock.advanceAsync(1);
    await ended;
    expect(bytes()).toBe(0.2 * 48_000);
  });

  it('stops while it is paused, and permanently when it is aborted', async () => {
    const paused = receive(0);
    paused.upstream().pause();
    const aborted = receive(0);
    aborted.upstream().abort();
    const { ended } = receive(0);
    await clock.advanceAsync(60_000);
    await ended;
    expect(paused.bytes()).toBe(0);
    paused.upstream().resume();
    await clock.advanceAsync(60_000);
    await paused.ended;
    expect(paused.bytes()).toBe(0.2 * 48_000);
    expect(aborted.bytes()).toBe(0);
  });
});
