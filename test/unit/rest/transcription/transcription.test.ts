import { createOpenAI } from '@ai-sdk/openai';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentMp3, wavTone } from '../../../harness/audio-samples.ts';
import {
  json,
  pieces,
  refusal,
  silence,
  startFakeProvider,
  type FakeProvider,
} from '../../../harness/fake-provider.ts';
import { noFileIn, whenNamesIn } from '../../../harness/folder-changes.ts';
import { readParts, readTexts } from '../../../harness/form.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';
import { RawHttp } from '../../../harness/raw-http.ts';

/** Six seconds each. */
const wav = wavTone(6, 16_000);
const mp3 = silentMp3(6);
let provider: FakeProvider;
let other: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

beforeEach(async () => {
  provider = await startFakeProvider();
  other = await startFakeProvider();
  gateway = await startGateway({
    openai: provider.url,
    providers: { other: other.url },
    config: 'routes:\n  heard: { targets: [openai/whisper-1, other/whisper] }\n',
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
  await other.close();
});

const recording = (): Promise<File> => toFile(wav, 'speech.wav', { type: 'audio/wav' });

async function noUploadLeft(): Promise<void> {
  await noFileIn(gateway.uploads);
}

afterEach(noUploadLeft);

describe('OpenAI’s transcription', () => {
  it('forwards the form unchanged, and is billed by the seconds of the file', async () => {
    provider.answerWith(json(200, { text: 'Hello.', usage: { type: 'duration', seconds: 6 } }));
    const { data, response } = await client.audio.transcriptions
      .create({
        model: 'openai/whisper-1',
        file: await recording(),
        language: 'en',
        prompt: 'Sluice, “gateway”',
        temperature: 0.5,
        response_format: 'verbose_json',
        timestamp_granularities: ['word', 'segment'],
      })
      .withResponse();
    expect(data).toMatchObject({ text: 'Hello.' });
    const [sent] = provider.requests;
    expect(sent?.path).toBe('/v1/audio/transcriptions');
    expect(Number(sent?.headers['content-length'])).toBe(sent?.bytes.length);
    const parts = readParts(sent?.headers['content-type'], sent?.bytes ?? Buffer.alloc(0));
    expect(readTexts(sent?.headers['content-type'], sent?.bytes ?? Buffer.alloc(0)).toSorted()).toEqual([
      ['language', 'en'],
      ['model', 'whisper-1'],
      ['prompt', 'Sluice, “gateway”'],
      ['response_format', 'verbose_json'],
      ['temperature', '0.5'],
      ['timestamp_granularities[]', 'segment'],
      ['timestamp_granularities[]', 'word'],
    ]);
    const file = parts.find(({ name }) => name === 'file');
    expect(file).toMatchObject({ filename: 'speech.wav', contentType: 'audio/wav' });
    expect(file?.bytes.equals(wav)).toBe(true);
    const [record_] = await gateway.settledCount(1);
    // 0.006 USD a minute: 100,000 nano-USD a second.
    expect(record_).toMatchObject({
      capability: 'transcription',
      model: 'openai/whisper-1',
      status: 'succeeded',
      cost_nano: '600000',
      estimated: false,
    });
    expect(response.headers.get('x-sluice-cost')).toBe('0.0006');
    await noUploadLeft();
  });

  it.each(['text', 'srt', 'vtt'] as const)('as %s is relayed unchanged', async (format) => {
    provider.answerWith(pieces(['1\n00:00:00,000 --> 00:00:06,000\nHello.\n\n'], 'end', 'text/plain; charset=utf-8'));
    const { data, response } = await client.audio.transcriptions
      .create({ model: 'openai/whisper-1', file: await recording(), response_format: format })
      .withResponse();
    expect(data).toContain('Hello.');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-sluice-cost')).toBe('0.0006');
    await noUploadLeft();
  });

  it('that is priced only by tokens is billed by the reported ones', async () => {
    const usage = {
      type: 'tokens',
      input_tokens: 70,
      input_token_details: { text_tokens: 10, audio_tokens: 60 },
      output_tokens: 8,
      total_tokens: 78,
    };
    provider.answerWith(json(200, { text: 'Hello.', usage }));
    await client.audio.transcriptions.create({ model: 'openai/gpt-4o-transcribe-diarize', file: await recording() });
    const [settled] = await gateway.settledCount(1);
    // 2.5 USD for a million tokens of text in, 6 of audio in, 10 of text out: 10 x 2,500 + 60 x 6,000 + 8 x 10,000 nano-USD.
    expect(settled).toMatchObject({ input_tokens: 70, output_tokens: 8, cost_nano: '465000', estimated: false });
    await noUploadLeft();
  });

  it('with a price per minute is not also billed by its tokens', async () => {
    const usage = { type: 'tokens', input_tokens: 70, output_tokens: 8, total_tokens: 78 };
    provider.answerWith(json(200, { text: 'Hello.', usage }));
    await client.audio.transcriptions.create({ model: 'openai/gpt-4o-transcribe', file: await recording() });
    expect((await gateway.settledCount(1))[0]).toMatchObject({ cost_nano: '600000' });
    await noUploadLeft();
  });

  it('is streamed if requested', async () => {
    const events = [
      { type: 'transcript.text.delta', delta: 'Hel' },
      { type: 'transcript.text.segment', id: 'seg_1', start: 0, end: 1, text: 'Hel', speaker: 'A' },
      { type: 'transcript.text.delta', delta: 'lö.' },
      {
        type: 'transcript.text.done',
        text: 'Hellö.',
        usage: { type: 'tokens', input_tokens: 60, output_tokens: 3, total_tokens: 63 },
      },
    ].map((event) => `data: ${JSON.stringify(event)}\n\n`);
    provider.answerWith(
      pieces(
        [...events.join('')].map((letter) => Buffer.from(letter)),
        'end',
      ),
    );
    const stream = await client.audio.transcriptions.create({
      model: 'openai/gpt-4o-transcribe',
      file: await recording(),
      stream: true,
    });
    const told: unknown[] = [];
    for await (const event of stream) told.push(event);
    expect(told.map((event) => (event as { type: string }).type)).toEqual([
      'transcript.text.delta',
      'transcript.text.segment',
      'transcript.text.delta',
      'transcript.text.done',
    ]);
    expect(told.at(-1)).toMatchObject({ text: 'Hellö.', usage: { input_tokens: 60, cost: 0.0006 } });
    expect(
      readTexts(provider.requests[0]?.headers['content-type'], provider.requests[0]?.bytes ?? Buffer.alloc(0)),
    ).toContainEqual(['stream', 'true']);
    await noUploadLeft();
  });

  it('of its oldest model is not streamed, even if requested', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: await form({ model: 'openai/whisper-1', stream: 'true' }),
    });
    expect(await answer.json()).toEqual({ text: 'Hello.' });
    await noUploadLeft();
  });

  it('that is not streamed although requested is converted to events', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    const stream = await client.audio.transcriptions.create({
      model: 'openai/gpt-4o-transcribe',
      file: await recording(),
      stream: true,
    });
    const told: unknown[] = [];
    for await (const event of stream) told.push(event);
    expect(told).toEqual([
      { type: 'transcript.text.delta', delta: 'Hello.' },
      { type: 'transcript.text.done', text: 'Hello.', usage: { type: 'duration', seconds: 6, cost: 0.0006 } },
    ]);
    await noUploadLeft();
  });

  it('whose stream contains an error or is interrupted returns an error', async () => {
    provider.answerWith(
      pieces(
        [
          'data: {"type":"transcript.text.delta","delta":"He"}\n\n',
          'data: {"error":{"message":"överload","type":"server_error"}}\n\n',
        ],
        'end',
      ),
    );
    const asked = { model: 'openai/gpt-4o-transcribe', stream: true } as const;
    const read = async (): Promise<void> => {
      for await (const _ of await client.audio.transcriptions.create({ ...asked, file: await recording() }));
    };
    await expect(read()).rejects.toThrow(/överload/);
    provider.answerWith(pieces(['data: {"type":"transcript.text.delta","delta":"He"}\n\n'], 'end'));
    await expect(read()).rejects.toThrow(/before it was complete/);
    // The audio was processed all the same.
    expect((await gateway.settledCount(2)).map(({ cost_nano: cost }) => cost)).toEqual(['600000', '600000']);
    await noUploadLeft();
  });

  it('falls back to the next target with the complete file, and leaves no files', async () => {
    provider.answerWith(refusal(503, 'busy'));
    other.answerWith(json(200, { text: 'Second.' }));
    const { data, response } = await client.audio.transcriptions
      .create({ model: 'heard', file: await toFile(mp3, 'speech.mp3') })
      .withResponse();
    expect(data.text).toBe('Second.');
    expect(response.headers.get('x-sluice-provider')).toBe('other');
    for (const { requests } of [provider, other]) {
      const [sent] = requests;
      const file = readParts(sent?.headers['content-type'], sent?.bytes ?? Buffer.alloc(0)).find(
        ({ name }) => name === 'file',
      );
      expect(file?.bytes.equals(mp3)).toBe(true);
    }
    await noUploadLeft();
  });

  it('is billed by its seconds if the client disconnects before the response', async () => {
    provider.answerWith(silence);
    const abort = new AbortController();
    const asked = client.audio.transcriptions.create(
      { model: 'openai/whisper-1', file: await recording() },
      { signal: abort.signal },
    );
    const sent = await provider.nextRequest();
    abort.abort();
    await expect(asked).rejects.toThrow();
    await sent.aborted;
    expect((await gateway.settledCount(1))[0]).toMatchObject({ status: 'aborted', cost_nano: '600000' });
    await noUploadLeft();
  });

  it('is refused with the provider’s message, costs nothing, and leaves no files', async () => {
    provider.answerWith(refusal(400, 'Invalid file format.'));
    const asked = client.audio.transcriptions.create({ model: 'openai/whisper-1', file: await recording() });
    await expect(asked).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('Invalid file format.'),
    });
    expect((await gateway.settledCount(1))[0]).toMatchObject({ status: 'failed', cost_nano: '0' });
    await noUploadLeft();
  });
});

