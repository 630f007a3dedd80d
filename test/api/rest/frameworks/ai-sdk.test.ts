import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool, type LanguageModel } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  modelNames,
  recordedPlace,
  SCHEMA_MODEL,
  startRecordedModels,
  type RecordedModels,
} from './recorded-models.ts';

let models: RecordedModels;

beforeAll(async () => {
  models = await startRecordedModels();
});

afterAll(() => models.close());

const settings = (path: string): { baseURL: string; apiKey: string } => ({
  baseURL: models.server.url + path,
  apiKey: models.server.apiKey,
});

const clients: readonly (readonly [name: string, build: (model: string) => LanguageModel])[] = [
  ['OpenAI, Responses', (model) => createOpenAI(settings('/v1'))(model)],
  ['OpenAI, Chat Completions', (model) => createOpenAI(settings('/v1')).chat(model)],
  ['Anthropic', (model) => createAnthropic(settings('/v1'))(model)],
  ['Google', (model) => createGoogle(settings('/v1beta'))(model)],
  ['Azure', (model) => createAzure(settings('/openai/v1'))(model)],
];

interface Place {
  readonly location: string;
}
const place = jsonSchema<Place>({
  type: 'object',
  properties: { location: { type: 'string' } },
  required: ['location'],
  additionalProperties: false,
});
const asked: Place[] = [];
const tools = {
  weather: tool({
    description: 'The weather of a place.',
    inputSchema: place,
    execute: (given: Place) => {
      asked.push(given);
      return `It is sunny in ${given.location}.`;
    },
  }),
};

describe.each(clients)('the AI SDK’s provider for %s', (_name, build) => {
  describe.each(modelNames)('with the model %s', (model) => {
    it('generates a text', async () => {
      const { text, usage } = await generateText({ model: build(model), prompt: 'Hello', maxRetries: 0 });
      expect(text.trim()).toBe(models.textOf(model, false));
      expect(usage.outputTokens).toBeGreaterThan(0);
    });

    it('streams a text', async () => {
      const streamed = streamText({ model: build(model), prompt: 'Hello', maxRetries: 0 });
      expect((await streamed.text).trim()).toBe(models.textOf(model, true));
      expect((await streamed.usage).outputTokens).toBeGreaterThan(0);
    });

    it.each([false, true])('calls a tool and continues with its result, stream: %s', async (isStreamed) => {
      asked.length = 0;
      const options = { model: build(model), prompt: 'The weather?', tools, stopWhen: stepCountIs(2), maxRetries: 0 };
      const text = isStreamed ? await streamText(options).text : (await generateText(options)).text;
      expect(asked).toEqual([recordedPlace]);
      expect(models.lastRequest().body).toContain('It is sunny in San Francisco.');
      expect(text.trim()).toBe(models.textOf(model, isStreamed));
    });
  });

  it('generates an object', async () => {
    const { output } = await generateText({
      model: build(SCHEMA_MODEL),
      prompt: 'A place',
      output: Output.object({ schema: place }),
      maxRetries: 0,
    });
    expect(output).toEqual({ location: expect.any(String) });
  });
});
