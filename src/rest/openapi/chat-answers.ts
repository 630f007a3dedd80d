import { z } from 'zod';

/** Source: OpenAI's API document, CompletionUsage. */
export const usageSchema = z.looseObject({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.looseObject({ cached_tokens: z.int().optional() }).optional(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.int().optional() }).optional(),
  cost: z.number().optional().describe('Cost in USD. A Sluice extension in the last chunk of a stream.'),
});
const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string().describe('JSON.') }),
});
const finishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);
const logprobs = z.looseObject({ content: z.array(z.unknown()).nullable() }).nullable();

/** Source: OpenAI's API reference, chat completion object. */
export const chatAnswerSchema = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({
        role: z.literal('assistant'),
        content: z.string().nullable(),
        refusal: z.string().nullable(),
        tool_calls: z.array(toolCall).optional(),
      }),
      logprobs,
      finish_reason: finishReason,
    }),
  ),
  usage: usageSchema.optional(),
});

/** Source: OpenAI's API reference, chat completion chunk object. */
export const chatChunkSchema = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      delta: z.looseObject({
        role: z.string().optional(),
        content: z.string().nullable().optional(),
        tool_calls: z.array(z.looseObject({ index: z.int() })).optional(),
      }),
      logprobs: logprobs.optional(),
      finish_reason: finishReason.nullable(),
    }),
  ),
  usage: usageSchema.nullable().optional(),
});
