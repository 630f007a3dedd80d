import { z } from 'zod';
import { MAX_TOOLS, toolName } from '../../canonical/validation/common-members.ts';

const jsonSchema = z.record(z.string(), z.unknown()).describe('A JSON Schema.');

const functionDeclaration = {
  name: toolName,
  description: z.string().nullish().describe('When and how the model should call it.'),
  parameters: jsonSchema.nullish().describe('A JSON Schema of the arguments; no arguments if absent.'),
};

const functionTool = z
  .looseObject({
    type: z.literal('function'),
    function: z.looseObject({
      ...functionDeclaration,
      strict: z.boolean().nullish().describe('Whether the arguments must satisfy the schema exactly.'),
    }),
  })
  .meta({ id: 'FunctionTool', description: 'A function that the model may call.' });

const customToolFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({
    type: z.literal('grammar'),
    grammar: z.looseObject({ definition: z.string(), syntax: z.enum(['lark', 'regex']) }),
  }),
]);

const customTool = z
  .looseObject({
    type: z.literal('custom'),
    custom: z.looseObject({
      name: z.string().min(1),
      description: z.string().nullish(),
      format: customToolFormat.nullish().describe('Default: free text.'),
    }),
  })
  .meta({ id: 'CustomTool', description: 'A tool with text input instead of JSON arguments.' });

export const toolsSchema = z
  .array(z.discriminatedUnion('type', [functionTool, customTool]))
  .max(MAX_TOOLS)
  .describe('Tools that the model may call.');

const named = z.looseObject({ name: z.string() });

export const toolChoiceSchema = z
  .union([
    z.enum(['none', 'auto', 'required']),
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('function'), function: named }).meta({ id: 'FunctionToolChoice' }),
      z.looseObject({ type: z.literal('custom'), custom: named }).meta({ id: 'CustomToolChoice' }),
      z
        .looseObject({
          type: z.literal('allowed_tools'),
          allowed_tools: z.looseObject({
            mode: z.enum(['auto', 'required']),
            tools: z.array(z.record(z.string(), z.unknown())),
          }),
        })
        .meta({ id: 'AllowedToolsChoice' }),
    ]),
  ])
  .meta({
    id: 'ToolChoice',
    description: 'The tool to call. Default: `none` without tools, `auto` with tools.',
  });

export const functionsSchema = z
  .array(z.looseObject(functionDeclaration))
  .min(1)
  .max(MAX_TOOLS)
  .meta({ description: 'Use `tools`.', deprecated: true });

export const functionCallSchema = z
  .union([z.enum(['none', 'auto']), named])
  .meta({ description: 'Use `tool_choice`.', deprecated: true });

export const responseFormatSchema = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }).meta({ id: 'ResponseFormatText' }),
    z.looseObject({ type: z.literal('json_object') }).meta({ id: 'ResponseFormatJsonObject' }),
    z
      .looseObject({
        type: z.literal('json_schema'),
        json_schema: z.looseObject({
          name: toolName,
          description: z.string().nullish(),
          schema: jsonSchema.nullish(),
          strict: z.boolean().nullish().describe('Whether the output must satisfy the schema exactly.'),
        }),
      })
      .meta({ id: 'ResponseFormatJsonSchema' }),
  ])
  .meta({
    id: 'ResponseFormat',
    description: 'Format of the output: text, a JSON object, or JSON that satisfies a schema.',
  });
