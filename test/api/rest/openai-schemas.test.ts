import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wavTone } from '../../harness/audio-samples.ts';
import { expectOpenAi, type OpenAiSchema } from '../../harness/openai-schema.ts';
import { readEventData } from '../../harness/read-events.ts';
import { modelNames, startRecordedModels, type RecordedModels } from './frameworks/recorded-models.ts';

let models: RecordedModels;

beforeAll(async () => {
  models = await startRecordedModels();
});

afterAll(() => models.close());

/** @param body JSON, a form, or null for a request without one */
async function send(path: string, body: object | FormData | null, key = models.server.apiKey): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${models.server.url}/v1/${path}`, {
    method: body === null ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      ...(body !== null && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== null && { body: isForm ? body : JSON.stringify(body) }),
  });
}

async function expectDocument(schema: OpenAiSchema, path: string, body: object | FormData | null): Promise<void> {
  const response = await send(path, body);
  expect(response.status, await response.clone().text()).toBe(200);
  expectOpenAi(schema, await response.json());
}

async function expectEvents(schema: OpenAiSchema, path: string, body: object | FormData): Promise<void> {
  const response = await send(path, body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const events = readEventData(text);
  expect(events.length).toBeGreaterThan(1);
  for (const event of events) expectOpenAi(schema, event);
}

function form(
  members: Readonly<Record<string, string>>,
  file?: { readonly name: string; readonly bytes: Buffer },
): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(members)) made.append(name, value);
  if (file !== undefined) made.append(file.name, new File([new Uint8Array(file.bytes)], 'a.wav'));
  return made;
}

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } }];

/** Not those that are relayed, whose bytes are the provider's. */
const converted = (relayed: string): string[] => [...modelNames.filter((name) => name !== relayed), 'sandbox/chat'];

describe.each(converted('chatting/some-model'))('a chat completion of the model %s is one of OpenAI’s', (model) => {
  const body = { model, messages: [{ role: 'user', content: 'Hello' }] };

  it.each([
    ['text', body],
    ['calls', { ...body, tools }],
  ])('with %s', async (_what, request) => {
    await expectDocument('CreateChatCompletionResponse', 'chat/completions', request);
    const streamed = { ...request, stream: true, stream_options: { include_usage: true } };
    await expectEvents('CreateChatCompletionStreamResponse', 'chat/completions', streamed);
  });
});

describe.each(converted('relaying/some-model'))('a response of the model %s is one of OpenAI’s', (model) => {
  it('and so is the count of its tokens', async () => {
    await expectDocument('Response', 'responses', { model, input: 'Hello' });
    await expectEvents('ResponseStreamEvent', 'responses', { model, input: 'Hello', stream: true });
    await expectDocument('TokenCountsResource', 'responses/input_tokens', { model, input: 'Hello' });
  });
});

describe('what the sandbox returns is one of OpenAI’s', () => {
  it('lists of models, and a model', async () => {
    await expectDocument('ListModelsResponse', 'models', null);
    await expectDocument('Model', 'models/sandbox/chat', null);
  });

  it('embeddings and moderations', async () => {
    await expectDocument('CreateEmbeddingResponse', 'embeddings', { model: 'sandbox/embedding', input: ['a', 'b'] });
    await expectDocument('CreateModerationResponse', 'moderations', { model: 'sandbox/moderation', input: 'Hello' });
  });

  it('images', async () => {
    const body = { model: 'sandbox/image', prompt: 'A lighthouse' };
    await expectDocument('ImagesResponse', 'images/generations', body);
    await expectEvents('ImageGenStreamEvent', 'images/generations', { ...body, stream: true, partial_images: 1 });
  });

  it('speech as events', async () => {
    const body = { model: 'sandbox/speech', input: 'Hello there.', voice: 'alloy', stream_format: 'sse' };
    await expectEvents('CreateSpeechResponseStreamEvent', 'audio/speech', body);
  });

  it('transcriptions', async () => {
    const heard = (members: object): FormData =>
      form({ model: 'sandbox/transcription', ...members }, { name: 'file', bytes: wavTone(1) });
    const path = 'audio/transcriptions';
    await expectDocument('CreateTranscriptionResponseJson', path, heard({}));
    const verbose = heard({ response_format: 'verbose_json' });
    await expectDocument('CreateTranscriptionResponseVerboseJson', path, verbose);
    await expectEvents('CreateTranscriptionResponseStreamEvent', path, heard({ stream: 'true' }));
  });

  it('videos', async () => {
    await expectDocument('VideoResource', 'videos', { model: 'sandbox/video', prompt: 'A lighthouse' });
  });
});

it.each([
  ['a body that is none', 400, 'chat/completions', { model: 'sandbox/chat', messages: 1 }],
  ['an unknown model', 404, 'chat/completions', { model: 'no/model', messages: [{ role: 'user', content: 'a' }] }],
  ['an unknown URL', 404, 'nothing', {}],
  ['an unknown response', 404, 'responses/resp_nothing', null],
] as const)('the error for %s is one of OpenAI’s', async (_what, status, path, body) => {
  const response = await send(path, body);
  expect(response.status).toBe(status);
  expectOpenAi('ErrorResponse', await response.json());
});

it('the error for an unknown key is one of OpenAI’s', async () => {
  const response = await send('models', null, 'sk-nothing');
  expect(response.status).toBe(401);
  expectOpenAi('ErrorResponse', await response.json());
});
