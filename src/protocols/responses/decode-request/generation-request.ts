import { membersOf, textOf, type JsonObject } from '../../canonical/json-members.ts';
import type { MemberNames } from '../../canonical/request/member-names.ts';
import type { OutputForm } from '../encode-response.ts';
import { COMPACTION_PROMPT } from '../encrypted-content/compaction-item.ts';
import { flatName } from '../flat-name.ts';
import type { ContentSeal } from '../encrypted-content/content-seal.ts';
import { messagesOf, type ReasoningReader } from './conversation.ts';
import { flatTools } from './flat-tools.ts';
import { plainItems } from './plain-items.ts';
import type { ResponsesRequest, ResponsesTool } from './schema.ts';

/** Members that are converted to other chat members, or not sent to providers. */
const translated = new Set([
  'input',
  'instructions',
  'previous_response_id',
  // One that is kept here: its items stand in the input.
  'conversation',
  'store',
  'background',
  'stream_options',
  'max_output_tokens',
  'top_logprobs',
  'tools',
  'tool_choice',
  'text',
  'reasoning',
  'include',
  'truncation',
  'max_tool_calls',
  'n',
]);

const memberNames: MemberNames = {
  max_completion_tokens: 'max_output_tokens',
  logprobs: 'include',
  response_format: 'text.format',
  verbosity: 'text.verbosity',
  reasoning_effort: 'reasoning.effort',
};

export interface ConvertedRequest {
  /** A `GenerationRequest` with the model's name, not validated yet. */
  readonly body: JsonObject;
  /** Paths of members without an equivalent in it. */
  readonly dropped: readonly string[];
  readonly names: MemberNames;
}

/**
 * Converts a request to the canonical form, which is a chat. Source: OpenAI's API document, CreateResponse and
 * CreateChatCompletionRequest.
 * @throws SluiceError unsupported_value | invalid_encrypted_content
 */
export function generationRequest(request: ResponsesRequest, reader: ReasoningReader): ConvertedRequest {
  const { instructions, tools, text, reasoning, top_logprobs: alternatives } = request;
  const isCompaction = isCompacting(request);
  const flat = flatTools(request);
  const own = isCompaction ? [] : flat.functions;
  const plain = plainItems(request.input, reader.seal);
  const search = isCompaction ? undefined : (tools ?? []).find(isSearch);
  const logprobs =
    !isCompaction && (typeof alternatives === 'number' || request.include?.includes('message.output_text.logprobs'));
  const body = passedMembers(request, isCompaction);
  const messages = messagesOf(plain, reader);
  if (instructions) messages.unshift({ role: 'system', content: instructions });
  if (isCompaction) messages.push({ role: 'user', content: COMPACTION_PROMPT });
  body.messages = messages;
  if (request.stream) {
    body.stream = true;
    body.stream_options = { include_usage: true };
  }
  if (request.max_output_tokens) body.max_completion_tokens = request.max_output_tokens;
  if (logprobs) body.logprobs = true;
  if (logprobs && alternatives) body.top_logprobs = alternatives;
  if (own.length > 0) body.tools = own;
  if (search) body.web_search_options = searchOptions(search);
  if (request.tool_choice && !isCompaction) body.tool_choice = chatToolChoice(request.tool_choice);
  if (text?.format && text.format.type !== 'text' && !isCompaction) body.response_format = responseFormat(text.format);
  if (text?.verbosity) body.verbosity = text.verbosity;
  if (reasoning?.effort) body.reasoning_effort = reasoning.effort;
  const at = (tools ?? []).findIndex(isSearch);
  const names = search === undefined ? memberNames : { ...memberNames, web_search_options: `tools[${at}]` };
  return { body, dropped: [...droppedMembers(request), ...flat.dropped, ...plain.dropped], names };
}

