import {
  ApiError,
  FunctionCallingConfigMode,
  GoogleGenAI,
  type Content,
  type GenerateContentResponse,
} from '@google/genai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  modelNames,
  recordedPlace,
  SCHEMA_MODEL,
  startRecordedModels,
  type RecordedModels,
} from './recorded-models.ts';

let models: RecordedModels;
let client: GoogleGenAI;

beforeAll(async () => {
  models = await startRecordedModels();
  client = new GoogleGenAI({ apiKey: models.server.apiKey, httpOptions: { baseUrl: models.server.url } });
});

afterAll(() => models.close());

const question: Content = { role: 'user', parts: [{ text: 'What is the weather in San Francisco?' }] };
const weather = {
  name: 'weather',
  description: 'The weather of a place.',
  parametersJsonSchema: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

describe.each(modelNames)('Google’s SDK with the model %s', (model) => {
  it('generates a text', async () => {
    const answer = await client.models.generateContent({ model, contents: 'Hello' });
    expect(answer.text?.trim()).toBe(models.textOf(model, false));
    expect(answer.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
  });

  it('streams a text', async () => {
    let text = '';
    let last: GenerateContentResponse | undefined;
    for await (const part of await client.models.generateContentStream({ model, contents: 'Hello' })) {
      text += part.text ?? '';
      last = part;
    }
    expect(text.trim()).toBe(models.textOf(model, true));
    expect(last?.candidates?.[0]?.finishReason).toBe('STOP');
    expect(last?.usageMetadata?.candidatesTokenCount).toBeGreaterThan(0);
  });

  it('calls a function, and continues with its result and the signatures', async () => {
    const config = {
      tools: [{ functionDeclarations: [weather] }],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
    };
    const asked = await client.models.generateContent({ model, contents: [question], config });
    const [call] = asked.functionCalls ?? [];
    expect(call).toMatchObject({ name: 'weather', args: recordedPlace });
    const turn = asked.candidates?.[0]?.content ?? expect.unreachable();
    const { id, name } = call ?? expect.unreachable();
    const result = {
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      response: { output: 'It is sunny in San Francisco.' },
    };
    const contents = [question, turn, { role: 'user', parts: [{ functionResponse: result }] }];
    const last = await client.models.generateContent({ model, contents, config });
    const { body } = models.lastRequest();
    expect(body).toContain('It is sunny in San Francisco.');
    if (model.startsWith('gemini/'))
      for (const { thoughtSignature } of turn.parts ?? [])
        if (thoughtSignature !== undefined) expect(body).toContain(thoughtSignature);
    expect(last.text?.trim()).toBe(models.textOf(model, false));
  });

  it('counts tokens', async () => {
    const { totalTokens } = await client.models.countTokens({ model, contents: 'Hello, how are you?' });
    expect(totalTokens).toBeGreaterThan(0);
  });
});

describe('Google’s SDK', () => {
  it('continues a chat', async () => {
    const chat = client.chats.create({ model: 'sandbox/chat' });
    expect((await chat.sendMessage({ message: 'Hello' })).text).toBeTruthy();
    expect((await chat.sendMessage({ message: 'Again' })).text).toBeTruthy();
    expect(chat.getHistory()).toHaveLength(4);
  });

  it('reads an object that has a JSON Schema', async () => {
    const config = { responseMimeType: 'application/json', responseJsonSchema: weather.parametersJsonSchema };
    const answer = await client.models.generateContent({ model: SCHEMA_MODEL, contents: 'Where?', config });
    expect(JSON.parse(answer.text ?? '')).toEqual({ location: expect.any(String) });
  });

  it('embeds one text and several', async () => {
    const model = 'sandbox/embedding';
    const one = await client.models.embedContent({ model, contents: 'Hello' });
    expect(one.embeddings?.[0]?.values?.length).toBeGreaterThan(0);
    const several = await client.models.embedContent({ model, contents: ['Hello', 'Good evening'] });
    expect(several.embeddings).toHaveLength(2);
  });

  it('lists models, and reads one', async () => {
    const listed: string[] = [];
    for await (const model of await client.models.list()) listed.push(model.name ?? '');
    expect(listed).toContain('models/sandbox/chat');
    expect((await client.models.get({ model: 'sandbox/chat' })).name).toBe('models/sandbox/chat');
  });

  it('throws the error with its status and message', async () => {
    const failed = await client.models
      .generateContent({ model: 'no/such-model', contents: 'Hello' })
      .catch((error: unknown) => error);
    if (!(failed instanceof ApiError)) return expect.fail(`no ApiError: ${String(failed)}`);
    expect(failed.status).toBe(404);
    expect(JSON.parse(failed.message)).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } });
  });
});
