import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  Runner,
  setTracingDisabled,
  tool,
  type Model,
} from '@openai/agents';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  modelNames,
  recordedPlace,
  SCHEMA_MODEL,
  startRecordedModels,
  type RecordedModels,
} from './recorded-models.ts';

let models: RecordedModels;
let client: OpenAI;
const runner = new Runner({ tracingDisabled: true });

beforeAll(async () => {
  setTracingDisabled(true);
  models = await startRecordedModels();
  client = new OpenAI({ baseURL: `${models.server.url}/v1`, apiKey: models.server.apiKey, maxRetries: 0 });
});

afterAll(() => models.close());

const clients: readonly (readonly [name: string, build: (model: string) => Model])[] = [
  ['Responses', (model) => new OpenAIResponsesModel(client, model)],
  ['Chat Completions', (model) => new OpenAIChatCompletionsModel(client, model)],
];

const place = z.object({ location: z.string() });
const asked: z.infer<typeof place>[] = [];
const weather = tool({
  name: 'weather',
  description: 'The weather of a place.',
  parameters: place,
  execute: async (given) => {
    asked.push(given);
    return `It is sunny in ${given.location}.`;
  },
});

describe.each(clients)('OpenAI’s Agents SDK over %s', (_name, build) => {
  describe.each(modelNames)('with the model %s', (model) => {
    it('generates a text', async () => {
      const agent = new Agent({ name: 'Greeter', instructions: 'Be brief.', model: build(model) });
      const { finalOutput } = await runner.run(agent, 'Hello');
      expect(finalOutput?.trim()).toBe(models.textOf(model, false));
    });

    it('streams a text', async () => {
      const agent = new Agent({ name: 'Greeter', instructions: 'Be brief.', model: build(model) });
      const result = await runner.run(agent, 'Hello', { stream: true });
      let text = '';
      for await (const piece of result.toTextStream()) text += piece;
      await result.completed;
      expect(text.trim()).toBe(models.textOf(model, true));
      expect(result.finalOutput?.trim()).toBe(models.textOf(model, true));
    });

    it.each([false, true])('calls a tool and continues with its result, stream: %s', async (isStreamed) => {
      asked.length = 0;
      const agent = new Agent({ name: 'Forecaster', model: build(model), tools: [weather] });
      const question = 'What is the weather in San Francisco?';
      let output: string | undefined;
      if (isStreamed) {
        const result = await runner.run(agent, question, { stream: true });
        await result.completed;
        output = result.finalOutput;
      } else output = (await runner.run(agent, question)).finalOutput;
      expect(asked).toEqual([recordedPlace]);
      expect(models.lastRequest().body).toContain('It is sunny in San Francisco.');
      expect(output?.trim()).toBe(models.textOf(model, isStreamed));
    });
  });

  it('generates an object', async () => {
    const agent = new Agent({ name: 'Finder', model: build(SCHEMA_MODEL), outputType: place });
    const { finalOutput } = await runner.run(agent, 'A place');
    expect(finalOutput).toEqual({ location: expect.any(String) });
  });
});
