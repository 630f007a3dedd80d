import { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';

const record = z.record(z.string(), z.unknown());
const functionDeclaration = z.looseObject({ name: z.string(), parameters: z.unknown().optional() });
const toolDeclaration = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('function'), function: functionDeclaration }),
  z.looseObject({
    type: z.literal('custom'),
    custom: z.looseObject({
      name: z.string(),
      format: z
        .looseObject({
          type: z.string(),
          grammar: z.looseObject({ syntax: z.string(), definition: z.string() }).nullish(),
        })
        .nullish(),
    }),
  }),
]);
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(record)]).nullish(),
  name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
  tool_calls: z.array(record).nullish(),
});

/**
 * The members of OpenAI's chat request that the sandbox uses; the gateway has validated it. Members that only affect
 * sampling (temperature, logit_bias, prediction ...) are accepted and have no effect.
 */
const chatRequestSchema = z.looseObject({
  messages: z.array(message).min(1),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  n: z.int().min(1).max(128).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  seed: z.number().nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(toolDeclaration).nullish(),
  tool_choice: z.union([z.string(), record]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: z.array(functionDeclaration).nullish(),
  function_call: z.union([z.string(), record]).nullish(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: z.unknown().optional() }).nullish() })
    .nullish(),
  reasoning_effort: z.string().nullish(),
  modalities: z.array(z.string()).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatMessage = z.infer<typeof message>;

/** @throws SluiceError invalid_value | unsupported_value */
export function readChatRequest(request: Readonly<Record<string, unknown>>): ChatRequest {
  const parsed = chatRequestSchema.safeParse(request);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new SluiceError('invalid_value', {
      param: issue?.path.join('.') || 'messages',
      values: { reason: issue?.message ?? 'it is not valid.' },
    });
  }
  if (parsed.data.modalities?.includes('audio')) {
    throw new SluiceError('unsupported_value', {
      param: 'modalities',
      values: { reason: "does not support 'audio' with this model: the sandbox's chat model answers in text only." },
    });
  }
  return parsed.data;
}
