import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let sluice: ReturnType<typeof createOpenAI>;

beforeAll(async () => {
  account = await newAccount();
  sluice = createOpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey });
});
afterAll(() => account.dispose());

interface Place {
  readonly city: string;
}
const place = jsonSchema<Place>({
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
});

/** The default model of the AI SDK, which validates each event by its own schema. */
describe('the AI SDK’s default model', () => {
  it('generates text and reports usage', async () => {
    const { text, usage, finishReason } = await generateText({
      model: sluice('sandbox/chat'),
      instructions: 'Be brief.',
      prompt: 'Hello there',
    });
    expect(text).toContain('Hello there');
    expect(usage.outputTokens).toBeGreaterThan(5);
    expect(finishReason).toBe('stop');
  });

  it('streams, and stops at a limit', async () => {
    const streamed = streamText({ model: sluice('sandbox/chat'), prompt: 'Tell me all.', maxOutputTokens: 16 });
    let text = '';
    for await (const piece of streamed.textStream) text += piece;
    expect(text.length).toBeGreaterThan(10);
    expect(await streamed.finishReason).toBe('length');
  });

  it('calls tools, and continues from the stored response', async () => {
    const asked: string[] = [];
    const streamed = streamText({
      model: sluice('sandbox/chat'),
      prompt: 'Weather in Rome?',
      stopWhen: stepCountIs(2),
      prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'none' }),
      tools: {
        weather: tool({
          inputSchema: place,
          execute: ({ city }) => {
            asked.push(city);
            return 'sunny';
          },
        }),
      },
    });
    await streamed.consumeStream();
    expect(asked).toHaveLength(1);
    const steps = await streamed.steps;
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop']);
    expect(steps[1]?.text).not.toBe('');
  });

  it('generates objects', async () => {
    const { output } = await generateText({
      model: sluice('sandbox/chat'),
      prompt: 'A city.',
      output: Output.object({ schema: place }),
    });
    expect(output).toEqual({ city: expect.any(String) });
  });
});
