import { describe, expect, it } from 'vitest';
import { probed } from '../../../harness/audio.ts';
import { opusTone, pcmTone, silentMp3 } from '../../../harness/audio-samples.ts';
import { json, pieces } from '../../../harness/fake-provider.ts';
import { itWithFfmpeg } from '../../../harness/ffmpeg.ts';
import { SettingsError } from '../../../../src/providers/contract.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import { requestSpeech, expectSeconds } from './speech-call.ts';

const mp3 = silentMp3(1);
const pcm = pcmTone(1);
const asMp3 = pieces([mp3.subarray(0, 3_001), mp3.subarray(3_001)], 'end', 'audio/mpeg');
const asSamples = pieces([pcm.subarray(0, 7), pcm.subarray(7)], 'end', 'application/octet-stream');

const unheard = {
  onConnecting: () => undefined,
  onHead: () => undefined,
  onData: () => undefined,
  onParts: () => undefined,
  onResult: () => undefined,
  onEnd: () => undefined,
  onFailure: () => undefined,
};

describe('ElevenLabs', () => {
  const asked = { provider: 'elevenlabs', model: 'eleven_v3', basePath: '' };

  it('receives requests for an MP3 stream by default', async () => {
    const answer = await requestSpeech({
      ...asked,
      script: asMp3,
      request: { voice: 'a/b', speed: 1.1, language_code: 'en' },
    });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.equals(mp3)).toBe(true);
    expect(answer.received?.path).toBe('/v1/text-to-speech/a%2Fb/stream?output_format=mp3_44100_128');
    expect(answer.received?.headers['xi-api-key']).toBe('provider-key');
    expect(answer.received?.json).toEqual({
      text: 'Hello there',
      model_id: 'eleven_v3',
      language_code: 'en',
      voice_settings: { speed: 1.1 },
    });
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expectSeconds(answer, 1);
  });

  it('returns WAV built from its samples', async () => {
    const answer = await requestSpeech({ ...asked, script: asSamples, request: { response_format: 'wav' } });
    expect(answer.received?.path).toMatch(/output_format=pcm_24000$/);
    expect(answer.headers.get('content-type')).toBe('audio/wav');
    expect(answer.body.subarray(44).equals(pcm)).toBe(true);
    expectSeconds(answer, 1);
  });

  itWithFfmpeg('returns WAV that FFmpeg decodes', async () => {
    const answer = await requestSpeech({ ...asked, script: asSamples, request: { response_format: 'wav' } });
    expect(probed(answer.body)).toMatchObject({ codec: 'pcm_s16le', rate: 24_000, seconds: 1 });
  });

  it('returns raw samples and Opus', async () => {
    const samples = await requestSpeech({ ...asked, script: asSamples, request: { response_format: 'pcm' } });
    expect(samples.headers.get('content-type')).toBe('audio/pcm');
    expectSeconds(samples, 1);
    const script = pieces([opusTone()], 'end', 'audio/ogg');
    const inOgg = await requestSpeech({ ...asked, script, request: { response_format: 'opus' } });
    expect(inOgg.received?.path).toMatch(/output_format=opus_48000_128$/);
    expectSeconds(inOgg, 1);
  });

  it('does not receive unsupported parameters, which are reported as dropped', async () => {
    const request = { response_format: 'flac', instructions: 'Calm', speed: 3, extra: 1, voice_settings: { style: 1 } };
    const answer = await requestSpeech({ ...asked, script: asMp3, request });
    expect(answer.headers.get('x-sluice-dropped-params')).toBe('response_format, instructions, speed, extra');
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    expect(answer.received?.json).toEqual({ text: 'Hello there', model_id: 'eleven_v3', voice_settings: { style: 1 } });
  });

  it.each([
    ['instructions', { instructions: 'Calm' }],
    ['speed', { speed: 2 }],
    ['response_format', { response_format: 'aac' }],
  ])('rejects %s in strict mode', async (param, request) => {
    const answer = await requestSpeech({ ...asked, script: asMp3, request, strict: true });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code: 'unsupported_parameter', param } });
    expect(answer.received).toBeUndefined();
  });

  it.each([
    [{ detail: { status: 'voice_not_found', message: 'A voice was not found.' } }, 'A voice was not found.'],
    [{ detail: [{ loc: ['body'], msg: 'field required', type: 'missing' }] }, 'field required'],
    [{ detail: 'Not so' }, 'Not so'],
  ])('has its error messages relayed: %j', async (body, message) => {
    const answer = await requestSpeech({ ...asked, script: json(422, body) });
    expect(answer.status).toBe(422);
    expect(JSON.parse(answer.body.toString()).error.message).toContain(message);
    expect(answer.record?.cost_nano).toBe('0');
  });
});

