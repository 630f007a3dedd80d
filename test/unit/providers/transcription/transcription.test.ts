import { readFileSync } from 'node:fs';
import OpenAI, { toFile } from 'openai';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  json,
  pieces,
  startFakeProvider,
  type FakeProvider,
  type ReceivedRequest,
} from '../../../harness/fake-provider.ts';
import { readParts, readTexts } from '../../../harness/form.ts';
import { secret, startGateway, type TestGateway } from '../../../harness/gateway.ts';

const fixtures = new URL('../../../fixtures/services/', import.meta.url);
const recorded = (name: string): string => readFileSync(new URL(name, fixtures), 'utf8');

/** Four seconds of 8-bit sound at 4 kHz. */
const wav = wavOf(16_000);

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;
let file: File;

beforeAll(async () => {
  file = await toFile(wav, 'speech.wav', { type: 'audio/wav' });
});

beforeEach(async () => {
  provider = await startFakeProvider();
  const { origin } = new URL(provider.url);
  const own = ['deepgram', 'elevenlabs', 'assemblyai', 'gladia', 'cartesia'];
  const openAiShaped = ['groq', 'mistral', 'together', 'vllm', 'deepinfra', 'localai'];
  gateway = await startGateway({
    providers: {
      ...Object.fromEntries(own.map((id) => [id, origin])),
      ...Object.fromEntries(openAiShaped.map((id) => [id, provider.url])),
      'azure-openai': { baseUrl: `${origin}/openai`, options: { api_version: '2024-10-21' } },
      gemini: `${origin}/v1beta`,
    },
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
});

afterEach(async () => {
  await gateway.close();
  await provider.close();
});

type Asked = Omit<OpenAI.Audio.TranscriptionCreateParamsNonStreaming, 'file'>;

const transcribe = (asked: Asked): Promise<unknown> => client.audio.transcriptions.create({ ...asked, file });
const verbose: Pick<Asked, 'timestamp_granularities'> & { response_format: 'verbose_json' } = {
  response_format: 'verbose_json',
  timestamp_granularities: ['word', 'segment'],
};

function only(): ReceivedRequest {
  const [request] = provider.requests;
  if (request === undefined || provider.requests.length > 1) throw new Error(`${provider.requests.length} requests`);
  return request;
}

function texts(request = only()): [string, string][] {
  return readTexts(request.headers['content-type'], request.bytes);
}

/** Whether a form contains the recording unchanged. */
function holdsFile(name: string, request = only()): boolean {
  const part = readParts(request.headers['content-type'], request.bytes).find((one) => one.name === name);
  return part?.bytes.equals(wav) === true && part.filename === 'speech.wav';
}

/** The expected usage where audio seconds are billed. */
async function settled(): Promise<unknown> {
  const [record] = await gateway.settledCount(1);
  return record;
}

describe('Groq', () => {
  it('returns text formats itself', async () => {
    const { body } = JSON.parse(recorded('groq/groq-transcription-text.json'));
    provider.answerWith(pieces([body], 'end', 'text/plain; charset=UTF-8'));
    expect(await transcribe({ model: 'groq/whisper-large-v3', response_format: 'text', language: 'en' })).toBe(body);
    expect(texts()).toEqual([
      ['model', 'whisper-large-v3'],
      ['language', 'en'],
      ['response_format', 'text'],
    ]);
    expect(holdsFile('file')).toBe(true);
  });

  it('has captions rendered from its timestamps', async () => {
    const segments = [
      { id: 0, start: 0, end: 1.5, text: ' Hello from' },
      { id: 1, start: 3_661.25, end: 3_662, text: ' the\nother --> side.' },
    ];
    provider.answerWith(json(200, { task: 'transcribe', language: 'English', duration: 4, text: ' Hello', segments }));
    expect(await transcribe({ model: 'groq/whisper-large-v3', response_format: 'srt' })).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nHello from\n\n2\n01:01:01,250 --> 01:01:02,000\nthe other -> side.\n\n',
    );
    expect(texts()).toContainEqual(['response_format', 'verbose_json']);
    expect(await transcribe({ model: 'groq/whisper-large-v3', response_format: 'vtt' })).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello from\n\n01:01:01.250 --> 01:01:02.000\nthe other -> side.\n\n',
    );
  });

  it('does not receive parameters that only OpenAI supports', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    const { response } = await client.audio.transcriptions
      .create({ model: 'groq/whisper-large-v3', file, include: ['logprobs'] })
      .withResponse();
    expect(response.headers.get('x-sluice-dropped-params')).toBe('include');
    expect(texts().map(([name]) => name)).toEqual(['model', 'response_format']);
    const speakers = transcribe({ model: 'groq/whisper-large-v3', response_format: 'diarized_json' });
    await expect(speakers).rejects.toMatchObject({ status: 400, code: 'unsupported_value', param: 'response_format' });
    expect(provider.requests).toHaveLength(1);
  });

  it('has events created from its unstreamed response', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    const events: unknown[] = [];
    const stream = await client.audio.transcriptions.create({ model: 'groq/whisper-large-v3', file, stream: true });
    for await (const event of stream) events.push(event);
    expect(events).toMatchObject([{ delta: 'Hello.' }, { text: 'Hello.' }]);
    expect(texts()).not.toContainEqual(['stream', 'true']);
  });
});

