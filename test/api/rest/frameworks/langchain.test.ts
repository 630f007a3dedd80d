import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { HumanMessage, type AIMessageChunk } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogle } from '@langchain/google/node';
import { AzureChatOpenAI, ChatOpenAI } from '@langchain/openai';
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

beforeAll(async () => {
  models = await startRecordedModels();
});

afterAll(() => models.close());

type Build = (model: string) => BaseChatModel;

const openAi =
  (useResponsesApi: boolean): Build =>
  (model) =>
    new ChatOpenAI({
      model,
      apiKey: models.server.apiKey,
      configuration: { baseURL: `${models.server.url}/v1` },
      useResponsesApi,
      maxRetries: 0,
    });

const clients: readonly (readonly [name: string, build: Build])[] = [
  ['OpenAI, Chat Completions', openAi(false)],
  ['OpenAI, Responses', openAi(true)],
  [
    'Azure',
    (model) =>
      new AzureChatOpenAI({
        model,
        azureOpenAIEndpoint: models.server.url,
        azureOpenAIApiKey: models.server.apiKey,
        azureOpenAIApiDeploymentName: model,
        azureOpenAIApiVersion: '2024-10-21',
        maxRetries: 0,
      }),
  ],
  [
    'Anthropic',
    (model) =>
      new ChatAnthropic({
        model,
        apiKey: models.server.apiKey,
        anthropicApiUrl: models.server.url,
        maxTokens: 1_000,
        maxRetries: 0,
      }),
  ],
  [
    'Google',
    (model) =>
      new ChatGoogle({
        model,
        apiKey: models.server.apiKey,
        endpoint: models.server.url,
        platformType: 'gai',
        maxRetries: 0,
      }),
  ],
];

const place = z.object({ location: z.string() });
const weather = tool(({ location }) => `It is sunny in ${location}.`, {
  name: 'weather',
  description: 'The weather of a place.',
  schema: place,
});

describe.each(clients)('LangChain’s client for %s', (_name, build) => {
  describe.each(modelNames)('with the model %s', (model) => {
    it('generates a text', async () => {
      const answer = await build(model).invoke('Hello');
      expect(answer.text.trim()).toBe(models.textOf(model, false));
      expect(answer.usage_metadata?.output_tokens).toBeGreaterThan(0);
    });

    it('streams a text', async () => {
      let whole: AIMessageChunk | null = null;
      for await (const chunk of await build(model).stream('Hello'))
        whole = whole === null ? chunk : whole.concat(chunk);
      expect(whole?.text.trim()).toBe(models.textOf(model, true));
      expect(whole?.usage_metadata?.output_tokens).toBeGreaterThan(0);
    });

    it.each([false, true])('calls a tool and continues with its result, stream: %s', async (isStreamed) => {
      const bound = build(model).bindTools?.([weather]) ?? expect.unreachable();
      const run = async (history: Parameters<typeof bound.invoke>[0]): Promise<AIMessageChunk> => {
        if (!isStreamed) return bound.invoke(history);
        let whole: AIMessageChunk | null = null;
        for await (const chunk of await bound.stream(history)) whole = whole === null ? chunk : whole.concat(chunk);
        return whole ?? expect.unreachable();
      };
      const question = new HumanMessage('What is the weather in San Francisco?');
      const asked = await run([question]);
      const [call] = asked.tool_calls ?? [];
      expect(call).toMatchObject({ name: 'weather', args: recordedPlace });
      const result = await weather.invoke(call ?? expect.unreachable());
      const last = await run([question, asked, result]);
      expect(models.lastRequest().body).toContain('It is sunny in San Francisco.');
      expect(last.text.trim()).toBe(models.textOf(model, isStreamed));
    });

    it('reads an object from the arguments of a call', async () => {
      const structured = build(model).withStructuredOutput(place, { name: 'weather', method: 'functionCalling' });
      expect(await structured.invoke('Where?')).toEqual(recordedPlace);
    });
  });

  it('reads an object that has a JSON Schema', async () => {
    const structured = build(SCHEMA_MODEL).withStructuredOutput(place, { name: 'place', method: 'jsonSchema' });
    expect(await structured.invoke('Where?')).toEqual({ location: expect.any(String) });
  });
});
