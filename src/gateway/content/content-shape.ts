import { isObject } from '../../protocols/canonical/json-members.ts';

/** Members whose values are looked into: the structure of requests and responses of all protocols. */
const structure: ReadonlySet<string> = new Set(
  `request response error messages input output contents content parts choices message candidates tools tool_calls function
  functionDeclarations functionCall functionResponse function_call system systemInstruction usage usageMetadata data results
  generationConfig reasoning prompt_tokens_details completion_tokens_details input_tokens_details output_tokens_details
  promptFeedback image_url input_audio source file inlineData`.split(/\s+/),
);
/** Members whose texts are names of the protocol or of the client's tools. */
const names: ReadonlySet<string> = new Set(
  'role type object model modelVersion name status finish_reason finishReason stop_reason code effort media_type mimeType'.split(
    ' ',
  ),
);
const name = /^[\w.:/-]{1,64}$/;
const media = /^\[media:[\w.+/;=-]{0,100}; \d+ bytes(?:; sha256:[0-9a-f]{64})?\]$/;

/** The shape of redacted content, without its texts: roles, sizes, counts, names of tools, and media by reference. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isStructure = value.every((element) => isObject(element) || typeof element === 'string');
    return isStructure ? value.map(shapeOf) : `[${value.length} values]`;
  }
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([member, each]) => [member, shapeOfMember(member, each)]));
  return typeof value === 'string' ? shapeOfText(value) : value;
}

function shapeOfMember(member: string, value: unknown): unknown {
  if (typeof value === 'string') return names.has(member) && name.test(value) ? value : shapeOfText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (structure.has(member)) return shapeOf(value);
  return Array.isArray(value) ? `[${value.length} values]` : `[${Object.keys(value).length} members]`;
}

function shapeOfText(text: string): string {
  return media.test(text) ? text : `[${text.length} characters]`;
}
