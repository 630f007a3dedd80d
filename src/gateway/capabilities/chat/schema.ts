import { z } from 'zod';
import { modelNameSchema, storedText } from '../common-members.ts';
import { explainedPattern } from '../validation-scalars.ts';
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
    stream: z.boolean().nullish().describe('Whether the answer comes as server-sent events, piece by piece.'),
    stream_options: z
      .looseObject({
        include_usage: z.boolean().nullish().describe('One more chunk before the end tells the usage.'),
        include_obfuscation: z.boolean().nullish(),
      })
      .nullish()
      .describe('Only with `stream`.'),
    max_completion_tokens: tokenLimit
      .nullish()
      .describe('The most tokens to generate, those of reasoning included. The model’s own limit where absent.'),
    max_tokens: tokenLimit.nullish().meta({ description: 'Use `max_completion_tokens`.', deprecated: true }),
    temperature: z.number().min(0).max(2).nullish().describe('Higher is more random. 1 where absent.'),
    top_p: z.number().min(0).max(1).nullish().describe('Only the most likely tokens of this mass. 1 where absent.'),
    presence_penalty: penalty.describe('Positive values favour new subjects. 0 where absent.'),
    frequency_penalty: penalty.describe('Positive values make repetition less likely. 0 where absent.'),
    n: z.int().min(1).max(128).nullish().describe('How many choices to generate. 1 where absent.'),
    stop: z
      .union([z.string(), z.array(z.string()).min(1).max(4)])
      .nullish()
      .describe('Up to 4 texts that end the answer. They are not part of it.'),
    seed: int64
      .nullish()
      .meta({ description: 'The same seed gives the same answer, as far as the model can.', deprecated: true }),
    logprobs: z.boolean().nullish().describe('Whether to tell the log probability of each token.'),
    top_logprobs: z
      .int()
      .min(0)
      .max(20)
      .nullish()
      .describe('How many alternatives to tell for each token. Needs `logprobs`.'),
    logit_bias: z
      .record(
        z.string().regex(explainedPattern(/^\d+$/, 'it must be the id of a token.')),
        z.number().min(-100).max(100),
      )
      .nullish()
      .describe('Token id to bias: -100 bans a token, 100 forces it.'),
    tools: toolsSchema.nullish(),
    tool_choice: toolChoiceSchema.nullish(),
    parallel_tool_calls: z
      .boolean()
      .nullish()
      .describe('Whether several tools may be called at once. True where absent.'),
    response_format: responseFormatSchema.nullish(),
    reasoning_effort: z
      .enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])
      .nullish()
      .describe('How long a reasoning model thinks. Its own default where absent.'),
    verbosity: z.enum(['low', 'medium', 'high']).nullish().describe('How long the answer is.'),
    modalities: z
      .array(z.enum(['text', 'audio']))
      .min(1)
      .nullish()
      .describe('What the model answers in. Text where absent.'),
    audio: z
      .looseObject({
        voice: z.union([z.string(), z.looseObject({ id: z.string() })]),
        format: z.enum(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']),
      })
      .nullish()
      .describe('Required where `modalities` holds `audio`.'),
    prediction: z
      .looseObject({
        type: z.literal('content'),
        content: z.union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string() })).min(1)]),
      })
      .nullish()
      .describe('Text that the answer will mostly repeat, to make it faster.'),
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
      .describe('The provider’s class of service.'),
    store: z.boolean().nullish().describe('Whether the provider keeps the answer.'),
    metadata: z
      .record(storedText(64), storedText(512))
      .meta({ maxProperties: 16 })
      .nullish()
      .describe('Up to 16 pairs of your own.'),
    safety_identifier: storedText(128).nullish().describe('A stable, hashed name of your end user.'),
    user: storedText(512).nullish().meta({ description: 'Use `safety_identifier`.', deprecated: true }),
    prompt_cache_key: z.string().nullish().describe('Requests of the same key share the provider’s prompt cache.'),
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
  .meta({ id: 'ChatCompletionRequest', description: 'What to complete, and how. Further members are passed on.' });

/** A validated request: the very object that was parsed, shared and never written to. */
export type ChatRequest = Readonly<z.infer<typeof chatRequestSchema>>;