describe('Deepgram', () => {
  const asked = { provider: 'deepgram', model: 'aura-2-thalia-en', basePath: '', request: { voice: 'thalia' } };

  it.each([
    ['mp3', 'encoding=mp3'],
    ['opus', 'encoding=opus&container=ogg'],
    ['aac', 'encoding=aac'],
    ['flac', 'encoding=flac'],
    ['wav', 'encoding=linear16&container=wav&sample_rate=24000'],
    ['pcm', 'encoding=linear16&container=none&sample_rate=24000'],
  ])('receives a request for %s', async (format, query) => {
    const request = { voice: 'thalia', response_format: format };
    const answer = await requestSpeech({ ...asked, script: asMp3, request, strict: true });
    expect(answer.received?.path).toBe(`/v1/speak?model=aura-2-thalia-en&${query}`);
    expect(answer.received?.json).toEqual({ text: 'Hello there' });
    expect(answer.received?.headers.authorization).toBe('Token provider-key');
  });

  it('is billed by character, as the cost header states', async () => {
    const answer = await requestSpeech({ ...asked, script: asMp3 });
    // 11 characters at 30 USD per million.
    expect(answer.headers.get('x-sluice-cost')).toBe('0.00033');
    expect(answer.record).toMatchObject({ cost_nano: '330000', estimated: false });
    expectSeconds(answer, 1);
  });

  it.each([
    ['aura-2', 'thalia', 'aura-2-thalia-en'],
    ['aura-2', 'celeste-es', 'aura-2-celeste-es'],
    ['aura', 'Asteria', 'aura-asteria-en'],
    ['aura-2-thalia-en', 'aura-2-thalia-en', 'aura-2-thalia-en'],
  ])('with model %s and voice %s uses %s', async (model, voice, theirs) => {
    const answer = await requestSpeech({ ...asked, model, script: asMp3, request: { voice }, strict: true });
    expect(answer.received?.path).toContain(`?model=${theirs}&`);
  });

  it('rejects a voice that it does not have', async () => {
    const request = { voice: 'luna' };
    const refused = await requestSpeech({ ...asked, script: asMp3, request, strict: true });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.body.toString())).toMatchObject({ error: { param: 'voice' } });
    const dropped = await requestSpeech({ ...asked, script: asMp3, request });
    expect(dropped.headers.get('x-sluice-dropped-params')).toBe('voice');
  });

  it('receives a speed for voices that support it', async () => {
    const at = (model: string, speed: number) =>
      requestSpeech({ ...asked, model, script: asMp3, request: { voice: 'thalia', speed } });
    expect((await at('aura-2-thalia-en', 1.5)).received?.path).toMatch(/&speed=1\.5$/);
    expect((await at('aura-2-thalia-en', 2)).headers.get('x-sluice-dropped-params')).toBe('speed');
    expect((await at('aura-thalia-en', 1.2)).headers.get('x-sluice-dropped-params')).toBe('speed');
  });

  it('has its error messages relayed', async () => {
    const script = json(400, { err_code: 'TOO_LONG', err_msg: 'Input text exceeds maximum', request_id: 'x' });
    const answer = await requestSpeech({ ...asked, script });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body.toString()).error).toMatchObject({
      message: 'Input text exceeds maximum',
      code: 'TOO_LONG',
    });
  });
});

describe('Cartesia', () => {
  const asked = { provider: 'cartesia', model: 'sonic-3', basePath: '' };

  it.each([
    ['mp3', { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 }, 'audio/mpeg', asMp3],
    ['pcm', { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 }, 'audio/pcm', asSamples],
  ])('receives a request for %s', async (format, output, contentType, script) => {
    const request = { response_format: format, voice: { id: 'voice-1' }, speed: 1.5, language: 'fr' };
    const answer = await requestSpeech({ ...asked, script, request, strict: true });
    expect(answer.received?.path).toBe('/tts/bytes');
    expect(answer.received?.headers).toMatchObject({
      authorization: 'Bearer provider-key',
      'cartesia-version': '2025-04-16',
    });
    expect(answer.received?.json).toEqual({
      model_id: 'sonic-3',
      transcript: 'Hello there',
      voice: { mode: 'id', id: 'voice-1' },
      output_format: output,
      language: 'fr',
      generation_config: { speed: 1.5 },
    });
    expect(answer.headers.get('content-type')).toBe(contentType);
    expectSeconds(answer, 1);
  });

  it('does not receive a speed for older models, or unsupported formats', async () => {
    const request = { speed: 1.2, response_format: 'opus' };
    const answer = await requestSpeech({ ...asked, model: 'sonic-2', script: asMp3, request });
    expect(answer.headers.get('x-sluice-dropped-params')).toBe('speed, response_format');
    expect(answer.received?.json).toMatchObject({ output_format: { container: 'mp3' } });
    expect(answer.received?.json).not.toHaveProperty('generation_config');
  });

  it('has events created from its bytes', async () => {
    const answer = await requestSpeech({ ...asked, script: asMp3, request: { stream_format: 'sse' } });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(answer.body.toString()).toContain('"type":"speech.audio.done"');
  });

  it('has its plain-text errors relayed', async () => {
    const words = 'model not found: sonic';
    const refused = await requestSpeech({
      ...asked,
      script: (_request, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end(words),
    });
    expect(refused.status).toBe(404);
    expect(refused.body.toString()).toContain(words);
    // A success status, but not audio.
    const answered = await requestSpeech({ ...asked, script: pieces([words], 'end', 'text/plain') });
    expect(answered.status).toBe(502);
  });

  it('has no chat models', async () => {
    const settings = { id: 'cartesia', apiKey: 'key', baseUrl: undefined, connectTimeoutMs: 60_000, options: {} };
    const connection = openConnection('cartesia', settings);
    const request = { messages: [{ role: 'user', content: 'Hello' }] } as const;
    const context = { model: 'sonic-3', request, stream: false, wantsUsage: false, requestId: 'req_1' };
    const chatting = (): unknown =>
      connection.chat({ ...context, body: Buffer.from('{}'), parameters: 'drop' }, { ...unheard });
    expect(chatting).toThrow(expect.objectContaining({ code: 'capability_not_supported' }));
    expect(await connection.listModels()).toEqual([]);
    await connection.close();
    expect(() => openConnection('cartesia', { ...settings, apiKey: undefined })).toThrow(SettingsError);
  });
});
