import { z } from 'zod';
import { imageUrl } from '../../canonical/validation/common-members.ts';

const cacheBreakpoint = z
  .looseObject({ mode: z.literal('explicit'), ttl: z.enum(['30m', '12h']).nullish() })
  .nullish()
  .describe('Marks the end of a prompt prefix that the provider may reuse.');

const textPart = z
  .looseObject({ type: z.literal('text'), text: z.string(), prompt_cache_breakpoint: cacheBreakpoint })
  .meta({ id: 'TextPart', description: 'Text.' });

const refusalPart = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .meta({ id: 'RefusalPart', description: 'An earlier refusal of the model.' });

const imagePart = z
  .looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({
      url: imageUrl,
      detail: z.enum(['auto', 'low', 'high', 'original']).nullish().describe('Level of detail for the model.'),
    }),
    prompt_cache_breakpoint: cacheBreakpoint,
  })
  .meta({ id: 'ImagePart', description: 'An image.' });

const audioPart = z
  .looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.string().describe('Base64.'), format: z.enum(['wav', 'mp3']) }),
    prompt_cache_breakpoint: cacheBreakpoint,
  })
  .meta({ id: 'AudioPart', description: 'Audio.' });

const filePart = z
  .looseObject({
    type: z.literal('file'),
    file: z.looseObject({
      file_data: z.string().nullish().describe('The file itself, as a data: URL, or its public URL.'),
      filename: z.string().nullish(),
      file_id: z
        .string()
        .nullish()
        .describe('An id that the provider knows, in place of its data; not of a file stored here.'),
    }),
    prompt_cache_breakpoint: cacheBreakpoint,
  })
  .meta({ id: 'FilePart', description: 'A file, such as a PDF.' });

const textContent = z.union([z.string(), z.array(textPart).min(1)]);

const userContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])).min(1),
]);

const assistantContent = z
  .union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart])).min(1)])
  .nullish();

const calledFunction = z.looseObject({
  name: z.string(),
  arguments: z.string().describe('JSON, as the model wrote it: it may be invalid.'),
});

const toolCall = z
  .discriminatedUnion('type', [
    z
      .looseObject({ id: z.string(), type: z.literal('function'), function: calledFunction })
      .meta({ id: 'FunctionToolCall' }),
    z
      .looseObject({
        id: z.string(),
        type: z.literal('custom'),
        custom: z.looseObject({ name: z.string(), input: z.string() }),
      })
      .meta({ id: 'CustomToolCall' }),
  ])
  .meta({ id: 'ToolCall', description: 'A tool call by the model.' });

const authorName = z.string().nullish().describe('Distinguishes participants with the same role.');

const instructions = (role: 'developer' | 'system', description: string) =>
  z
    .looseObject({ role: z.literal(role), content: textContent, name: authorName })
    .meta({ id: role === 'system' ? 'SystemMessage' : 'DeveloperMessage', description });

const userMessage = z
  .looseObject({ role: z.literal('user'), content: userContent, name: authorName })
  .meta({ id: 'UserMessage', description: 'A message of the user, with text, images, audio or files.' });

const assistantMessage = z
  .looseObject({
    role: z.literal('assistant'),
    content: assistantContent,
    refusal: z.string().nullish(),
    name: authorName,
    audio: z.looseObject({ id: z.string() }).nullish().describe('An earlier audio response.'),
    tool_calls: z.array(toolCall).nullish(),
    function_call: calledFunction.nullish().meta({ deprecated: true }),
  })
  .meta({ id: 'AssistantMessage', description: 'An earlier response of the model.' });

const toolMessage = z
  .looseObject({
    role: z.literal('tool'),
    content: textContent,
    tool_call_id: z.string().describe('The `id` of the tool call.'),
  })
  .meta({ id: 'ToolMessage', description: 'The result of a tool call.' });

const functionMessage = z
  .looseObject({ role: z.literal('function'), content: z.string().nullable(), name: z.string() })
  .meta({ id: 'FunctionMessage', description: 'The result of a function call. Use `tool`.', deprecated: true });

export const chatMessageSchema = z
  .discriminatedUnion('role', [
    instructions('developer', 'Instructions of the developer, with precedence over those of the user.'),
    instructions('system', 'The older form of a developer message.'),
    userMessage,
    assistantMessage,
    toolMessage,
    functionMessage,
  ])
  .meta({ id: 'ChatMessage', description: 'One message of the conversation.' });
