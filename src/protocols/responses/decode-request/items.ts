import { z } from 'zod';
import { imageUrl } from '../../canonical/validation/common-members.ts';

const detail = z.enum(['auto', 'low', 'high', 'original']).nullish().describe('Level of detail for the model.');

const inputText = z
  .looseObject({ type: z.literal('input_text'), text: z.string() })
  .meta({ id: 'InputText', description: 'Text.' });

const inputImage = z
  .looseObject({
    type: z.literal('input_image'),
    image_url: imageUrl.nullish(),
    file_id: z.string().nullish().describe('Not supported.'),
    detail,
  })
  .meta({ id: 'InputImage', description: 'An image.' });

const inputFile = z
  .looseObject({
    type: z.literal('input_file'),
    file_data: z.string().nullish().describe('The file itself, as a data: URL.'),
    filename: z.string().nullish(),
    file_id: z.string().nullish().describe('An id that the provider knows, in place of its data.'),
    file_url: z
      .string()
      .nullish()
      .describe('The public URL of the file, in place of its data. Where the provider does not fetch it, Sluice does.'),
  })
  .meta({ id: 'InputFile', description: 'A file, such as a PDF.' });

const inputAudio = z
  .looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.string().describe('Base64.'), format: z.enum(['wav', 'mp3']) }),
  })
  .meta({ id: 'InputAudio', description: 'Audio.' });

const outputText = z
  .looseObject({ type: z.literal('output_text'), text: z.string() })
  .meta({ id: 'OutputText', description: 'Text of the model.' });

const refusal = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .meta({ id: 'OutputRefusal', description: 'A refusal of the model.' });

const contentPart = z.discriminatedUnion('type', [inputText, inputImage, inputFile, inputAudio, outputText, refusal]);
export type ContentPart = z.infer<typeof contentPart>;

const message = z
  .looseObject({
    type: z.literal('message'),
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), z.array(contentPart)]),
  })
  .meta({ id: 'ResponseMessage', description: 'A message. Its `type` is optional.' });
export type MessageItem = z.infer<typeof message>;

const calledBy = z.string().describe('Matches a call with its output.');

const functionCall = z
  .looseObject({
    type: z.literal('function_call'),
    call_id: calledBy,
    name: z.string(),
    arguments: z.string().describe('JSON, as the model wrote it.'),
  })
  .meta({ id: 'ResponseFunctionCall', description: 'A function call by the model.' });

const customCall = z
  .looseObject({ type: z.literal('custom_tool_call'), call_id: calledBy, name: z.string(), input: z.string() })
  .meta({ id: 'ResponseCustomCall', description: 'A call of a tool with text input.' });

const callOutput = z.union([z.string(), z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile]))]);

const functionOutput = z
  .looseObject({ type: z.literal('function_call_output'), call_id: calledBy, output: callOutput })
  .meta({ id: 'ResponseFunctionOutput', description: 'Output of a function: text.' });

const customOutput = z
  .looseObject({ type: z.literal('custom_tool_call_output'), call_id: calledBy, output: callOutput })
  .meta({ id: 'ResponseCustomOutput', description: 'Output of a custom tool: text.' });
export type CallOutput = z.infer<typeof callOutput>;

const reasoning = z
  .looseObject({
    type: z.literal('reasoning'),
    summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })).nullish(),
    encrypted_content: z.string().nullish().describe('The reasoning itself, for the provider that produced it.'),
  })
  .meta({
    id: 'ResponseReasoning',
    description: 'Reasoning of the model. Send it back unchanged.',
  });

const reference = z
  .looseObject({ type: z.literal('item_reference'), id: z.string() })
  .meta({ id: 'ResponseItemReference', description: 'An item of a stored response.' });

const imageItem = z
  .looseObject({ type: z.literal('image_generation_call') })
  .meta({ id: 'ResponsePicture', description: 'An image by a model. It is not sent to a model again.' });

/** A call that the client runs itself, or its output: in the form that OpenAI's API document gives its type. */
const localItem = <Name extends string>(name: Name, id: string) =>
  z.looseObject({ type: z.literal(name), call_id: calledBy }).meta({ id });

const loose = <Name extends string>(name: Name, id: string) => z.looseObject({ type: z.literal(name) }).meta({ id });

const declaredTools = z.array(z.looseObject({ type: z.string() }).meta({ id: 'ResponseDeclaredTool' }));

/** Of tools that a provider ran: only such a provider can use them. */
const hostedItems = [
  loose('web_search_call', 'ResponseWebSearchCall'),
  loose('file_search_call', 'ResponseFileSearchCall'),
  loose('code_interpreter_call', 'ResponseCodeInterpreterCall'),
  loose('computer_call', 'ResponseComputerCall'),
  loose('computer_call_output', 'ResponseComputerOutput'),
  loose('mcp_list_tools', 'ResponseMcpTools'),
  loose('mcp_call', 'ResponseMcpCall'),
  loose('mcp_approval_request', 'ResponseMcpApprovalRequest'),
  loose('mcp_approval_response', 'ResponseMcpApproval'),
  loose('program', 'ResponseProgram'),
  loose('program_output', 'ResponseProgramOutput'),
] as const;

export const inputItem = z
  .discriminatedUnion('type', [
    message,
    functionCall,
    functionOutput,
    customCall,
    customOutput,
    reasoning,
    reference,
    imageItem,
    z
      .looseObject({ type: z.literal('tool_search_call'), call_id: calledBy.nullish() })
      .meta({ id: 'ResponseToolSearchCall' }),
    z
      .looseObject({ type: z.literal('tool_search_output'), call_id: calledBy.nullish(), tools: declaredTools })
      .meta({ id: 'ResponseToolSearchOutput' }),
    z
      .looseObject({ type: z.literal('additional_tools'), tools: declaredTools })
      .meta({ id: 'ResponseAdditionalTools' }),
    localItem('local_shell_call', 'ResponseLocalShellCall'),
    loose('local_shell_call_output', 'ResponseLocalShellOutput'),
    localItem('shell_call', 'ResponseShellCall'),
    localItem('shell_call_output', 'ResponseShellOutput'),
    localItem('apply_patch_call', 'ResponseApplyPatchCall'),
    localItem('apply_patch_call_output', 'ResponseApplyPatchOutput'),
    z.looseObject({ type: z.literal('compaction'), encrypted_content: z.string() }).meta({ id: 'ResponseCompaction' }),
    loose('compaction_trigger', 'ResponseCompactionTrigger'),
    ...hostedItems,
  ])
  .meta({ id: 'ResponseInputItem', description: 'One item of the conversation.' });
export type InputItem = z.infer<typeof inputItem>;

/** An item that a chat has a form for. */
export type PlainItem =
  | Extract<InputItem, { type: 'message' | 'reasoning' | 'item_reference' | 'image_generation_call' }>
  | Extract<InputItem, { type: 'function_call' | 'function_call_output' }>;
