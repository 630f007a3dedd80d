import { expect, it } from 'vitest';
import { parseChatResponse, readChatResult } from '../../../../../src/gateway/capabilities/chat/chat-answer.ts';
import { responses } from '../../../../../src/gateway/capabilities/responses/responses.ts';
import type { GenerationResult } from '../../../../../src/protocols/canonical/generation-result.ts';
import { encodeResponse } from '../../../../../src/protocols/chat-completions/encode-response.ts';

const choice = {
  text: 'Grüezi "all"',
  refusal: null,
  reasoning: 'hm',
  reasoningDetails: [],
  logprobs: [],
  calls: [
    { id: 'call_1', name: 'weather', isCustom: false, extraContent: undefined, input: '{"city":"Bern"}' },
    { id: '', name: 'shell', isCustom: true, extraContent: undefined, input: 'ls' },
  ],
  citations: [],
  images: [],
  finishReason: 'tool_calls',
} as const;

const result: GenerationResult = {
  start: { type: 'start', id: 'a', model: 'served', created: 5 },
  choices: [choice, { ...choice, text: null, refusal: 'No.', calls: [], finishReason: 'length' }],
  usage: null,
};

// A choice that the provider leaves out.
const sparse: GenerationResult['choices'][number][] = [];
sparse[1] = choice;

it.each<[string, GenerationResult]>([
  [
    'with usage',
    {
      ...result,
      usage: {
        inputTokens: 7,
        outputTokens: 5,
        cachedTokens: 3,
        hostedTools: { web_search_requests: 2, file_search_requests: 1 },
      },
    },
  ],
  ['without usage', result],
  ['with implausible usage', { ...result, usage: { inputTokens: -1, outputTokens: 5 } }],
])('a result %s is metered and published as the chat that encodes it', (_, given) => {
  const [typed, parsed] = [readChatResult(given), parseChatResponse('a-provider', encodeResponse(given))];
  expect(typed.usage).toEqual(parsed.usage);
  expect(typed.finishReason).toBe('tool_calls');
  expect(typed.finishReason).toBe(parsed.finishReason);
  expect(typed.estimatedOutputTokens).toBe(parsed.estimatedOutputTokens);
  expect(typed.updates()).toEqual(parsed.updates());
  expect(typed.updates()).toHaveLength(6);
});

it('a result without its first choice is published', () => {
  const answer = readChatResult({ ...result, choices: sparse });
  expect(answer.updates()).toMatchObject([{ choice: 1 }, { choice: 1 }, { choice: 1 }, { choice: 1 }]);
  expect(answer.estimatedOutputTokens).toBeGreaterThan(0);
});

it('a result reaches a client of the Responses protocol without a document', () => {
  expect(responses.readResult?.(result).output).toBe(result);
});