/** Members that a chat has, too. */
function passedMembers(request: ResponsesRequest, isCompaction: boolean): Record<string, unknown> {
  const passed: Record<string, unknown> = {};
  for (const name of Object.keys(request)) {
    if (translated.has(name)) continue;
    const value: unknown = Reflect.get(request, name);
    if (value === null || value === undefined) continue;
    if (isCompaction && name === 'parallel_tool_calls') continue;
    // By assignment, a member of this name would become the prototype.
    if (name === '__proto__') Object.defineProperty(passed, name, { value, enumerable: true });
    else passed[name] = value;
  }
  return passed;
}

/** How the response to a request is encoded. */
export function outputForm(request: ResponsesRequest, seal: ContentSeal): OutputForm {
  return { tools: flatTools(request).declared, isCompaction: isCompacting(request), seal };
}

const knownIncludes: ReadonlySet<string> = new Set(['message.output_text.logprobs', 'reasoning.encrypted_content']);

/** Paths of the members without an equivalent in a chat. */
export function droppedMembers(request: ResponsesRequest): string[] {
  const { reasoning, truncation, include, text, tools, max_tool_calls: calls, n } = request;
  return [
    ...unsupportedMembers('reasoning', reasoning, ['effort']),
    ...unsupportedMembers('text', text, ['format', 'verbosity']),
    ...unsupportedSearchMembers(tools ?? []),
    ...(truncation === 'auto' ? ['truncation'] : []),
    ...(calls ? ['max_tool_calls'] : []),
    // A response has one choice.
    ...(n === undefined || n === null ? [] : ['n']),
    ...((include ?? []).every((name) => knownIncludes.has(name)) ? [] : ['include']),
  ];
}

/** Members without a place in a chat. */
function unsupportedMembers(path: string, object: JsonObject | null | undefined, known: readonly string[]): string[] {
  if (object === null || object === undefined) return [];
  const others = Object.entries(object).filter(([, value]) => value !== null && value !== undefined);
  return others.flatMap(([name]) => (known.includes(name) ? [] : [`${path}.${name}`]));
}

/** A chat has one set of web search options. */
function unsupportedSearchMembers(tools: readonly ResponsesTool[]): string[] {
  return tools.flatMap((tool, at) => {
    if (!isSearch(tool)) return [];
    const isSecond = tools.findIndex(isSearch) !== at;
    return isSecond
      ? [`tools[${at}]`]
      : unsupportedMembers(`tools[${at}]`, tool, ['type', 'search_context_size', 'user_location']);
  });
}

function isSearch(tool: ResponsesTool): boolean {
  return tool.type === 'web_search' || tool.type === 'web_search_preview';
}

/** Whether the conversation is to be summarised instead of continued. */
function isCompacting({ input }: Pick<ResponsesRequest, 'input'>): boolean {
  return input.at(-1)?.type === 'compaction_trigger';
}

function searchOptions(tool: ResponsesTool): JsonObject {
  const { search_context_size: size, user_location: place }: JsonObject = tool;
  const { type: _, ...approximate } = membersOf(place);
  return {
    ...(size ? { search_context_size: size } : {}),
    ...(place ? { user_location: { type: 'approximate', approximate } } : {}),
  };
}

function chatToolChoice(choice: NonNullable<ResponsesRequest['tool_choice']>): unknown {
  if (typeof choice === 'string') return choice;
  if (choice.type !== 'allowed_tools') return nestedReference(choice);
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.mode, tools: choice.tools.map(nestedReference) },
  };
}

/** `{type, name}` as `{type, function: {name}}`. */
function nestedReference({ type, name, namespace }: JsonObject): JsonObject {
  if (type === 'shell' || type === 'apply_patch') return { type: 'function', function: { name: type } };
  if (type !== 'function' && type !== 'custom') return { type, name };
  return { type: 'function', function: { name: flatName(textOf(namespace), String(name)) } };
}

function responseFormat(format: JsonObject): JsonObject {
  const { type, ...schema } = format;
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}
