import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import { chatRequestSchema } from '../../../../src/protocols/chat-completions/decode-request/schema.ts';
import { MessagesDecoder } from '../../../../src/protocols/messages/decode-stream.ts';
import { encodedParts } from '../../../harness/encoded-parts.ts';
import { StreamPartWriter } from '../../../../src/protocols/canonical/stream-part-writer.ts';
import { chatRequest } from '../chat-completions/arbitrary-request.ts';
import { translated } from './translated.ts';

const models = fc.constantFrom(
  'claude-3-haiku-20240307',
  'claude-sonnet-4-0',
  'claude-sonnet-4-5',
  'claude-opus-4-6',
  'claude-opus-5-5',
  'claude-tomorrow',
  'x',
);

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom('', ' ', '{"__proto__":1}', '\uD800'));
const id = fc.constantFrom('1', '2', 'call:1', 'toString', '__proto__', '');
const mark = fc.option(fc.record({ cache_control: fc.constant({ type: 'ephemeral' }) }), { nil: {} });

const detail = fc.oneof(
  fc.jsonValue(),
  fc.record({
    type: fc.constantFrom('reasoning.encrypted', 'reasoning.text', 'reasoning.summary', 'reasoning.new'),
    format: fc.constantFrom('google-gemini-v1', 'anthropic-claude-v1'),
    id: fc.constantFrom(undefined, 'after:1:1', 'after:999999999:999999999', 'block:0:0', 'block:3:1', 'after:x:y'),
    data: fc.oneof(text, fc.constant('{"type":"server_tool_use"}'), fc.constant(undefined)),
    text: fc.option(text, { nil: undefined }),
    signature: fc.option(text, { nil: undefined }),
  }),
);

const call = fc.record({
  id,
  type: fc.constant('function'),
  function: fc.record({ name: text, arguments: text }),
});

/** What the gateway's own arbitrary requests do not dwell on: round trips with what clients carry back. */
const turn = fc.oneof(
  fc.tuple(fc.record({ role: fc.constant('user'), content: text }), mark).map(([said, more]) => ({ ...said, ...more })),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.option(text),
    tool_calls: fc.option(fc.array(call, { maxLength: 3 })),
    function_call: fc.option(fc.record({ name: fc.constantFrom('f', 'g'), arguments: text })),
    reasoning_details: fc.oneof(fc.jsonValue(), fc.array(detail)),
  }),
  fc.record({ role: fc.constant('tool'), tool_call_id: id, content: text }),
  fc.record({ role: fc.constant('function'), name: fc.constant('f'), content: fc.option(text) }),
);

const conversation = fc.record({
  messages: fc.array(turn, { minLength: 1, maxLength: 8 }),
  reasoning_effort: fc.constantFrom(null, 'none', 'minimal', 'high', 'max'),
  max_tokens: fc.option(fc.integer({ min: 1, max: 5_000 })),
});

function requests(): fc.Arbitrary<Record<string, unknown>> {
  const own = fc.record(
    { thinking: fc.jsonValue(), output_config: fc.jsonValue(), betas: fc.jsonValue(), container: fc.jsonValue() },
    { requiredKeys: [] },
  );
  // A rejected one hides the following ones: most have none of Anthropic's members.
  const seldom = fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: own });
  const given = fc.oneof(
    chatRequest,
    conversation.map((members) => ({ model: 'm', ...members })),
  );
  return fc.tuple(given, seldom).map(([request, members]) => ({ ...request, ...members }));
}

describe('any request that the gateway accepts', () => {
  it('is encoded, or rejected with 400, and never modified', () => {
    let translations = 0;
    fc.assert(
      fc.property(requests(), models, fc.constantFrom('strict', 'drop', 'drop', 'drop'), (body, model, parameters) => {
        const parsed = chatRequestSchema.safeParse(body);
        fc.pre(parsed.success);
        const before = JSON.stringify(parsed.data);
        try {
          const { sent, betas } = translated(parsed.data, { model, parameters });
          expect(sent).toMatchObject({ model, max_tokens: expect.any(Number) });
          holdsToAnthropicsRules(sent.messages);
          expect(betas.every((beta) => /^[\w.-]+$/.test(beta))).toBe(true);
          translations += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(SluiceError);
          expect(error).toMatchObject({ status: 400 });
        }
        expect(JSON.stringify(parsed.data)).toBe(before);
      }),
      { numRuns: 1_500 },
    );
    expect(translations).toBeGreaterThan(200);
  });
});

