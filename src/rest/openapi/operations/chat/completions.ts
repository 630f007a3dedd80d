import { z } from 'zod';
import { completionRequestSchema } from '../../../../gateway/capabilities/completions/completions-protocol.ts';
import { usageSchema } from '../../chat-answers.ts';
import { jsonBody } from '../../examples.ts';
import { failures } from '../../failures.ts';
import { events, ref, refs, routed, type Operation } from '../../parts.ts';

/** Source: OpenAI's API document, Completions. */
export const createCompletion: Operation = {
  operationId: 'createCompletion',
  summary: 'Create a legacy completion',
  description:
    'OpenAI’s legacy completions. A provider with this API receives the request unchanged; for all others the prompt becomes the message of a user. Returns one JSON object, or with `stream: true` server-sent events that end with `data: [DONE]`.',
  tags: ['Completions'],
  requestBody: { required: true, content: jsonBody('CompletionRequest') },
  responses: {
    '200': {
      description: 'The completion.',
      headers: { ...routed, ...refs(['x-sluice-moderation']) },
      content: { 'application/json': { schema: ref('Completion') }, ...events('CompletionChunk') },
    },
    ...failures,
  },
};

export { completionRequestSchema };

const head = { id: z.string(), object: z.literal('text_completion'), created: z.int(), model: z.string() };
const choice = z.looseObject({
  text: z.string(),
  index: z.int(),
  logprobs: z.looseObject({}).nullish(),
  finish_reason: z.enum(['stop', 'length', 'content_filter']),
});

/** Source: OpenAI's API document, CreateCompletionResponse. */
export const completionSchema = z.looseObject({ ...head, choices: z.array(choice), usage: usageSchema.optional() });

/** In a stream the finish reason is null before the end, which the document does not say. */
export const completionChunkSchema = z.looseObject({
  ...head,
  choices: z.array(choice.extend({ finish_reason: choice.shape.finish_reason.nullable() })),
  usage: usageSchema.nullish(),
});
