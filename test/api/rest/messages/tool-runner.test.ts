import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newAccount, type TestAccount } from '../../../harness/shared-server.ts';

let account: TestAccount;
let client: Anthropic;

beforeAll(async () => {
  account = await newAccount();
  client = new Anthropic({ apiKey: account.apiKey, baseURL: account.url, maxRetries: 0 });
});

afterAll(() => account.dispose());

describe('the tool runner of Anthropic’s SDK', () => {
  it.each([true, false])(
    'runs the tools that a model calls and returns its last message, stream: %s',
    async (stream) => {
      const calls: { readonly name: string; readonly place: string }[] = [];
      const tools = ['weather', 'depth'].map((name) =>
        betaTool({
          name,
          description: 'Measures.',
          inputSchema: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
          run: ({ place }) => {
            calls.push({ name, place });
            return '12 m';
          },
        }),
      );
      const runner = client.beta.messages.toolRunner({
        model: 'sandbox/chat',
        max_tokens: 500,
        stream,
        tools,
        messages: [{ role: 'user', content: 'What are the weather and the depth?' }],
      });
      const last = await runner.runUntilDone();
      expect(calls).toEqual([
        { name: 'weather', place: expect.any(String) },
        { name: 'depth', place: expect.any(String) },
      ]);
      expect(last.stop_reason).toBe('end_turn');
      expect(last.content).toEqual([expect.objectContaining({ type: 'text', text: expect.stringMatching(/./) })]);
      expect(runner.params.messages.map(({ role }) => role).slice(0, 3)).toEqual(['user', 'assistant', 'user']);
    },
  );
});