describe('Mistral', () => {
  const answer = JSON.parse(recorded('mistral/mistral-transcription.json'));

  it('responds in its own format, and reports tokens', async () => {
    provider.answerWith(json(200, answer));
    const transcript = await transcribe({ model: 'mistral/voxtral-mini-latest' });
    expect(transcript).toMatchObject({
      text: answer.text,
      usage: { type: 'tokens', input_tokens: answer.usage.prompt_tokens },
    });
    expect(texts()).toEqual([['model', 'voxtral-mini-latest']]);
    expect(only().path).toBe('/v1/audio/transcriptions');
  });

  it('receives requests for timestamps and speakers', async () => {
    provider.answerWith(json(200, answer));
    const transcript: unknown = await transcribe({
      model: 'mistral/voxtral-mini-latest',
      response_format: 'diarized_json',
    });
    expect(texts()).toEqual([
      ['model', 'voxtral-mini-latest'],
      ['timestamp_granularities', 'segment'],
      ['diarize', 'true'],
    ]);
    expect(transcript).toMatchObject({
      segments: [{ start: 0.1, end: 8.2, text: answer.segments[0].text, speaker: 'B' }, {}, {}, {}],
    });
  });

  it('does not support translations', async () => {
    const asked = client.audio.translations.create({ model: 'mistral/voxtral-mini-latest', file });
    await expect(asked).rejects.toMatchObject({ status: 400, code: 'capability_not_supported' });
  });
});

describe('Azure', () => {
  it('has a path for each deployment', async () => {
    provider.answerWith(json(200, { text: 'Hello.' }));
    await transcribe({ model: 'azure-openai/my-whisper' });
    expect(only().path).toBe('/openai/deployments/my-whisper/audio/transcriptions?api-version=2024-10-21');
  });
});

describe('ElevenLabs', () => {
  it('returns words without the spaces between them', async () => {
    provider.answerWith(json(200, recorded('elevenlabs/elevenlabs-transcription.json')));
    const transcript = await transcribe({ model: 'elevenlabs/scribe_v1', language: 'en', temperature: 0, ...verbose });
    expect(transcript).toMatchObject({ text: 'Hello from the Vercel AI SDK.', language: 'english', duration: 4 });
    expect(transcript).toMatchObject({
      segments: [{ id: 0, start: 0.199, text: 'Hello from the Vercel AI SDK.' }],
      words: [
        { word: 'Hello', start: 0.199, end: 0.479 },
        { word: 'from' },
        { word: 'the' },
        { word: 'Vercel' },
        { word: 'AI' },
        { word: 'SDK.' },
      ],
    });
    expect(only().path).toBe('/v1/speech-to-text');
    expect(only().headers['xi-api-key']).toBe('provider-key');
    expect(texts()).toEqual([
      ['model_id', 'scribe_v1'],
      ['language_code', 'en'],
      ['temperature', '0'],
    ]);
    expect(holdsFile('file')).toBe(true);
  });

  it('has its error messages relayed', async () => {
    provider.answerWith(json(400, { detail: { status: 'invalid_model_id', message: "'x' is no model." } }));
    await expect(transcribe({ model: 'elevenlabs/x' })).rejects.toThrow("400 'x' is no model.");
    expect(await settled()).toMatchObject({ status: 'failed', cost_nano: '0' });
  });
});

