import { z } from 'zod';
import { imageUrl } from '../chat/messages.ts';

const detail = z.enum(['auto', 'low', 'high', 'original']).nullish().describe('How closely the model looks.');

const inputText = z
  .looseObject({ type: z.literal('input_text'), text: z.string() })
  .meta({ id: 'InputText', description: 'Text.' });

const inputImage = z
  .looseObject({
    type: z.literal('input_image'),
    image_url: imageUrl.nullish(),
    file_id: z.string().nullish().describe('Not taken here: files are kept by nobody.'),
    detail,
  })
  .meta({ id: 'InputImage', description: 'An image.' });

const inputFile = z
  .looseObject({
    type: z.literal('input_file'),
    file_data: z.string().nullish().describe('The file itself, as a data: URL.'),
    filename: z.string().nullish(),
    file_id: z.string().nullish().describe('An id that the provider knows, in place of its data.'),
    file_url: z.string().nullish().describe('Not taken here: send the file itself.'),
  })
  .meta({ id: 'InputFile', description: 'A file, such as a PDF.' });

const inputAudio = z
  .looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.string().describe('Base64.'), format: z.enum(['wav', 'mp3']) }),
  })
  .meta({ id: 'InputAudio', description: 'Recorded sound.' });

const outputText = z
  .looseObject({ type: z.literal('output_text'), text: z.string() })
  .meta({ id: 'OutputText', description: 'What the model said.' });

const refusal = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .meta({ id: 'OutputRefusal', description: 'Why the model said nothing.' });

const contentPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio, outputText, refusal]);
export type ContentPart = z.infer<typeof contentPart>;

const message = z
  .looseObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), z.array(contentPart)]),
  })
  .meta({ id: 'ResponseMessage', description: 'A message. Its `type` may be left out.' });
export type MessageItem = z.infer<typeof message>;

const calledBy = z.string().describe('What the call and its output are matched by.');

const functionCall = z
  .looseObject({
    type: z.literal('function_call'),
    call_id: calledBy,
    name: z.string(),
    arguments: z.string().describe('JSON, as the model wrote it.'),
  })
  .meta({ id: 'ResponseFunctionCall', description: 'A call that the model asked for.' });

const customCall = z
  .looseObject({ type: z.literal('custom_tool_call'), call_id: calledBy, name: z.string(), input: z.string() })
  .meta({ id: 'ResponseCustomCall', description: 'A call of a tool that takes text.' });

const callOutput = z.union([z.string(), z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile]))]);

const functionOutput = z
  .looseObject({ type: z.literal('function_call_output'), call_id: calledBy, output: callOutput })
  .meta({ id: 'ResponseFunctionOutput', description: 'What a function returned: text.' });

const customOutput = z
  .looseObject({ type: z.literal('custom_tool_call_output'), call_id: calledBy, output: callOutput })
  .meta({ id: 'ResponseCustomOutput', description: 'What a custom tool returned: text.' });
export type CallOutput = z.infer<typeof callOutput>;

const reasoning = z
  .looseObject({
    type: z.literal('reasoning'),
    summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })).nullish(),
    encrypted_content: z.string().nullish().describe('The reasoning itself, for the provider that it is from.'),
  })
  .meta({
    id: 'ResponseReasoning',
    description: 'What the model thought, as it was answered: to be sent back untouched.',
  });
export type ReasoningItem = z.infer<typeof reasoning>;

const reference = z
  .looseObject({ type: z.literal('item_reference'), id: z.string() })
  .meta({ id: 'ResponseItemReference', description: 'An item of an earlier response that was stored.' });

const picture = z
  .looseObject({ type: z.literal('image_generation_call') })
  .meta({ id: 'ResponsePicture', description: 'A picture that a model made. It is not shown to a model again.' });

export const inputItem = z
  .discriminatedUnion('type', [
    message,
    functionCall,
    functionOutput,
    customCall,
    customOutput,
    reasoning,
    reference,
    picture,
  ])
  .meta({ id: 'ResponseInputItem', description: 'One item of the conversation.' });
export type InputItem = z.infer<typeof inputItem>;
