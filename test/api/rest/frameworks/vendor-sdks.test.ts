import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { modelNames, SCHEMA_MODEL, startRecordedModels, type RecordedModels } from './recorded-models.ts';

let models: RecordedModels;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  models = await startRecordedModels();
  const { url, apiKey } = models.server;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
});

afterAll(() => models.close());

const place = z.object({ location: z.string() });

describe('the helper `parse` of OpenAI’s SDK', () => {
  it('reads an object from a chat completion', async () => {
    const { choices } = await openai.chat.completions.parse({
      model: SCHEMA_MODEL,
      messages: [{ role: 'user', content: 'Where?' }],
      response_format: zodResponseFormat(place, 'place'),
    });
    expect(choices[0]?.message.parsed).toEqual({ location: expect.any(String) });
  });

  it('reads an object from a response, streamed and not', async () => {
    const request = { model: SCHEMA_MODEL, input: 'Where?', text: { format: zodTextFormat(place, 'place') } };
    expect((await openai.responses.parse(request)).output_parsed).toEqual({ location: expect.any(String) });
    const last = await openai.responses.stream(request).finalResponse();
    expect(last.output_parsed).toEqual({ location: expect.any(String) });
  });
});

describe('`countTokens` of Anthropic’s SDK', () => {
  it.each(modelNames)('counts for the model %s', async (model) => {
    const messages = [{ role: 'user' as const, content: 'Hello, how are you?' }];
    const short = await anthropic.messages.countTokens({ model, messages });
    expect(short.input_tokens).toBeGreaterThan(0);
    const tools = [{ name: 'look', description: 'x'.repeat(400), input_schema: { type: 'object' as const } }];
    const long = await anthropic.messages.countTokens({ model, messages, tools, system: 'y'.repeat(400) });
    expect(long.input_tokens).toBeGreaterThanOrEqual(short.input_tokens + 200);
    expect((await anthropic.beta.messages.countTokens({ model, messages })).input_tokens).toBe(short.input_tokens);
  });
});