describe('Cartesia', () => {
  it('returns words', async () => {
    provider.answerWith(json(200, recorded('cartesia/cartesia-transcription.json')));
    const transcript = await transcribe({ model: 'cartesia/ink-whisper', ...verbose });
    expect(transcript).toMatchObject({
      text: 'Hello from the Vercel AI SDK.',
      language: 'english',
      words: [{ word: 'Hello' }, {}, {}, {}, {}, {}],
    });
    expect(only().path).toBe('/stt');
    expect(texts()).toEqual([
      ['model', 'ink-whisper'],
      ['timestamp_granularities[]', 'word'],
    ]);
    expect(holdsFile('file')).toBe(true);
  });
});

describe('Deepgram', () => {
  // Based on the example in its reference.
  const word = { start: 0.08, end: 0.32, confidence: 0.99 };
  const answer = {
    metadata: { request_id: 'a', duration: 4, channels: 1 },
    results: {
      channels: [
        {
          detected_language: 'es',
          alternatives: [
            {
              transcript: 'Hola, mundo.',
              confidence: 0.9,
              words: [{ word: 'hola', punctuated_word: 'Hola,', speaker: 0, ...word }],
            },
          ],
        },
      ],
      utterances: [{ start: 0.08, end: 3.2, transcript: 'Hola, mundo.', speaker: 0 }],
    },
  };

  it('receives the file as the request body', async () => {
    provider.answerWith(json(200, answer));
    const transcript = await transcribe({ model: 'deepgram/nova-3', keywords: ['Sluice', 'a b'], ...verbose });
    expect(transcript).toMatchObject({
      text: 'Hola, mundo.',
      language: 'spanish',
      words: [{ word: 'Hola,', start: 0.08 }],
      segments: [{ start: 0.08, end: 3.2, text: 'Hola, mundo.' }],
    });
    const { path, bytes, headers } = only();
    expect(path).toBe(
      '/v1/listen?model=nova-3&punctuate=true&detect_language=true&keyterm=Sluice&keyterm=a+b&utterances=true',
    );
    expect(bytes.equals(wav)).toBe(true);
    expect(headers).toMatchObject({
      authorization: 'Token provider-key',
      'content-type': 'audio/wav',
      'content-length': String(wav.length),
    });
    // 0.0043 USD a minute, four seconds: 4 x 0.0043 / 60 USD.
    expect(await settled()).toMatchObject({ cost_nano: '286667', estimated: false });
  });

  it('identifies speakers', async () => {
    provider.answerWith(json(200, answer));
    const transcript = await transcribe({ model: 'deepgram/nova-3', language: 'es', response_format: 'diarized_json' });
    expect(transcript).toMatchObject({ segments: [{ text: 'Hola, mundo.', speaker: 'A' }] });
    expect(only().path).toBe('/v1/listen?model=nova-3&punctuate=true&language=es&utterances=true&diarize=true');
  });
});

/** Responds to each request by its method and path. */
function answering(answers: Readonly<Record<string, readonly object[]>>): void {
  const given = new Map<string, number>();
  provider.answerWith((request, response) => {
    const list = answers[request.path] ?? [];
    const count = given.get(request.path) ?? 0;
    given.set(request.path, count + 1);
    const next = list[Math.min(count, list.length - 1)];
    return json(next === undefined ? 404 : 200, next ?? { error: `nothing at ${request.path}` })(request, response);
  });
}

