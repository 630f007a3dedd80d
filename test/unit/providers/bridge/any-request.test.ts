import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import { chatRequestSchema } from '../../../../src/protocols/chat-completions/decode-request/schema.ts';
import type { Connection } from '../../../../src/providers/contract.ts';
import type { ParameterPolicy } from '../../../../src/protocols/canonical/parameter-policy.ts';
import { openConnection } from '../../../../src/providers/registry.ts';
import type { GenerationRequest } from '../../../../src/protocols/canonical/generation-request.ts';
import { json, startFakeProvider } from '../../../harness/fake-provider.ts';

const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom('', ' ', '\0', '\ud800'));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const anyArguments = fc.oneof(
  anyText,
  fc.json(),
  fc.constantFrom('', 'null', '[]', '{"__proto__":1}', '['.repeat(20_000) + ']'.repeat(20_000)),
);
const textParts = fc.array(fc.record({ type: fc.constant('text'), text: anyText }), { minLength: 1, maxLength: 3 });
const texts = fc.oneof(anyText, textParts);
const url = fc.constantFrom(
  'https://example.com/a.png',
  'http://[',
  'https://',
  'data:',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:image/png;base64,%%%',
  'data:text/plain,%E0%A4%A',
  'data:application/pdf;base64,JVBERi0=',
  'DATA:;BASE64,aGk=',
  'data:image/x-unheard-of;base64,AA==',
);
const userPart = fc.oneof(
  fc.record({ type: fc.constant('text'), text: anyText }),
  fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url }) }),
  fc.record({
    type: fc.constant('input_audio'),
    input_audio: fc.record({ data: anyText, format: fc.constantFrom('wav', 'mp3') }),
  }),
  fc.record({
    type: fc.constant('file'),
    file: fc.record({ file_data: maybe(fc.oneof(url, anyText)), filename: maybe(anyText), file_id: maybe(anyText) }),
  }),
);
const call = fc.oneof(
  fc.record({
    id: anyText,
    type: fc.constant('function'),
    function: fc.record({ name, arguments: anyArguments }),
  }),
  fc.record({ id: anyText, type: fc.constant('custom'), custom: fc.record({ name, input: anyText }) }),
);
const detail = fc.record({
  type: fc.constantFrom('reasoning.text', 'reasoning.encrypted', 'reasoning.summary', 'other'),
  format: fc.constantFrom('bedrock-v1', 'anthropic-claude-v1', 'google-gemini-v1'),
  text: anyText,
  data: fc.oneof(anyText, fc.constant('redactedData:x')),
  signature: fc.option(anyText, { nil: undefined }),
  id: fc.option(anyText, { nil: undefined }),
});
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer'), content: texts }),
  fc.record({
    role: fc.constant('user'),
    content: fc.oneof(anyText, fc.array(userPart, { minLength: 1, maxLength: 3 })),
  }),
  fc.record({
    role: fc.constant('assistant'),
    content: maybe(texts),
    refusal: maybe(anyText),
    tool_calls: fc.option(fc.array(call, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    function_call: maybe(fc.record({ name, arguments: anyArguments })),
    reasoning_details: fc.oneof(fc.array(detail, { maxLength: 3 }), fc.anything()),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: anyText, content: texts }),
  fc.record({ role: fc.constant('function'), name, content: maybe(anyText) }),
);
const declared = fc.record({
  name,
  description: maybe(anyText),
  parameters: maybe(fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }))),
  strict: maybe(fc.boolean()),
});
const request = fc.record(
  {
    model: fc.constant('m'),
    messages: fc.array(message, { minLength: 1, maxLength: 6 }),
    max_tokens: maybe(fc.integer({ min: 1, max: 100_000 })),
    temperature: maybe(fc.double({ min: 0, max: 2, noNaN: true })),
    top_p: maybe(fc.double({ min: 0, max: 1, noNaN: true })),
    top_k: fc.anything(),
    stop: maybe(fc.oneof(anyText, fc.array(anyText, { minLength: 1, maxLength: 4 }))),
    seed: maybe(fc.integer()),
    n: maybe(fc.integer({ min: 1, max: 3 })),
    tools: maybe(
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('function'), function: declared }),
          fc.record({ type: fc.constant('custom'), custom: fc.record({ name }) }),
        ),
        { maxLength: 3 },
      ),
    ),
    tool_choice: maybe(
      fc.oneof(
        fc.constantFrom('none', 'auto', 'required'),
        fc.record({ type: fc.constant('function'), function: fc.record({ name }) }),
        fc.record({
          type: fc.constant('allowed_tools'),
          allowed_tools: fc.record({
            mode: fc.constantFrom('auto', 'required'),
            tools: fc.array(fc.record({ type: fc.constant('function'), function: fc.record({ name }) })),
          }),
        }),
      ),
    ),
    functions: maybe(fc.array(declared, { minLength: 1, maxLength: 2 })),
    function_call: maybe(fc.oneof(fc.constantFrom('none', 'auto'), fc.record({ name }))),
    parallel_tool_calls: maybe(fc.boolean()),
    service_tier: maybe(fc.constantFrom('auto', 'default', 'flex', 'scale', 'priority')),
    reasoning_effort: maybe(fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    response_format: maybe(
      fc.oneof(
        fc.record({ type: fc.constantFrom('text', 'json_object') }),
        fc.record({
          type: fc.constant('json_schema'),
          json_schema: fc.record({ name, schema: maybe(fc.dictionary(name, fc.jsonValue({ maxDepth: 3 }))) }),
        }),
      ),
    ),
  },
  { requiredKeys: ['model', 'messages'] },
);