describe('OpenAI’s translation', () => {
  it('is requested at its own path', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    const answer = await client.audio.translations.create({
      model: 'openai/whisper-1',
      file: await recording(),
      prompt: 'p',
    });
    expect(answer.text).toBe('Hello.');
    expect(provider.requests[0]?.path).toBe('/v1/audio/translations');
    expect((await gateway.settledCount(1))[0]).toMatchObject({ cost_nano: '600000' });
    await noUploadLeft();
  });
});

describe('the sandbox’s transcription', () => {
  it('is as long as the audio, and deterministic', async () => {
    const ask = async () =>
      client.audio.transcriptions.create({
        model: 'sandbox/transcription',
        file: await recording(),
        response_format: 'verbose_json',
        timestamp_granularities: ['word', 'segment'],
      });
    const first = await ask();
    // Two and a half words a second.
    expect(first.words).toHaveLength(15);
    expect(first.text.split(' ')).toHaveLength(15);
    expect(first.duration).toBe(6);
    expect(first.language).toBe('english');
    expect(first.segments?.map(({ text }) => text).join(' ')).toBe(first.text);
    let before = 0;
    for (const { start, end } of first.words ?? []) {
      expect(start).toBeGreaterThanOrEqual(before);
      expect(end).toBeGreaterThan(start);
      before = end;
    }
    expect(before).toBeLessThanOrEqual(6);
    expect(await ask()).toEqual(first);
    await noUploadLeft();
  });

  it('supports every format', async () => {
    const file = await recording();
    const ask = (response_format: 'json' | 'text' | 'srt' | 'vtt') =>
      client.audio.transcriptions.create({ model: 'sandbox/transcription', file, response_format });
    const { text } = await ask('json');
    expect(await ask('text')).toBe(`${text}\n`);
    const srt: unknown = await ask('srt');
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\nThis is the sandbox/);
    expect(await ask('vtt')).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\nThis is the sandbox/);
    const diarized = await client.audio.transcriptions.create({
      model: 'sandbox/transcription',
      file,
      response_format: 'diarized_json',
    });
    expect(diarized).toMatchObject({ duration: 6, segments: [{ speaker: 'A' }, { speaker: 'B' }] });
    const stream = await client.audio.transcriptions.create({ model: 'sandbox/transcription', file, stream: true });
    let streamed = '';
    for await (const event of stream) if (event.type === 'transcript.text.delta') streamed += event.delta;
    expect(streamed).toBe(text);
    expect((await client.audio.translations.create({ model: 'sandbox/transcription', file })).text).toBe(text);
    await noUploadLeft();
  });

  it('works with the AI SDK', async () => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret });
    const file = { audio: wav, mediaType: 'audio/wav' };
    const result = await openai.transcription('sandbox/transcription').doGenerate(file);
    expect(result.text.split(' ')).toHaveLength(15);
    const words = [{ word: 'Hello.', start: 0, end: 1 }];
    provider.answerWith(json(200, { task: 'transcribe', language: 'english', duration: 6, text: 'Hello.', words }));
    const providerOptions = { openai: { timestampGranularities: ['word'] } };
    const whisper = await openai.transcription('whisper-1').doGenerate({ ...file, providerOptions });
    expect(whisper).toMatchObject({ text: 'Hello.', language: 'en', segments: [{ text: 'Hello.' }] });
    await noUploadLeft();
  });

  it('is listed with its capability', async () => {
    const model: unknown = await client.models.retrieve('sandbox/transcription');
    expect(JSON.stringify(model)).toContain('transcription');
  });
});