describe('AssemblyAI', () => {
  const done = {
    id: 't1',
    status: 'completed',
    language_code: 'en_us',
    text: 'Hello world.',
    words: [
      { text: 'Hello', start: 100, end: 400, confidence: 1, speaker: 'A' },
      { text: 'world.', start: 500, end: 900, confidence: 1, speaker: 'A' },
    ],
    utterances: null,
  };

  it('receives the file, starts a transcript, and is polled until it is complete', async () => {
    answering({
      '/v2/upload': [{ upload_url: 'https://cdn.assemblyai.example/upload/1' }],
      '/v2/transcript': [{ id: 't1', status: 'queued' }],
      '/v2/transcript/t1': [{ id: 't1', status: 'queued' }, { id: 't1', status: 'processing' }, done],
    });
    const transcript = await transcribe({ model: 'assemblyai/universal-3-pro', prompt: 'p', ...verbose });
    expect(transcript).toMatchObject({
      text: 'Hello world.',
      language: 'american english',
      words: [{ word: 'Hello', start: 0.1, end: 0.4 }, {}],
    });
    const [upload, create, ...looks] = provider.requests;
    expect(upload?.bytes.equals(wav)).toBe(true);
    expect(upload?.headers.authorization).toBe('provider-key');
    expect(create?.json).toEqual({
      audio_url: 'https://cdn.assemblyai.example/upload/1',
      speech_models: ['universal-3-pro'],
      language_detection: true,
      prompt: 'p',
    });
    expect(looks).toHaveLength(3);
  });

  it('reports why a job failed, and costs nothing', async () => {
    answering({
      '/v2/upload': [{ upload_url: 'u' }],
      '/v2/transcript': [{ id: 't1', status: 'queued' }],
      '/v2/transcript/t1': [{ id: 't1', status: 'error', error: 'The file holds no speech.' }],
    });
    await expect(transcribe({ model: 'assemblyai/best' })).rejects.toThrow('The file holds no speech.');
    expect(await settled()).toMatchObject({ status: 'failed', cost_nano: '0' });
  });

  it('is not polled any more after the client has disconnected', async () => {
    answering({
      '/v2/upload': [{ upload_url: 'u' }],
      '/v2/transcript': [{ id: 't1', status: 'queued' }],
      '/v2/transcript/t1': [{ id: 't1', status: 'processing' }],
    });
    const abort = new AbortController();
    const asked = client.audio.transcriptions.create({ model: 'assemblyai/best', file }, { signal: abort.signal });
    for (let seen = 0; seen < 3; seen++) await provider.nextRequest();
    abort.abort();
    await expect(asked).rejects.toThrow();
    expect(await settled()).toMatchObject({ status: 'aborted' });
  });
});

describe('Gladia', () => {
  const result = JSON.parse(recorded('gladia/gladia-result.json'));
  const begin = (last: object): void => {
    const begun = JSON.parse(recorded('gladia/gladia-initiate.json'));
    answering({
      '/v2/upload': [JSON.parse(recorded('gladia/gladia-upload.json'))],
      '/v2/pre-recorded': [begun],
      [`/v2/pre-recorded/${begun.id}`]: [{ id: begun.id, status: 'processing' }, last],
    });
  };

  it('receives the file, starts a job, and is polled until it is done', async () => {
    begin(result);
    const transcript = await transcribe({ model: 'gladia/solaria-1', language: 'en', ...verbose });
    const { utterances, full_transcript: text } = result.result.transcription;
    expect(transcript).toMatchObject({ text, language: 'english' });
    expect(transcript).toMatchObject({
      segments: utterances.map(({ text: said, start, end }: { text: string; start: number; end: number }) => ({
        text: said.trim(),
        start,
        end,
      })),
    });
    const [upload, create] = provider.requests;
    expect(upload && holdsFile('audio', upload)).toBe(true);
    expect(upload?.headers['x-gladia-key']).toBe('provider-key');
    expect(create?.json).toEqual({
      audio_url: 'https://api.gladia.io/file/7403f025-be30-4335-ae29-20131e0adbd6',
      model: 'solaria-1',
      language_config: { languages: ['en'] },
    });
  });

  it('supports translations', async () => {
    begin({
      ...result,
      result: { ...result.result, translation: { results: [{ full_transcript: 'In English.', utterances: [] }] } },
    });
    const transcript = await client.audio.translations.create({ model: 'gladia/solaria-1', file });
    expect(transcript.text).toBe('In English.');
    expect(provider.requests[1]?.json).toMatchObject({
      translation: true,
      translation_config: { target_languages: ['en'] },
    });
  });

  it('reports that a job failed', async () => {
    begin({ id: 'x', status: 'error', error_code: 415 });
    await expect(transcribe({ model: 'gladia/solaria-1' })).rejects.toThrow(/could not transcribe the file \(415\)/);
  });
});

