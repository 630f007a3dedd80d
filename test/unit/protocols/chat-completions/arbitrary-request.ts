import * as fc from 'fast-check';

/** Bodies that the API reference allows, each member in each of its forms. */

const text = fc.string({ unit: 'binary', maxLength: 20 });
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/);
const label = (maxLength: number) => fc.string({ unit: 'grapheme-ascii', maxLength });
const json = fc.jsonValue({ maxDepth: 2 });
const jsonSchema = fc.dictionary(label(8), json, { maxKeys: 3 });

/** Any of the members may be missing or, as clients often have it, null. */
function optional(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  const nullable: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [key, arbitrary] of Object.entries(members)) nullable[key] = fc.option(arbitrary, { freq: 5 });
  return fc.record(nullable, { requiredKeys: [] });
}

const merged = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.tuple(...parts).map((objects) => Object.assign({}, ...objects));

const textPart = fc.record({ type: fc.constant('text'), text });
const refusalPart = fc.record({ type: fc.constant('refusal'), refusal: text });
const imagePart = fc.record({
  type: fc.constant('image_url'),
  image_url: merged(
    fc.record({ url: fc.oneof(fc.webUrl(), fc.constant('data:image/png;base64,iVBORw0KGgo=')) }),
    optional({ detail: fc.constantFrom('auto', 'low', 'high', 'original') }),
  ),
});
const audioPart = fc.record({
  type: fc.constant('input_audio'),
  input_audio: fc.record({ data: fc.base64String(), format: fc.constantFrom('wav', 'mp3') }),
});
const filePart = fc.record({
  type: fc.constant('file'),
  file: optional({ file_data: fc.constant('data:application/pdf;base64,JVBERg=='), filename: text, file_id: text }),
});

const parts = (...kinds: fc.Arbitrary<unknown>[]) => fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 3 });
const calledFunction = fc.record({ name: text, arguments: text });
const toolCall = fc.oneof(
  fc.record({ id: text, type: fc.constant('function'), function: calledFunction }),
  fc.record({ id: text, type: fc.constant('custom'), custom: fc.record({ name: text, input: text }) }),
);

const message = fc.oneof(
  merged(
    fc.record({ role: fc.constantFrom('developer', 'system'), content: fc.oneof(text, parts(textPart)) }),
    optional({ name: text }),
  ),
  merged(
    fc.record({
      role: fc.constant('user'),
      content: fc.oneof(text, parts(textPart, imagePart, audioPart, filePart)),
    }),
    optional({ name: text }),
  ),
  merged(
    fc.record({ role: fc.constant('assistant') }),
    optional({
      content: fc.oneof(text, parts(textPart, refusalPart)),
      refusal: text,
      name: text,
      audio: fc.record({ id: text }),
      tool_calls: fc.array(toolCall, { maxLength: 2 }),
      function_call: calledFunction,
    }),
  ),
  fc.record({ role: fc.constant('tool'), content: fc.oneof(text, parts(textPart)), tool_call_id: text }),
  fc.record({ role: fc.constant('function'), content: fc.option(text), name: text }),
);

const declaration = merged(fc.record({ name }), optional({ description: text, parameters: jsonSchema }));
const tool = fc.oneof(
  fc.record({ type: fc.constant('function'), function: merged(declaration, optional({ strict: fc.boolean() })) }),
  fc.record({
    type: fc.constant('custom'),
    custom: merged(
      fc.record({ name }),
      optional({
        description: text,
        format: fc.oneof(
          fc.record({ type: fc.constant('text') }),
          fc.record({
            type: fc.constant('grammar'),
            grammar: fc.record({ definition: text, syntax: fc.constantFrom('lark', 'regex') }),
          }),
        ),
      }),
    ),
  }),
);

const namedChoice = fc.oneof(
  fc.constant('required'),
  fc.record({ type: fc.constant('function'), function: fc.record({ name }) }),
  fc.record({ type: fc.constant('custom'), custom: fc.record({ name }) }),
  fc.record({
    type: fc.constant('allowed_tools'),
    allowed_tools: fc.record({ mode: fc.constantFrom('auto', 'required'), tools: fc.array(jsonSchema) }),
  }),
);

const number = (min: number, max: number) => fc.double({ min, max, noNaN: true });

const independent = optional({
  stream: fc.boolean(),
  max_completion_tokens: fc.integer({ min: 1 }),
  max_tokens: fc.integer({ min: 1 }),
  temperature: number(0, 2),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  n: fc.integer({ min: 1, max: 128 }),
  stop: fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 })),
  seed: fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 63, -(2 ** 63))),
  logprobs: fc.boolean(),
  logit_bias: fc.dictionary(fc.stringMatching(/^[0-9]{1,6}$/), number(-100, 100)),
  tool_choice: fc.constantFrom('none', 'auto'),
  parallel_tool_calls: fc.boolean(),
  response_format: fc.oneof(
    fc.record({ type: fc.constantFrom('text', 'json_object') }),
    fc.record({
      type: fc.constant('json_schema'),
      json_schema: merged(
        fc.record({ name }),
        optional({ description: text, schema: jsonSchema, strict: fc.boolean() }),
      ),
    }),
  ),
  reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  verbosity: fc.constantFrom('low', 'medium', 'high'),
  modalities: fc.constant(['text']),
  prediction: fc.record({ type: fc.constant('content'), content: fc.oneof(text, parts(textPart)) }),
  web_search_options: optional({
    search_context_size: fc.constantFrom('low', 'medium', 'high'),
    user_location: fc.record({
      type: fc.constant('approximate'),
      approximate: optional({ country: text, region: text, city: text, timezone: text }),
    }),
  }),
  service_tier: fc.constantFrom('auto', 'default', 'flex', 'scale', 'priority', 'fast'),
  store: fc.boolean(),
  metadata: fc.dictionary(label(64), label(512), { maxKeys: 16 }),
  safety_identifier: label(128),
  user: label(512),
  prompt_cache_key: text,
  prompt_cache_retention: fc.constantFrom('in_memory', '24h'),
  prompt_cache_options: optional({ mode: fc.constantFrom('implicit', 'explicit'), ttl: fc.constant('30m') }),
  moderation: fc.record({ model: text, policy: fc.constant({ input: { mode: 'score' }, output: { mode: 'block' } }) }),
  functions: fc.array(declaration, { minLength: 1, maxLength: 2 }),
  function_call: fc.constantFrom('none', 'auto'),
});

/** Members that are only allowed together. */
const dependent = fc.oneof(
  fc.constant({}),
  fc.record({ stream: fc.constant(true), stream_options: optional({ include_usage: fc.boolean() }) }),
  fc.record({ logprobs: fc.constant(true), top_logprobs: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ tools: fc.array(tool, { minLength: 1, maxLength: 3 }), tool_choice: namedChoice }),
  fc.record({
    modalities: fc.constantFrom(['audio'], ['text', 'audio']),
    audio: fc.record({
      voice: fc.oneof(text, fc.record({ id: text })),
      format: fc.constantFrom('wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16'),
    }),
  }),
  fc.record({ functions: fc.array(declaration, { minLength: 1, maxLength: 2 }), function_call: fc.record({ name }) }),
);

/** What local servers take beside the reference. */
const foreign = optional({
  top_k: fc.integer(),
  min_p: fc.double(),
  chat_template_kwargs: json,
  __proto__: json,
});

export const chatRequest = merged(
  fc.record({
    model: label(100).filter((model) => model !== ''),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
  }),
  independent,
  dependent,
  foreign,
);