async function form(fields: Record<string, string | Blob | undefined>): Promise<FormData> {
  const data = new FormData();
  const all = { model: 'openai/whisper-1', file: await recording(), ...fields };
  for (const [name, value] of Object.entries(all)) {
    if (value instanceof Blob) data.append(name, value);
    else if (value !== undefined) data.append(name, value);
  }
  return data;
}

describe('a request', () => {
  const cut = (): Blob => new Blob([wav.subarray(0, wav.length / 2)]);
  it.each([
    ['without a file', { file: undefined }, 400, 'missing_required_parameter', 'file'],
    ['with a text for a file', { file: 'hello' }, 400, 'invalid_type', 'file'],
    ['with a text file', { file: new Blob(['This is no audio. '.repeat(999)]) }, 400, 'invalid_audio', 'file'],
    ['with an empty file', { file: new Blob([]) }, 400, 'invalid_audio', 'file'],
    [
      'with half a WAV',
      {
        get file() {
          return cut();
        },
      },
      400,
      'invalid_audio',
      'file',
    ],
    ['with 26 MB', { file: new Blob([Buffer.alloc(26 * 1024 * 1024)]) }, 413, 'file_too_large', 'file'],
    ['with the file under another name', { file: undefined, audio: new Blob(['x']) }, 400, 'unexpected_file', 'audio'],
    ['with a field that is not known', { colour: 'red' }, 400, 'unknown_parameter', 'colour'],
    ['without a model', { model: undefined }, 400, null, null],
    ['for a model that is not known', { model: 'nobody/knows' }, 404, 'model_not_found', null],
    [
      'for a model that is not known, with no audio',
      { model: 'nobody/knows', file: new Blob(['x']) },
      404,
      'model_not_found',
      null,
    ],
    ['in a format that is not known', { response_format: 'yaml' }, 400, 'invalid_value', 'response_format'],
    ['with too high a temperature', { temperature: '1.5' }, 400, 'decimal_above_max_value', 'temperature'],
    ['with a temperature in words', { temperature: 'warm' }, 400, 'invalid_type', 'temperature'],
    [
      'with times that JSON has none of',
      { 'timestamp_granularities[]': 'word' },
      400,
      'invalid_value',
      'timestamp_granularities',
    ],
    [
      'with times of another kind',
      { 'timestamp_granularities[]': 'letter', response_format: 'verbose_json' },
      400,
      'invalid_value',
      'timestamp_granularities[0]',
    ],
    ['for parts, in words', { stream: 'yes' }, 400, 'invalid_type', 'stream'],
  ] as const)('%s is refused, costs nothing and leaves nothing', async (_what, fields, status, code, param) => {
    const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: await form(fields),
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code, param } });
    await noUploadLeft();
    expect(gateway.settled()).toEqual([]);
    expect(provider.requests).toHaveLength(0);
  });

  it('in JSON returns an error with the expected content type', async () => {
    const answer = await fetch(`${gateway.url}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{"model":"openai/whisper-1"}',
    });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_content_type' } });
  });

  it('for a translation does not accept a language', async () => {
    const answer = await fetch(`${gateway.url}/v1/audio/translations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}` },
      body: await form({ language: 'de' }),
    });
    expect(await answer.json()).toMatchObject({ error: { code: 'unknown_parameter', param: 'language' } });
    await noUploadLeft();
  });

  it('whose client disconnects during the upload leaves no files, and is not billed', async () => {
    const http = await RawHttp.open(gateway.url);
    http.send(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${secret}\r\ncontent-length: 9000000\r\n` +
        'content-type: multipart/form-data; boundary=b\r\n\r\n' +
        `--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n${'x'.repeat(200_000)}`,
    );
    await whenNamesIn(gateway.uploads, ({ length }) => length > 0);
    http.close();
    await noUploadLeft();
    expect(gateway.settled()).toEqual([]);
  });

  it('that is rejected during shutdown leaves no files', async () => {
    await gateway.pipeline.stop(0);
    const asked = client.audio.transcriptions.create({ model: 'sandbox/transcription', file: await recording() });
    await expect(asked).rejects.toMatchObject({ status: 503 });
    await noUploadLeft();
  });
});
