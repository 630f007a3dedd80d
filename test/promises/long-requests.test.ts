import { describe, expect, it } from 'vitest';
import type { ChatDialect } from '../../src/providers/bridge/chat-dialect.ts';
import { promptOf } from '../../src/providers/bridge/prompt.ts';
import { modelTraits as claudeTraits } from '../../src/providers/anthropic/model-traits.ts';
import { modelTraits as geminiTraits } from '../../src/providers/gemini/model-traits.ts';
import { encodeMessagesRequest } from '../../src/protocols/messages/encode-request.ts';
import { encodeGeminiRequest } from '../../src/protocols/gemini/encode-request.ts';
import { encodeResponsesRequest } from '../../src/protocols/responses/encode-request.ts';
import { readChatRequest } from '../../src/providers/sandbox/chat/chat-request.ts';
import { answerChat } from '../../src/providers/sandbox/chat/answer.ts';
import type { ChatMessage, GenerationRequest, ToolCall } from '../../src/protocols/canonical/generation-request.ts';
import { expectMedianWithin } from './median.ts';

/** More than a call takes arguments. What grows with the square of it takes longer than the bound. */
const MANY = 130_000;
const BOUND_MS = 10_000;

const hello = { role: 'user', content: 'Hello' } as const;
const many = <T>(make: (index: number) => T): T[] => Array.from({ length: MANY }, (_, index) => make(index));
const call = (id: string): ToolCall => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

const target = { provider: 'it', model: 'a-model', stream: false, parameters: 'drop' } as const;

/** The text that many parts or messages hold is sent whole. */
const said = (body: string) => body.split('"said"').length - 1;

const dialect: ChatDialect = {
  supportedParams: [],
  reasoning: null,
  supportsInterleavedInstructions: true,
  requiresToolsForCalls: false,
  supportsFile: () => true,
  fetchesImages: true,
};

const translations = [
  [
    'anthropic',
    (request: GenerationRequest) =>
      encodeMessagesRequest(request, { ...target, traits: claudeTraits(target.model) }).body,
  ],
  [
    'gemini',
    (request: GenerationRequest) =>
      encodeGeminiRequest(request, { ...target, traits: geminiTraits(target.model) }).body,
  ],
  [
    'openai-responses',
    (request: GenerationRequest) =>
      encodeResponsesRequest(request, { ...target, encryptsReasoning: true, minOutputTokens: 16 }).body,
  ],
  ['ai-sdk', (request: GenerationRequest) => JSON.stringify(promptOf('it', dialect, request, false))],
] as const;

describe.each(translations)('a long request for %s', (_, translated) => {
  it('may hold many parts, of system and user', () =>
    expectMedianWithin(BOUND_MS, () => {
      const content = many(() => ({ type: 'text' as const, text: 'said' }));
      const messages = (['system', 'user', 'user'] as const).map((role) => ({ role, content }));
      expect(translated({ messages }).split('said').length - 1).toBe(3 * MANY);
    }));

  it('may hold many messages of one role', () =>
    expectMedianWithin(BOUND_MS, () => {
      const messages: ChatMessage[] = many(() => ({ role: 'user' as const, content: 'said' }));
      expect(said(translated({ messages }))).toBe(MANY);
    }));

  it('may hold many calls, alike but for their ends, and their results', () =>
    expectMedianWithin(BOUND_MS, () => {
      const ids = many((index) => `${'a'.repeat(70)}!${index}`);
      const results = ids.map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'said' }));
      const asking = { role: 'assistant' as const, content: null, tool_calls: ids.map(call) };
      expect(said(translated({ messages: [hello, asking, ...results] }))).toBe(MANY);
    }));

  it('may hold many calls of the older form, answered from the first on', () =>
    expectMedianWithin(BOUND_MS, () => {
      const calls = many((index) => ({
        role: 'assistant' as const,
        content: null,
        function_call: { name: `f${index}`, arguments: '{}' },
      }));
      const results = many((index) => ({ role: 'function' as const, name: `f${index}`, content: 'said' }));
      expect(said(translated({ messages: [hello, ...calls, ...results] }))).toBe(MANY);
    }));

  it('may carry many thoughts, of as many calls', () =>
    expectMedianWithin(BOUND_MS, () => {
      const thoughts = many((index) => [
        {
          type: 'reasoning.encrypted',
          format: 'openai-responses-v1',
          id: `r${index}`,
          tool_call_id: `c${index}`,
          data: 'd',
        },
        { type: 'reasoning.text', format: 'anthropic-claude-v1', id: `after:0:${index}`, text: 't', signature: 's' },
        {
          type: 'reasoning.encrypted',
          format: 'google-gemini-v1',
          id: `text:${index}:${index + 1}:${index}`,
          data: 'd',
        },
      ]);
      const asking = {
        role: 'assistant' as const,
        content: 'a'.repeat(MANY),
        tool_calls: many((index) => call(`c${index}`)),
        reasoning_details: thoughts.flat(),
      };
      const body = translated({ messages: [hello, asking] });
      expect(body.split('"f"').length - 1).toBe(MANY);
    }));

  it('may have members with many names or values', () =>
    expectMedianWithin(BOUND_MS, () => {
      const options = Object.fromEntries(many((index) => [`option_${index}`, index]));
      const request = { messages: [hello], web_search_options: options, include: many((index) => `part_${index}`) };
      expect(translated(request)).toContain('Hello');
    }));
});

describe('a long request for the sandbox', () => {
  it('may hold as many results as its context has room for', () =>
    expectMedianWithin(BOUND_MS, () => {
      const results = Array.from({ length: 25_000 }, () => ({ role: 'tool', tool_call_id: 'c', content: 's' }));
      const { choices } = answerChat(readChatRequest({ messages: [hello, ...results] }));
      expect(choices[0]?.text?.join('')).toContain('The tool returned');
    }));
});
