import { readdirSync } from 'node:fs';
import OpenAI, { APIError, toFile } from 'openai';
import { afterEach, expect, it } from 'vitest';
import { json, silence, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { noFileIn } from '../../harness/folder-changes.ts';
import { secret, startGateway, type GatewayOptions, type TestGateway } from '../../harness/gateway.ts';

const MEGABYTE = 1024 * 1024;

let provider: FakeProvider;
let gateway: TestGateway;
let client: OpenAI;

async function start(options: GatewayOptions): Promise<void> {
  provider = await startFakeProvider();
  gateway = await startGateway({ ...options, openai: provider.url });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 });
}

afterEach(async () => {
  await noFileIn(gateway.uploads);
  await gateway.close();
  await provider.close();
});

/** Ten seconds of silence, or as many as fill the bytes. */
function wav(bytes = 160_044): Buffer {
  const file = Buffer.alloc(bytes);
  file.write('RIFF', 0);
  file.writeUInt32LE(bytes - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8_000, 24);
  file.writeUInt32LE(16_000, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(bytes - 44, 40);
  return file;
}

async function transcribe(bytes?: number): Promise<OpenAI.Audio.Transcription> {
  const file = await toFile(wav(bytes), 'silence.wav', { type: 'audio/wav' });
  return client.audio.transcriptions.create({ file, model: 'openai/whisper-1' });
}

it('accepts sequential uploads of a key with a concurrency limit of one', async () => {
  await start({
    key: { limits: { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, requestsPerDay: 1_000, concurrency: 1 } },
  });
  for (let at = 1; at <= 10; at++) {
    provider.answerWith(json(200, { text: `${at}`, usage: { type: 'duration', seconds: 10 } }));
    expect((await transcribe()).text).toBe(`${at}`);
  }
});

it('refuses a concurrent upload before it is read, and bills nothing', async () => {
  await start({
    key: { limits: { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, requestsPerDay: 1_000, concurrency: 1 } },
  });
  provider.answerWith(silence);
  const asked = provider.nextRequest();
  const waiting = new AbortController();
  const file = await toFile(wav(), 'silence.wav', { type: 'audio/wav' });
  const first = client.audio.transcriptions.create({ file, model: 'openai/whisper-1' }, { signal: waiting.signal });
  const gone = first.catch((error: unknown) => error);
  await asked;
  const refused = await transcribe().catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 429, code: 'rate_limit_exceeded' });
  if (!(refused instanceof APIError)) throw new Error('no refusal');
  expect(refused.headers?.get('retry-after')).toBe('1');
  expect(readdirSync(gateway.uploads)).toHaveLength(1);
  waiting.abort();
  await gone;
  expect(await gateway.settledCount(1)).toHaveLength(1);
});

it('refuses an upload without free space, with retry-after', async () => {
  await start({ uploadBytes: 8 * MEGABYTE });
  const refused = await transcribe(9 * MEGABYTE).catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 503, code: 'uploads_full' });
  if (!(refused instanceof APIError)) throw new Error('no refusal');
  expect(refused.headers?.get('retry-after')).toBe('5');
  expect(refused.headers?.get('retry-after-ms')).toBe('5000');
  expect(gateway.settled()).toEqual([]);
  provider.answerWith(json(200, { text: 'Room.', usage: { type: 'duration', seconds: 10 } }));
  expect((await transcribe(7 * MEGABYTE)).text).toBe('Room.');
});
