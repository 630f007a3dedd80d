import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import { decodeChatRequest } from '../../../../src/protocols/chat-completions/decode-request.ts';
import { chatRequestSchema } from '../../../../src/protocols/chat-completions/decode-request/schema.ts';
import { chatRequest } from './arbitrary-request.ts';

const minimal = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] };

/** The error for a body, as a client receives it. */
function refusal(body: unknown): { status: number; code: string; param: string | null } {
  try {
    decodeChatRequest(body);
  } catch (error) {
    if (error instanceof SluiceError) return { status: error.status, code: error.code, param: error.param };
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(body).slice(0, 200)}`);
}

describe('a valid body', () => {
  test('is accepted in every form of the reference and returned uncopied', () => {
    fc.assert(
      fc.property(chatRequest, (body) => {
        expect(decodeChatRequest(body)).toBe(body);
      }),
      { numRuns: 500 },
    );
  });

  test('is accepted by the zod schema too, which the documentation is generated from', () => {
    fc.assert(
      fc.property(chatRequest, (body) => {
        const { seed, ...rest } = body;
        expect(typeof seed === 'undefined' || seed === null || Number.isInteger(seed)).toBe(true);
        expect(chatRequestSchema.safeParse(rest).error?.issues).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('passes members of other servers unchanged', () => {
    const body = JSON.parse('{"model":"m","messages":[{"role":"user","content":"x","cache_control":{}}],"top_k":5}');
    expect(decodeChatRequest(body)).toEqual(body);
  });

  test('with a member called __proto__ changes no prototype', () => {
    const body = JSON.parse(
      '{"model":"m","__proto__":{"polluted":true},"messages":[{"role":"user","content":"x","__proto__":{"polluted":true}}]}',
    );
    expect(Object.getPrototypeOf(decodeChatRequest(body))).toBe(Object.prototype);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('counts the length of metadata in characters, not in UTF-16 units', () => {
    expect(decodeChatRequest({ ...minimal, metadata: { mood: '🙂'.repeat(512) } })).toBeDefined();
    expect(refusal({ ...minimal, metadata: { mood: '🙂'.repeat(513) } }).code).toBe('string_above_max_length');
  });
});

describe('any JSON in the place of a member', () => {
  const paths = fc.func(fc.nat());

  test('is validated like by zod, without other exceptions', () => {
    fc.assert(
      fc.property(chatRequest, paths, fc.jsonValue({ maxDepth: 1 }), (valid, pick, value) => {
        const body = structuredClone(valid);
        replaceSomewhere(body, (choices) => pick(choices) % choices, value);
        const zodAccepts = chatRequestSchema.safeParse(body).success;
        let accepted = true;
        try {
          decodeChatRequest(body);
        } catch (error) {
          expect(error).toBeInstanceOf(SluiceError);
          expect(error).toHaveProperty('status', 400);
          accepted = false;
        }
        if (accepted) expect(zodAccepts).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });

  test('in place of the body is rejected', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(refusal(value).status).toBe(400);
      }),
    );
  });
});

/** Walks down by the given choices and puts the value where the walk ends. */
function replaceSomewhere(root: Record<string, unknown>, choose: (choices: number) => number, value: unknown): void {
  let holder: object = root;
  for (;;) {
    const keys = Object.keys(holder);
    const key = keys[choose(keys.length)];
    if (key === undefined) return;
    const member: unknown = Reflect.get(holder, key);
    if (typeof member !== 'object' || member === null || choose(3) === 0 || Object.keys(member).length === 0) {
      Reflect.set(holder, key, value);
      return;
    }
    holder = member;
  }
}

const part = (value: unknown) => ({ messages: [{ role: 'user', content: [value] }] });
const tool = (declaration: object) => ({ tools: [{ type: 'function', function: declaration }] });
const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item);

describe.each<[string, object, string]>([
  ['messages', { messages: 'hello' }, 'invalid_type'],
  ['messages', { messages: null }, 'invalid_type'],
  ['messages', { messages: [] }, 'empty_array'],
  ['messages[0]', { messages: ['hello'] }, 'invalid_type'],
  ['messages[0].role', { messages: [{ content: 'x' }] }, 'missing_required_parameter'],
  ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }, 'invalid_value'],
  ['messages[0].role', { messages: [{ role: 7, content: 'x' }] }, 'invalid_type'],
  ['messages[0].content', { messages: [{ role: 'user' }] }, 'missing_required_parameter'],
  ['messages[0].content', { messages: [{ role: 'user', content: null }] }, 'invalid_type'],
  ['messages[0].content', { messages: [{ role: 'user', content: [] }] }, 'empty_array'],
  ['messages[0].content[0].type', part({ text: 'x' }), 'missing_required_parameter'],
  ['messages[0].content[0].type', part({ type: 'hologram' }), 'invalid_value'],
  ['messages[0].content[0].text', part({ type: 'text' }), 'missing_required_parameter'],
  ['messages[0].content[0].image_url', part({ type: 'image_url', image_url: 'https://x' }), 'invalid_type'],
  [
    'messages[0].content[0].image_url.url',
    part({ type: 'image_url', image_url: { url: 'file:///x' } }),
    'invalid_value',
  ],
  [
    'messages[0].content[0].input_audio.format',
    part({ type: 'input_audio', input_audio: { data: '', format: 'midi' } }),
    'invalid_value',
  ],
  [
    'messages[1].tool_call_id',
    { messages: [minimal.messages[0], { role: 'tool', content: 'x' }] },
    'missing_required_parameter',
  ],
  [
    'messages[0].tool_calls[0].id',
    { messages: [{ role: 'assistant', tool_calls: [{ type: 'function', function: { name: '', arguments: '' } }] }] },
    'missing_required_parameter',
  ],
  ['max_tokens', { max_tokens: 0 }, 'integer_below_min_value'],
  ['max_tokens', { max_tokens: 1.5 }, 'invalid_type'],
  ['max_completion_tokens', { max_completion_tokens: 2 ** 53 }, 'integer_above_max_value'],
  ['max_completion_tokens', { max_completion_tokens: -5 }, 'integer_below_min_value'],
  ['temperature', { temperature: 2.01 }, 'decimal_above_max_value'],
  ['temperature', { temperature: -0.1 }, 'decimal_below_min_value'],
  ['temperature', { temperature: '1' }, 'invalid_type'],
  ['temperature', { temperature: JSON.parse('1e309') }, 'decimal_above_max_value'],
  ['top_p', { top_p: 1.1 }, 'decimal_above_max_value'],
  ['presence_penalty', { presence_penalty: -2.5 }, 'decimal_below_min_value'],
  ['frequency_penalty', { frequency_penalty: 2.5 }, 'decimal_above_max_value'],
  ['n', { n: 0 }, 'integer_below_min_value'],
  ['n', { n: 129 }, 'integer_above_max_value'],
  ['stop', { stop: [] }, 'empty_array'],
  ['stop', { stop: many(5, 'x') }, 'array_above_max_length'],
  ['stop[1]', { stop: ['a', 1] }, 'invalid_type'],
  ['seed', { seed: 2 ** 64 }, 'integer_above_max_value'],
  ['seed', { seed: 0.5 }, 'invalid_type'],
  ['top_logprobs', { logprobs: true, top_logprobs: 21 }, 'integer_above_max_value'],
  ['top_logprobs', { top_logprobs: 2 }, 'invalid_value'],
  ['logit_bias.50256', { logit_bias: { 50256: 101 } }, 'decimal_above_max_value'],
  ['logit_bias.hello', { logit_bias: { hello: 1 } }, 'invalid_value'],
  ['stream', { stream: 'true' }, 'invalid_type'],
  ['stream_options', { stream_options: { include_usage: true } }, 'invalid_value'],
  ['stream_options.include_usage', { stream: true, stream_options: { include_usage: 1 } }, 'invalid_type'],
  ['tools', { tools: many(129, { type: 'function', function: { name: 'f' } }) }, 'array_above_max_length'],
  ['tools[0].type', { tools: [{ function: { name: 'f' } }] }, 'missing_required_parameter'],
  ['tools[0].function.name', tool({ name: 'has space' }), 'invalid_value'],
  ['tools[0].function.name', tool({ name: 'a'.repeat(65) }), 'invalid_value'],
  ['tools[0].function.name', tool({}), 'missing_required_parameter'],
  ['tools[0].function.parameters', tool({ name: 'f', parameters: [] }), 'invalid_type'],
  ['tool_choice', { tool_choice: 'required' }, 'invalid_value'],
  ['tool_choice', { tool_choice: 'sometimes' }, 'invalid_value'],
  ['tool_choice.type', { ...tool({ name: 'f' }), tool_choice: { type: 'robot' } }, 'invalid_value'],
  ['tool_choice.function', { ...tool({ name: 'f' }), tool_choice: { type: 'function' } }, 'missing_required_parameter'],
  ['response_format.type', { response_format: { type: 'xml' } }, 'invalid_value'],
  ['response_format.json_schema', { response_format: { type: 'json_schema' } }, 'missing_required_parameter'],
  [
    'response_format.json_schema.name',
    { response_format: { type: 'json_schema', json_schema: { name: '' } } },
    'invalid_value',
  ],
  ['reasoning_effort', { reasoning_effort: 'extreme' }, 'invalid_value'],
  ['verbosity', { verbosity: 'loud' }, 'invalid_value'],
  ['modalities[0]', { modalities: ['smell'] }, 'invalid_value'],
  ['audio', { modalities: ['audio'] }, 'missing_required_parameter'],
  ['audio.format', { audio: { voice: 'alloy' } }, 'missing_required_parameter'],
  ['prediction.type', { prediction: { type: 'guess', content: 'x' } }, 'invalid_value'],
  [
    'web_search_options.user_location.approximate',
    { web_search_options: { user_location: { type: 'approximate' } } },
    'missing_required_parameter',
  ],
  ['service_tier', { service_tier: 'gold' }, 'invalid_value'],
  [
    'metadata',
    { metadata: Object.fromEntries(many(17, 0).map((_, index) => [index, 'x'])) },
    'object_above_max_properties',
  ],
  ['metadata.k', { metadata: { k: 5 } }, 'invalid_type'],
  ['metadata.k', { metadata: { k: 'x'.repeat(513) } }, 'string_above_max_length'],
  [`metadata.${'k'.repeat(64)}…`, { metadata: { ['k'.repeat(65)]: 'x' } }, 'string_above_max_length'],
  ['metadata.k', { metadata: { k: 'NUL \0' } }, 'invalid_value'],
  ['user', { user: 'half a pair \ud83d' }, 'invalid_value'],
  ['safety_identifier', { safety_identifier: 'x'.repeat(129) }, 'string_above_max_length'],
  ['model', { model: 'm'.repeat(1_000_000) }, 'string_above_max_length'],
  ['model', { model: ['m'] }, 'invalid_type'],
  ['functions', { functions: [] }, 'empty_array'],
  ['function_call', { function_call: { name: 'f' } }, 'invalid_value'],
])('%s out of range', (param, mutation, code) => {
  test(`as ${JSON.stringify(mutation).slice(0, 60)} is refused with ${code}`, () => {
    expect(refusal({ ...minimal, ...mutation })).toEqual({ status: 400, code, param });
  });
});

describe('the order of errors', () => {
  test('a missing model is reported before any other error', () => {
    expect(refusal({ messages: 5, n: 0 }).code).toBe('missing_model');
    expect(refusal({ ...minimal, model: null }).code).toBe('missing_model');
    expect(refusal({ ...minimal, model: '' }).code).toBe('missing_model');
  });

  test('the first of several errors in the document is reported', () => {
    expect(refusal({ model: 'm', n: 0, messages: [], temperature: 9 }).param).toBe('n');
    expect(refusal({ model: 'm', temperature: 9, messages: [], n: 0 }).param).toBe('temperature');
  });
});

const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('a hostile body', () => {
  test('with a tool schema 50,000 levels deep is rejected', () => {
    expect(refusal({ ...minimal, ...tool({ name: 'f', parameters: deep(50_000) }) })).toEqual({
      status: 400,
      code: 'invalid_value',
      param: 'tools[0].function.parameters.a',
    });
  });

  test('with an unknown member 50,000 levels deep is rejected, one of 200 levels is not', () => {
    expect(refusal({ ...minimal, extra: deep(50_000) }).param).toBe('extra');
    expect(decodeChatRequest({ ...minimal, extra: deep(200) })).toBeDefined();
  });

  test('of brackets alone, 50,000 deep, is rejected', () => {
    expect(refusal(JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).code).toBe('invalid_json');
  });

  test('of a million invalid parts is rejected at the first one', () => {
    expect(refusal({ ...minimal, ...part(0), messages: [{ role: 'user', content: many(1_000_000, 0) }] }).param).toBe(
      'messages[0].content[0]',
    );
  });

  test('of 100,000 valid messages is accepted', () => {
    const body = { model: 'm', messages: many(100_000, { role: 'user', content: 'x' }) };
    expect(decodeChatRequest(body)).toBe(body);
  });

  test('with a recursive tool schema is accepted unchanged', () => {
    const parameters = { $ref: '#', properties: { next: { $ref: '#' } } };
    expect(decodeChatRequest({ ...minimal, ...tool({ name: 'f', parameters }) })).toBeDefined();
  });
});
