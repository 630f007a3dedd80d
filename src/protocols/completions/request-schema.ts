import { z } from 'zod';
import { modelNameSchema, storedText } from '../canonical/validation/common-members.ts';
import { explainedPattern } from '../canonical/validation/scalars.ts';

const MAX_USER_LENGTH = 512;
const tokens = z.array(z.int().min(0)).min(1);
const penalty = z.number().min(-2).max(2).nullish();

/**
 * The body of `POST /v1/completions`. Source: OpenAI's API document, CreateCompletionRequest. Members that are not named here go to
 * the provider as they are.
 */
export const completionRequestSchema = z.looseObject({
  model: modelNameSchema,
  prompt: z
    .union([z.string(), z.array(z.union([z.string(), z.int().min(0), tokens])).min(1)])
    .describe(
      'A text, several texts, or tokens. Tokens, and more than 64 texts, need a provider that serves completions.',
    ),
  suffix: z.string().nullish().describe('The text after the completion. Needs a provider that serves completions.'),
  max_tokens: z.int().min(0).nullish().describe('Maximum tokens to generate for each choice. Default: 16.'),
  temperature: z.number().min(0).max(2).nullish().describe('Higher is more random. Default: 1.'),
  top_p: z.number().min(0).max(1).nullish().describe('Nucleus sampling. Default: 1.'),
  n: z.int().min(1).max(128).nullish().describe('Number of choices for each prompt. Default: 1.'),
  best_of: z
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe('Generates so many choices and returns the best `n`. Needs a provider that serves completions.'),
  stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish() })
    .nullish()
    .describe('With `include_usage`, one more chunk has the usage before the end. Only with `stream`.'),
  logprobs: z.int().min(0).max(5).nullish().describe('Number of alternatives to return for each token.'),
  echo: z.boolean().nullish().describe('Whether each choice begins with the prompt.'),
  stop: z
    .union([z.string(), z.array(z.string()).min(1).max(4)])
    .nullish()
    .describe('Up to 4 stop sequences. They are not part of the output.'),
  presence_penalty: penalty.describe('Positive values favour new topics. Default: 0.'),
  frequency_penalty: penalty.describe('Positive values reduce repetition. Default: 0.'),
  logit_bias: z
    .record(z.string().regex(explainedPattern(/^\d+$/, 'it must be the id of a token.')), z.number().min(-100).max(100))
    .nullish()
    .describe('Token id to bias: -100 bans a token, 100 forces it.'),
  seed: z.int().nullish().describe('The same seed gives the same output, if the model supports it.'),
  user: storedText(MAX_USER_LENGTH).nullish().describe('The end user.'),
});

export type CompletionRequest = z.infer<typeof completionRequestSchema>;