/** Turns alternate, none is empty, no text is blank, and results stand first. */
function holdsToAnthropicsRules(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0) throw new Error('no messages');
  for (const [index, { role, content }] of messages.entries()) {
    expect(role).not.toBe(messages[index - 1]?.role);
    expect(content.length).toBeGreaterThan(0);
    const kinds = content.map(({ type }: { type: string }) => type);
    expect(kinds.lastIndexOf('tool_result')).toBe(kinds.filter((kind: string) => kind === 'tool_result').length - 1);
    for (const block of content) {
      if (block.type === 'text') expect(block.text.trim()).not.toBe('');
      if (block.type === 'tool_use') expect(block.id).toMatch(/^[a-zA-Z0-9_-]+$/);
    }
  }
}

const json = fc.jsonValue({ maxDepth: 3 });
const odd = <T>(usual: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary: usual }, { weight: 1, arbitrary: json });
const index = odd(fc.constantFrom(0, 1));
const kind = fc.constantFrom(
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'server_tool_use',
  'compaction',
  'new',
);
const members = {
  id: odd(fc.string()),
  name: odd(fc.string()),
  text: odd(fc.string()),
  thinking: odd(fc.string()),
  signature: odd(fc.string()),
  data: odd(fc.string()),
  content: odd(fc.string()),
  partial_json: odd(fc.string()),
  input: odd(fc.dictionary(fc.string(), json)),
  citation: odd(fc.record({ url: odd(fc.webUrl()), title: odd(fc.string()) })),
  stop_reason: odd(fc.constantFrom('end_turn', 'tool_use', 'refusal')),
  stop_details: odd(fc.record({ explanation: odd(fc.string()) })),
};
const anything = (types: fc.Arbitrary<string>) =>
  odd(fc.tuple(fc.record({ type: types }), fc.record(members, { requiredKeys: [] })).map(([a, b]) => ({ ...a, ...b })));
const usage = odd(fc.record({ input_tokens: odd(fc.nat()), output_tokens: odd(fc.nat()), iterations: odd(json) }));
/** The end of a response is rare: nothing after it is decoded. */
const event = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.oneof(
      fc.record({ type: fc.constant('content_block_start'), index, content_block: anything(kind) }),
      fc.record({
        type: fc.constant('content_block_delta'),
        index,
        delta: anything(fc.constantFrom('text_delta', 'new')),
      }),
      fc.record({ type: fc.constant('content_block_stop'), index }),
      fc.record({ type: fc.constantFrom('ping', 'toString', 'new') }),
      fc.record({ type: fc.constant('message_delta'), usage }),
    ),
  },
  { weight: 2, arbitrary: json },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ type: fc.constant('message_delta'), delta: anything(fc.constant('x')), usage }),
      fc.record({
        type: fc.constant('message_start'),
        message: odd(fc.record({ id: fc.constantFrom('a', 'b'), usage })),
      }),
      fc.record({ type: fc.constantFrom('message_stop', 'error'), error: json }),
    ),
  },
);

describe('any event', () => {
  it('is decoded without an exception to events of valid JSON', () => {
    let told = 0;
    fc.assert(
      fc.property(fc.array(event, { minLength: 10, maxLength: 30 }), (events) => {
        const writer = new StreamPartWriter('m');
        const answer = new MessagesDecoder(writer);
        for (const one of events) answer.event(one);
        writer.end();
        const lines = encodedParts(writer.take()).split('\n\n').slice(0, -1);
        for (const line of lines) {
          expect(line.startsWith('data: ')).toBe(true);
          if (line !== 'data: [DONE]') JSON.parse(line.slice(6));
        }
        told += lines.length;
      }),
      { numRuns: 1_000 },
    );
    expect(told).toBeGreaterThan(2_000);
  });

  it('that is a complete message is decoded without an exception', () => {
    fc.assert(
      fc.property(fc.array(anything(kind)), usage, (content, counts) => {
        const writer = new StreamPartWriter('m');
        new MessagesDecoder(writer).document({ type: 'message', content, usage: counts });
        writer.end();
        expect(encodedParts(writer.take())).toContain('"finish_reason":"');
      }),
    );
  });
});
