import { z } from 'zod';
import { modelNameSchema, storedText } from '../../canonical/validation/common-members.ts';
import { explainedPattern } from '../../canonical/validation/scalars.ts';
import { chatMessageSchema } from './messages.ts';
import { functionCallSchema, functionsSchema, responseFormatSchema, toolChoiceSchema, toolsSchema } from './tools.ts';

const int64 = z
  .number()
  .multipleOf(1)
  .min(-(2 ** 63))
  .max(2 ** 63)
  .meta({ type: 'integer', format: 'int64' });

const tokenLimit = z.int().min(1);
const penalty = z.number().min(-2).max(2).nullish();
const moderationMode = z.looseObject({ mode: z.enum(['score', 'block']) }).nullish();

/**
 * The body of `POST /v1/chat/completions`. Source: OpenAI's API reference of November 2026, document and SDK together.
 * An explicit `null` for an optional member means the same as its absence. Members that are not named here go to the
 * provider as they are: servers that speak this API have many of their own.
 */
export const chatRequestSchema = z
  .looseObject({
    model: modelNameSchema,
    messages: z.array(chatMessageSchema).min(1).describe('The conversation so far.'),
    stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
    stream_options: z
      .looseObject({
        include_usage: z.boolean().nullish().describe('Whether to send one more chunk with the usage before the end.'),
        include_obfuscation: z.boolean().nullish(),
      })
      .nullish()
      .describe('Only with `stream`.'),
    max_completion_tokens: tokenLimit
      .nullish()
      .describe('Maximum tokens to generate, including reasoning. The model’s own limit if absent.'),
    max_tokens: tokenLimit.nullish().meta({ description: 'Use `max_completion_tokens`.', deprecated: true }),
    temperature: z.number().min(0).max(2).nullish().describe('Higher is more random. Default: 1.'),
    top_p: z
      .number()
      .min(0)
      .max(1)
      .nullish()
      .describe('Nucleus sampling: only tokens within this probability mass. Default: 1.'),
    presence_penalty: penalty.describe('Positive values favour new topics. Default: 0.'),
    frequency_penalty: penalty.describe('Positive values reduce repetition. Default: 0.'),
    n: z.int().min(1).max(128).nullish().describe('Number of choices to generate. Default: 1.'),
    stop: z
      .union([z.string(), z.array(z.string()).min(1).max(4)])
      .nullish()
      .describe('Up to 4 stop sequences. They are not part of the output.'),
    seed: int64
      .nullish()
      .meta({ description: 'The same seed gives the same output, if the model supports it.', deprecated: true }),
    logprobs: z.boolean().nullish().describe('Whether to return the log probability of each token.'),
    top_logprobs: z
      .int()
      .min(0)
      .max(20)
      .nullish()
      .describe('Number of alternatives to return for each token. Requires `logprobs`.'),
    logit_bias: z
      .record(
        z.string().regex(explainedPattern(/^\d+$/, 'it must be the id of a token.')),
        z.number().min(-100).max(100),
      )
      .nullish()
      .describe('Token id to bias: -100 bans a token, 100 forces it.'),
    tools: toolsSchema.nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    parallel_tool_calls: z.boolean().nullish().describe('Whether tools may be called in parallel. Default: true.'),
    response_format: responseFormatSchema.nullish(),
    reasoning_effort: z
      .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
      .nullish()
      .describe('Reasoning effort. The model’s own default if absent.'),
    verbosity: z.enum(['low', 'medium', 'high']).nullish().describe('Length of the output.'),
    modalities: z
      .array(z.enum(['text', 'audio']))
      .min(1)
      .nullish()
      .describe('Output modalities. Default: text.'),
    audio: z
      .looseObject({
        voice: z.union([z.string(), z.looseObject({ id: z.string() })]),
        format: z.enum(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']),
      })
      .nullish()
      .describe('Required if `modalities` contains `audio`.'),
    prediction: z
      .looseObject({
        type: z.literal('content'),
        content: z.union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).min(1)]),
      })
      .nullish()
      .describe('Predicted output: text that the output will mostly repeat, for speed.'),
    web_search_options: z
      .looseObject({
        search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
        user_location: z
          .looseObject({
            type: z.literal('approximate'),
            approximate: z.looseObject({
              country: z.string().nullish(),
              region: z.string().nullish(),
              city: z.string().nullish(),
              timezone: z.string().nullish(),
            }),
          })
          .nullish(),
      })
      .nullish()
      .describe('Lets the model search the web.'),
    service_tier: z
      .enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast'])
      .nullish()
      .describe('The provider’s service tier.'),
    store: z.boolean().nullish().describe('Whether to store the completion, for 30 days. Default: false.'),
    metadata: z
      .record(storedText(64), storedText(512))
      .meta({ maxProperties: 16 })
      .nullish()
      .describe('Up to 16 key-value pairs: tags of the request, and the metadata of a stored completion.'),
    safety_identifier: storedText(128).nullish().describe('A stable, hashed identifier of your end user.'),
    user: storedText(512).nullish().meta({ description: 'Use `safety_identifier`.', deprecated: true }),
    prompt_cache_key: z.string().nullish().describe('Requests with the same key share the provider’s prompt cache.'),
    prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
    prompt_cache_options: z
      .looseObject({ mode: z.enum(['implicit', 'explicit']).nullish(), ttl: z.literal('30m').nullish() })
      .nullish(),
    moderation: z
      .looseObject({
        model: z.string(),
        policy: z.looseObject({ input: moderationMode, output: moderationMode }).nullish(),
      })
      .nullish(),
    functions: functionsSchema.nullish(),
    function_call: functionCallSchema.nullish(),
  })
  .meta({
    id: 'ChatCompletionRequest',
    description: 'A chat completion request. Unknown members are forwarded to the provider.',
  });

/** A validated request: the parsed object itself, shared and never modified. */
export type ChatRequest = Readonly<z.infer<typeof chatRequestSchema>>;
