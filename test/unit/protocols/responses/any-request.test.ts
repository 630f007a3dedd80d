import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import type { ParameterPolicy } from '../../../../src/protocols/canonical/parameter-policy.ts';
import { ResponsesDecoder } from '../../../../src/protocols/responses/decode-stream.ts';
import { encodedParts } from '../../../harness/encoded-parts.ts';
import { StreamPartWriter } from '../../../../src/protocols/canonical/stream-part-writer.ts';
import { translated } from './translated.ts';
import { chatRequest } from '../chat-completions/arbitrary-request.ts';

describe('any request that the reference allows', () => {
  it('is encoded, or rejected with an error for the client', () => {
    fc.assert(
      fc.property(chatRequest, fc.constantFrom<ParameterPolicy>('strict', 'drop'), (request, policy) => {
        const before = JSON.stringify(request);
        try {
          expect(JSON.parse(translated(request, policy).body)).toMatchObject({
            model: 'gpt-5-pro',
            input: expect.any(Array),
          });
        } catch (error) {
          if (!(error instanceof SluiceError)) throw error;
          expect(error.status).toBe(400);
        }
        expect(JSON.stringify(request)).toBe(before);
      }),
      { numRuns: 500 },
    );
  });
});

const eventType = fc.constantFrom(
  'response.created',
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.done',
  'response.output_text.delta',
  'response.output_text.done',
  'response.output_text.annotation.added',
  'response.reasoning_summary_text.delta',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.completed',
  'response.failed',
  'error',
  'response.of_tomorrow',
);
const itemType = fc.constantFrom('message', 'function_call', 'custom_tool_call', 'reasoning', 'image_generation_call');
const anyItem = fc.record(
  {
    type: itemType,
    id: fc.string(),
    call_id: fc.oneof(fc.string(), fc.constant(null)),
    name: fc.jsonValue(),
    arguments: fc.jsonValue(),
    content: fc.jsonValue(),
    summary: fc.jsonValue(),
    result: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const anyEvent = fc.record(
  {
    type: fc.oneof(eventType, fc.string()),
    output_index: fc.oneof(fc.nat(3), fc.jsonValue()),
    content_index: fc.jsonValue(),
    delta: fc.jsonValue(),
    text: fc.jsonValue(),
    logprobs: fc.jsonValue(),
    annotation: fc.jsonValue(),
    annotation_index: fc.nat(3),
    item: fc.oneof(anyItem, fc.jsonValue()),
    part: fc.jsonValue(),
    response: fc.jsonValue(),
    error: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('any event', () => {
  it('is ignored if it is unknown, whatever its members are', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyEvent, fc.jsonValue()), { maxLength: 12 }), (events) => {
        const writer = new StreamPartWriter('a-model');
        const answer = new ResponsesDecoder(writer);
        for (const event of events) answer.event(event);
        if (answer.ended) writer.end();
        const written = encodedParts(writer.take());
        for (const event of written.split('\n\n').filter((text) => text !== ''))
          if (event !== 'data: [DONE]') JSON.parse(event.slice('data: '.length));
      }),
      { numRuns: 1_000 },
    );
  });
});

it('has documents by URL as such', () => {
  const file = { file_data: 'https://example.com/a.pdf', filename: 'a.pdf' };
  const request = { messages: [{ role: 'user' as const, content: [{ type: 'file' as const, file }] }] };
  const content = [{ type: 'input_file', filename: 'a.pdf', file_url: 'https://example.com/a.pdf' }];
  expect(JSON.parse(translated(request, 'strict').body).input).toEqual([{ type: 'message', role: 'user', content }]);
});