const models = {
  cohere: ['command-a-03-2025'],
  'amazon-bedrock': ['anthropic.claude-opus-5', 'us.amazon.nova-pro-v1:0', 'mistral.m', 'openai.gpt-oss-20b-1:0'],
  'google-vertex': ['gemini-3-pro', 'gemma-3'],
};

describe('the bridge to the AI SDK', () => {
  it.each(Object.entries(models))(
    'throws nothing but what a caller can be told, whatever %s is asked',
    async (provider, names) => {
      const upstream = await startFakeProvider(json(418, { message: 'no tea' }));
      const connection = openConnection(provider, {
        id: provider,
        apiKey: 'key',
        baseUrl: upstream.url,
        connectTimeoutMs: 60_000,
        options: {},
      });
      let valid = 0;
      let refusedByProvider = 0;
      const asked = fc.asyncProperty(
        request,
        fc.constantFrom(...names),
        fc.boolean(),
        fc.constantFrom<ParameterPolicy>('drop', 'strict'),
        async (body, model, stream, parameters) => {
          const parsed = chatRequestSchema.safeParse(body);
          if (!parsed.success) return;
          valid++;
          const before = JSON.stringify(parsed.data);
          const error = await outcome(connection, parsed.data, model, stream, parameters);
          if (error.status === 418) refusedByProvider++;
          else expect(error.status).toBe(400);
          expect(JSON.stringify(parsed.data)).toBe(before);
        },
      );
      try {
        await fc.assert(asked, { numRuns: 150 });
      } finally {
        await connection.close();
        await upstream.close();
      }
      expect(valid).toBeGreaterThan(30);
      expect(refusedByProvider).toBeGreaterThan(5);
    },
  );
});

/** The error of a call that the provider rejects in any case. */
function outcome(
  connection: Connection,
  asked: GenerationRequest,
  model: string,
  stream: boolean,
  parameters: ParameterPolicy,
): Promise<SluiceError> {
  return new Promise((resolve, reject) => {
    try {
      connection.chat(
        { model, request: asked, body: Buffer.from('{}'), stream, wantsUsage: false, requestId: 'r', parameters },
        {
          onConnecting: () => undefined,
          onHead: () => reject(new Error('the provider answers nothing')),
          onData: () => undefined,
          onParts: () => undefined,
          onResult: () => undefined,
          onEnd: () => undefined,
          onFailure: resolve,
        },
      );
    } catch (error) {
      if (error instanceof SluiceError) resolve(error);
      else reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