describe('Gemini', () => {
  const answer = {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: 'Thinking', thought: true }, { text: 'Hello ' }, { text: 'world.' }],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      promptTokenCount: 170,
      candidatesTokenCount: 4,
      totalTokenCount: 174,
      promptTokensDetails: [
        { modality: 'AUDIO', tokenCount: 128 },
        { modality: 'TEXT', tokenCount: 42 },
      ],
    },
  };

  it('receives the recording within the JSON, with an instruction to transcribe it', async () => {
    provider.answerWith(json(200, answer));
    const transcript = await transcribe({
      model: 'gemini/gemini-2.5-flash',
      prompt: 'Sluice "recording in base64"',
      temperature: 0.25,
    });
    expect(transcript).toMatchObject({
      text: 'Hello world.',
      usage: { type: 'tokens', input_tokens: 170, output_tokens: 4 },
    });
    const { json: sent, headers, bytes, path } = only();
    expect(path).toBe('/v1beta/models/gemini-2.5-flash:generateContent');
    expect(Number(headers['content-length'])).toBe(bytes.length);
    expect(sent).toMatchObject({
      contents: [
        {
          role: 'user',
          parts: [
            { inlineData: { mimeType: 'audio/wav', data: wav.toString('base64') } },
            { text: expect.stringContaining('Sluice "recording') },
          ],
        },
      ],
      generationConfig: { temperature: 0.25 },
    });
    // 1 USD per million audio tokens, 0.30 for text input, 2.50 for output: 128 x 1,000 + 42 x 300 + 4 x 2,500
    // nano-USD.
    expect(await settled()).toMatchObject({ input_tokens: 170, output_tokens: 4, cost_nano: '150600' });
  });

  it('rejects formats with timestamps', async () => {
    for (const response_format of ['srt', 'verbose_json'] as const)
      await expect(transcribe({ model: 'gemini/gemini-2.5-flash', response_format })).rejects.toMatchObject({
        status: 400,
        code: 'unsupported_value',
      });
    expect(provider.requests).toHaveLength(0);
  });

  it('fails when it refuses to transcribe', async () => {
    provider.answerWith(json(200, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }));
    await expect(transcribe({ model: 'gemini/gemini-2.5-flash' })).rejects.toMatchObject({ status: 400 });
  });
});

it.each([
  'deepgram/nova-3',
  'elevenlabs/scribe_v1',
  'assemblyai/best',
  'gladia/solaria-1',
  'cartesia/ink-whisper',
  'mistral/voxtral',
  'gemini/gemini-2.5-flash',
])('an invalid response of %s is reported as the provider’s error', async (model) => {
  for (const answer of [
    json(200, '[1,2'),
    json(200, { results: 'x', text: 5, candidates: 7, id: null }),
    json(200, []),
  ]) {
    provider.answerWith(answer);
    await expect(transcribe({ model })).rejects.toMatchObject({ status: 502, code: 'provider_invalid_response' });
  }
});

function wavOf(samples: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(4_000, 24);
  header.writeUInt32LE(4_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples, 40);
  // All byte values, to detect any change.
  return Buffer.concat([header, Buffer.from(Array.from({ length: samples }, (_, at) => (at * 7) % 256))]);
}
