import { z } from 'zod';
import { modelNameSchema } from '../../canonical/validation/common-members.ts';

const text = z.looseObject({ type: z.literal('text'), text: z.string() });

const source = z.looseObject({
  type: z.string(),
  media_type: z.string().nullish(),
  data: z.string().nullish(),
  url: z.string().nullish(),
  file_id: z.string().nullish(),
});

const block = z.discriminatedUnion('type', [
  text,
  z.looseObject({ type: z.literal('image'), source }),
  z.looseObject({ type: z.literal('document'), source, title: z.string().nullish(), context: z.string().nullish() }),
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  z.looseObject({
    type: z.literal('tool_use'),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).nullish(),
    is_error: z.boolean().nullish(),
  }),
  /** Any other block, which no other protocol has. */
  z.looseObject({ type: z.literal('other'), kind: z.string() }),
]);

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
});

const thinking = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1) }),
  z.looseObject({ type: z.literal('adaptive') }),
  z.looseObject({ type: z.literal('disabled') }),
]);

const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use: z.boolean().nullish() }),
  z.looseObject({ type: z.literal('none') }),
]);

/** The body of `POST /v1/messages`, after `knownBlocks`. Source: platform.claude.com/docs/en/api/messages. */
export const messagesRequestSchema = z.looseObject({
  model: modelNameSchema,
  max_tokens: z.int().min(1).describe('Maximum tokens to generate, including thinking.'),
  messages: z.array(message).min(1).describe('The conversation so far.'),
  system: z
    .union([z.string(), z.array(text)])
    .nullish()
    .describe('Instructions before the conversation.'),
  stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.int().min(0).nullish(),
  stop_sequences: z.array(z.string()).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        name: z.string().nullish(),
        description: z.string().nullish(),
        input_schema: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .nullish()
    .describe('Tools that the model may call.'),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish().describe('Extended thinking.'),
  output_config: z
    .looseObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      format: z
        .looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })
        .nullish()
        .describe('A JSON Schema that the output satisfies.'),
    })
    .nullish(),
  metadata: z.looseObject({ user_id: z.string().nullish() }).nullish(),
  service_tier: z.enum(['auto', 'standard_only']).nullish(),
});

export type MessagesRequest = Readonly<z.infer<typeof messagesRequestSchema>>;
export type Block = z.infer<typeof block>;
export type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;
