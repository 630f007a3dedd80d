import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import { chatRequestSchema } from '../../../../src/protocols/chat-completions/decode-request/schema.ts';
import { translated } from './translated.ts';

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.constantFrom('', '{}', '{"__proto__":1}', '\uD800', '%zz'),
);
const id = fc.constantFrom('1', '2', 'toString', '__proto__', '');
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const nullable = <T>(value: fc.Arbitrary<T>) => fc.oneof(fc.constant(null), value);
const object = fc.dictionary(
  fc.oneof(name, fc.constantFrom('const', 'properties', 'items', 'anyOf', '$ref')),
  fc.jsonValue(),
);

const textPart = fc.record({ type: fc.constant('text'), text });
const url = fc.oneof(
  fc.base64String().map((data) => `data:image/png;base64,${data}`),
  text.map((rest) => `data:${rest}`),
  text.map((rest) => `https://${rest}`),
  fc.constant('http://'),
);
const userPart = fc.oneof(
  textPart,
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url }) }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: text, format: fc.constantFrom('wav', 'mp3') }),
  }),
  fc.record({
    type: fc.constant('file'),
    file: fc.record({
      file_data: maybe(nullable(fc.oneof(text, url))),
      filename: maybe(nullable(text)),
      file_id: maybe(nullable(text)),
    }),
  }),
);
const textContent = fc.oneof(text, fc.array(textPart, { minLength: 1 }));
const call = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.record({ id, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ id, type: fc.constant('custom'), custom: fc.record({ name: text, input: text }) }),
  },
);
const detail = fc.oneof(
  fc.jsonValue(),
  fc.record({
    type: fc.constantFrom('reasoning.encrypted', 'reasoning.text', 'reasoning.summary', 'reasoning.new'),
    format: fc.constantFrom('google-gemini-v1', 'anthropic-claude-v1'),
    id: maybe(
      fc.oneof(
        id,
        fc.constantFrom('text:0:3:1', 'part:0:2:0', 'text:9:2:99', 'text:999999999:999999999:999999999', 'image:0'),
      ),
    ),
    data: maybe(fc.oneof(text, fc.constant('{"toolCall":{}}'))),
    text: maybe(text),
    signature: maybe(text),
  }),
);
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content: textContent }),
  fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(userPart, { minLength: 1 })) }),
  fc.record({
    role: fc.constant('assistant'),
    content: maybe(
      nullable(
        fc.oneof(
          text,
          fc.array(fc.oneof(textPart, fc.record({ type: fc.constant('refusal'), refusal: text })), { minLength: 1 }),
        ),
      ),
    ),
    refusal: maybe(nullable(text)),
    tool_calls: maybe(nullable(fc.array(call))),
    function_call: maybe(nullable(fc.record({ name: text, arguments: text }))),
    reasoning_details: maybe(fc.oneof(fc.jsonValue(), fc.array(detail))),
    images: maybe(fc.oneof(fc.jsonValue(), fc.array(fc.record({ image_url: fc.record({ url }) })))),
  }),
  fc.record({ role: fc.constant('function'), name: text, content: nullable(text) }),
);
const results = fc.array(fc.record({ role: fc.constant('tool'), tool_call_id: id, content: textContent }), {
  maxLength: 3,
});
/** Most results answer a call: whatever else is called before, these are. */
const called = fc.record({
  role: fc.constant('assistant'),
  tool_calls: fc
    .uniqueArray(id, { minLength: 4 })
    .map((ids) => ids.map((one) => ({ id: one, type: 'function', function: { name: 'f', arguments: '{}' } }))),
});
const messages = fc
  .tuple(fc.array(message, { minLength: 1, maxLength: 4 }), called, results, fc.array(message, { maxLength: 3 }))
  .map(([before, calls, answers, after]) => [...before, calls, ...answers, ...after]);
const functionMembers = {
  name,
  description: maybe(nullable(text)),
  parameters: maybe(nullable(object)),
  strict: maybe(nullable(fc.boolean())),
};
/** Odd ones are refused: they are few, so that most requests come through to the end. */
const seldom = <T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
const googleNames = fc.constantFrom('thinking_config', 'safetySettings', 'tool_config');
const googleMembers = seldom(fc.dictionary(googleNames, object), fc.jsonValue());
const request = fc.record(
  {
    model: fc.constant('gemini/x'),
    messages: fc.oneof(
      messages,
      fc.array(fc.oneof(message, fc.record({ role: fc.constant('tool'), tool_call_id: id, content: textContent })), {
        minLength: 1,
      }),
    ),
    max_tokens: nullable(fc.integer({ min: 1 })),
    temperature: nullable(fc.double({ min: 0, max: 2, noNaN: true })),
    n: nullable(fc.integer({ min: 1, max: 128 })),
    stop: nullable(fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 }))),
    seed: nullable(fc.maxSafeInteger()),
    logprobs: nullable(fc.boolean()),
    top_logprobs: nullable(fc.integer({ min: 0, max: 20 })),
    top_k: fc.oneof(fc.nat(), fc.jsonValue()),
    tools: nullable(
      fc.array(fc.record({ type: fc.constant('function'), function: fc.record(functionMembers) }), { maxLength: 4 }),
    ),
    functions: nullable(fc.array(fc.record(functionMembers), { minLength: 1, maxLength: 4 })),
    tool_choice: nullable(
      fc.oneof(
        fc.constantFrom('none', 'auto', 'required'),
        fc.record({ type: fc.constant('function'), function: fc.record({ name: text }) }),
        fc.record({
          type: fc.constant('allowed_tools'),
          allowed_tools: fc.record({
            mode: fc.constantFrom('auto', 'required'),
            tools: fc.array(seldom(fc.record({ type: fc.constant('function'), name }), object)),
          }),
        }),
      ),
    ),
    function_call: nullable(fc.oneof(fc.constantFrom('none', 'auto'), fc.record({ name: text }))),
    response_format: nullable(
      fc.oneof(
        fc.record({ type: fc.constantFrom('text', 'json_object') }),
        fc.record({ type: fc.constant('json_schema'), json_schema: fc.record({ name, schema: nullable(object) }) }),
      ),
    ),
    reasoning_effort: nullable(fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    service_tier: nullable(fc.constantFrom('auto', 'default', 'flex', 'scale', 'priority', 'fast')),
    web_search_options: nullable(fc.record({ search_context_size: nullable(fc.constantFrom('low', 'high')) })),
    google: nullable(googleMembers),
    extra_body: nullable(seldom(fc.record({ google: googleMembers }), fc.jsonValue())),
    safety_settings: fc.jsonValue(),
  },
  { requiredKeys: ['model', 'messages'] },
);

describe('any request that the gateway accepts', () => {
  it('is encoded, or rejected with 400', () => {
    let translations = 0;
    const models = fc.constantFrom(
      'gemini-3-pro-preview',
      'gemini-2.5-flash',
      'gemini-2.0-flash',
      'gemma-3-27b-it',
      'x',
    );
    fc.assert(
      fc.property(request, models, fc.constantFrom('strict', 'drop'), (body, model, parameters) => {
        const parsed = chatRequestSchema.safeParse(body);
        fc.pre(parsed.success);
        const before = JSON.stringify(parsed.data);
        try {
          const { sent } = translated(parsed.data, { model, parameters });
          expect(Array.isArray(sent.contents)).toBe(true);
          translations += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(SluiceError);
          expect(error).toMatchObject({ status: 400 });
        }
        expect(JSON.stringify(parsed.data)).toBe(before);
      }),
      { numRuns: 1_500 },
    );
    expect(translations).toBeGreaterThan(100);
  });
});
