import { membersOf, type JsonObject } from '../../canonical/json-members.ts';
import { messagesOf, type ParseJson } from './conversation.ts';
import type { ResponsesRequest, ResponsesTool } from './schema.ts';

/** Members that are converted to other chat members, or not sent to providers. */
const translated = new Set([
  'input',
  'instructions',
  'previous_response_id',
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

const nested: Readonly<Record<string, string>> = { function: 'function', custom: 'custom' };

export interface ConvertedRequest {
  /** A `GenerationRequest` with the model's name, not validated yet. */
  readonly body: JsonObject;
  /** Paths of members without an equivalent in it. */
  readonly dropped: readonly string[];
}

/**
 * Converts a request to the canonical form, which is a chat. Source: OpenAI's API document, CreateResponse and
 * CreateChatCompletionRequest.
 * @param parseJson parses reasoning that the client sends back
 * @throws SluiceError unsupported_value
 */
export function generationRequest(request: ResponsesRequest, parseJson: ParseJson): ConvertedRequest {
  const { instructions, tools, text, reasoning, top_logprobs: alternatives } = request;
  const passed = Object.entries(request).filter(
    ([name, value]) => !translated.has(name) && value !== null && value !== undefined,
  );
  const own = (tools ?? []).filter(isOwn).map(chatTool);
  const search = (tools ?? []).find((tool) => !isOwn(tool));
  const logprobs = typeof alternatives === 'number' || request.include?.includes('message.output_text.logprobs');
  const body = {
    ...Object.fromEntries(passed),
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...messagesOf(request.input, parseJson),
    ],
    ...(request.stream && { stream: true, stream_options: { include_usage: true } }),
    ...(request.max_output_tokens && { max_completion_tokens: request.max_output_tokens }),
    ...(logprobs && { logprobs: true, ...(alternatives && { top_logprobs: alternatives }) }),
    ...(own.length > 0 && { tools: own }),
    ...(search && { web_search_options: searchOptions(search) }),
    ...(request.tool_choice && { tool_choice: chatToolChoice(request.tool_choice) }),
    ...(text?.format && text.format.type !== 'text' && { response_format: responseFormat(text.format) }),
    ...(text?.verbosity && { verbosity: text.verbosity }),
    ...(reasoning?.effort && { reasoning_effort: reasoning.effort }),
  };
  return { body, dropped: droppedMembers(request) };
}

/** Paths of the members without an equivalent in a chat. */
export function droppedMembers(request: ResponsesRequest): string[] {
  const { reasoning, truncation, include, text, tools, max_tool_calls: calls, n } = request;
  const known = new Set<string>(['message.output_text.logprobs', 'reasoning.encrypted_content']);
  return [
    ...unsupportedMembers('reasoning', reasoning, ['effort']),
    ...unsupportedMembers('text', text, ['format', 'verbosity']),
    ...unsupportedSearchMembers(tools ?? []),
    ...(truncation === 'auto' ? ['truncation'] : []),
    ...(calls ? ['max_tool_calls'] : []),
    // A response has one choice.
    ...(n === undefined || n === null ? [] : ['n']),
    ...((include ?? []).every((name) => known.has(name)) ? [] : ['include']),
  ];
}

/** Members without a place in a chat. */
function unsupportedMembers(path: string, object: JsonObject | null | undefined, known: readonly string[]): string[] {
  const others = Object.entries(object ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return others.flatMap(([name]) => (known.includes(name) ? [] : [`${path}.${name}`]));
}

/** A chat has one set of web search options. */
function unsupportedSearchMembers(tools: readonly ResponsesTool[]): string[] {
  return tools.flatMap((tool, at) => {
    if (isOwn(tool)) return [];
    const isSecond = tools.findIndex((other) => !isOwn(other)) !== at;
    return isSecond
      ? [`tools[${at}]`]
      : unsupportedMembers(`tools[${at}]`, tool, ['type', 'search_context_size', 'user_location']);
  });
}

function isOwn(tool: ResponsesTool): boolean {
  return tool.type === 'function' || tool.type === 'custom';
}

function chatTool(tool: ResponsesTool): JsonObject {
  const { type, ...declared } = tool;
  if (type !== 'custom') return { type: 'function', function: declared };
  const { format, ...rest } = declared;
  const isGrammar = typeof format === 'object' && format !== null && 'definition' in format;
  return { type, custom: { ...rest, ...(isGrammar ? { format: grammar(format) } : format ? { format } : {}) } };
}

function grammar({ type, ...rule }: JsonObject): JsonObject {
  return { type, grammar: rule };
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
function nestedReference({ type, name }: JsonObject): JsonObject {
  const member = nested[String(type)];
  return member === undefined ? { type, name } : { type, [member]: { name } };
}

function responseFormat(format: JsonObject): JsonObject {
  const { type, ...schema } = format;
  return type === 'json_schema' ? { type, json_schema: schema } : { type };
}
