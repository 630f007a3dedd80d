import { z } from 'zod';
import { MAX_TOOLS, modelNameSchema, storedText, toolName } from '../../canonical/validation/common-members.ts';
import { inputItem } from './items.ts';

const MAX_ITEMS = 10_000;
/** Source: OpenAI's API document, IncludeEnum. */
const includable = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
] as const;
const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema.');

const functionTool = z
  .looseObject({
    type: z.literal('function'),
    name: toolName,
    description: z.string().nullish(),
    parameters: jsonSchema.nullish(),
    strict: z.boolean().nullish(),
  })
  .meta({ id: 'ResponseFunctionTool', description: 'A function that the model may call.' });

const customTool = z
  .looseObject({
    type: z.literal('custom'),
    name: z.string().min(1),
    description: z.string().nullish(),
    format: z
      .discriminatedUnion('type', [
        z.looseObject({ type: z.literal('text') }),
        z.looseObject({
          type: z.literal('grammar'),
          definition: z.string(),
          syntax: z.enum(['lark', 'regex']),
        }),
      ])
      .nullish(),
  })
  .meta({ id: 'ResponseCustomTool', description: 'A tool with text input instead of JSON arguments.' });

const webSearch = <Name extends string>(name: Name) =>
  z
    .looseObject({
      type: z.literal(name),
      search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
      user_location: z
        .looseObject({
          country: z.string().nullish(),
          region: z.string().nullish(),
          city: z.string().nullish(),
          timezone: z.string().nullish(),
        })
        .nullish(),
    })
    .meta({ description: 'Lets the model search the web, if its provider supports it.' });

const namespaceTool = z
  .looseObject({
    type: z.literal('namespace'),
    name: z.string().min(1),
    tools: z.array(z.looseObject({ type: z.enum(['function', 'custom']), name: z.string().min(1) })),
  })
  .meta({ id: 'ResponseNamespaceTool', description: 'Tools under a common name.' });

const searchTool = z
  .looseObject({ type: z.literal('tool_search'), execution: z.literal('client'), parameters: jsonSchema.nullish() })
  .meta({ description: 'A search of the client for further tools.' });

const shellTool = z
  .looseObject({ type: z.literal('shell'), environment: z.looseObject({ type: z.literal('local') }).nullish() })
  .meta({ description: 'A shell on the machine of the client.' });

const named = z.looseObject({ name: z.string() });

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    named.extend({ type: z.literal('function') }),
    named.extend({ type: z.literal('custom') }),
    z.looseObject({ type: z.literal('shell') }),
    z.looseObject({ type: z.literal('apply_patch') }),
    z.looseObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(z.record(z.string(), z.unknown())),
    }),
  ]),
]);

const textFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: toolName,
    description: z.string().nullish(),
    schema: jsonSchema,
    strict: z.boolean().nullish(),
  }),
]);

/**
 * The body of `POST /v1/responses`. Source: OpenAI's API reference of November 2026, CreateResponse. A text `input` and
 * a message without `type` are expanded before validation. Unknown members are forwarded to the provider.
 */
export const responsesRequestSchema = z.looseObject({
  model: modelNameSchema,
  input: z.array(inputItem).max(MAX_ITEMS).describe('A string, or the items of a conversation.'),
  instructions: z
    .string()
    .nullish()
    .describe('Instructions before the input. Not inherited from the previous response.'),
  previous_response_id: z.string().nullish().describe('A stored response whose conversation this one continues.'),
  stream: z.boolean().nullish().describe('Whether to stream the response as server-sent events.'),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
  store: z
    .boolean()
    .nullish()
    .describe('Whether the response is stored for 30 days and can be retrieved. Default: true.'),
  background: z
    .boolean()
    .nullish()
    .describe('Whether it runs in the background. Requires `store`. Poll it with `GET /v1/responses/{id}`.'),
  max_output_tokens: z.int().min(16).nullish().describe('Maximum tokens to generate, including reasoning.'),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish().describe('Number of alternatives to return for each token.'),
  tools: z
    .array(
      z.discriminatedUnion('type', [
        functionTool,
        customTool,
        webSearch('web_search'),
        webSearch('web_search_preview'),
        namespaceTool,
        searchTool,
        shellTool,
        z.looseObject({ type: z.literal('local_shell') }),
        z.looseObject({ type: z.literal('apply_patch') }),
      ]),
    )
    .max(MAX_TOOLS)
    .nullish()
    .describe('Tools that the model may call.'),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  text: z
    .looseObject({ format: textFormat.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish()
    .describe('Format of the output.'),
  reasoning: z
    .looseObject({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  include: z.array(z.enum(includable)).nullish().describe('Additional output, such as `message.output_text.logprobs`.'),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  metadata: z
    .record(storedText(64), storedText(512))
    .meta({ maxProperties: 16 })
    .nullish()
    .describe('Up to 16 key-value pairs.'),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  safety_identifier: storedText(128).nullish().describe('A stable, hashed identifier of your end user.'),
  user: storedText(512).nullish().meta({ description: 'Use `safety_identifier`.', deprecated: true }),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
});

export type ResponsesRequest = Readonly<z.infer<typeof responsesRequestSchema>>;

export type ResponsesTool = NonNullable<ResponsesRequest['tools']>[number];
