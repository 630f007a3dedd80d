import { effortOfBudget } from '../canonical/effort-of-budget.ts';
import type { MemberNames } from '../canonical/request/member-names.ts';
import { memberNamesOf } from './decode-request/member-names.ts';
import { SluiceError } from '../../errors/index.ts';
import { isObject, membersOf, type JsonObject } from '../canonical/json-members.ts';
import { readModelName } from '../canonical/validation/common-members.ts';
import { compileValidator, type Validator } from '../canonical/validation/compile-validator.ts';
import { decodeConversation } from './decode-request/conversation.ts';
import { messagesRequestSchema, type MessagesRequest } from './decode-request/schema.ts';

const assertSchema: Validator<MessagesRequest> = compileValidator(messagesRequestSchema);

const known: ReadonlySet<unknown> = new Set([
  'text',
  'image',
  'document',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
]);
/** Members that are converted; `model`, `stream` and what is only a hint for Anthropic's cache need nothing. */
const converted: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'metadata',
  'service_tier',
  'cache_control',
]);
/** Longer identifiers are no chat's. */
const MAX_USER_LENGTH = 512;

export interface DecodedMessages {
  /** A chat request, not validated yet. */
  readonly chat: JsonObject;
  /** Paths of what has no equivalent in it. */
  readonly dropped: readonly string[];
  /** What members of the chat are in the request. */
  readonly memberNames: MemberNames;
}

/**
 * Validates a request of Anthropic's Messages API and decodes it to a chat. Source: platform.claude.com/docs/en/api/messages.
 * @throws SluiceError of status 400, naming the invalid member
 */
export function decodeMessagesRequest(body: unknown): DecodedMessages {
  const model = readModelName(body);
  if (!isObject(body)) throw new SluiceError('invalid_json', { values: { reason: 'the body must be an object' } });
  const request: unknown = { ...body, messages: knownBlocks(body.messages) };
  assertSchema(request);
  const { messages, dropped } = decodeConversation(request);
  const { functions, search, unknown } = toolsOf(request);
  const chat = {
    model,
    messages: messages.length === 0 ? [{ role: 'user', content: '' }] : messages,
    max_completion_tokens: request.max_tokens,
    ...given('temperature', request.temperature),
    ...given('top_p', request.top_p),
    ...stopsOf(request),
    ...(functions.length > 0 && { tools: functions, ...choiceOf(request, search) }),
    ...(search !== null && { web_search_options: searchOptions(search) }),
    ...effortOf(request),
    ...formatOf(request),
    ...userOf(request),
  };
  const others = Object.entries(body).filter(([name, value]) => !converted.has(name) && value !== null);
  return {
    chat,
    dropped: [...others.map(([name]) => name), ...droppedSettings(request), ...unknown, ...dropped],
    memberNames: memberNamesOf(request, search),
  };
}

/** Blocks of kinds that only Anthropic has get one of ours: they are not validated. */
function knownBlocks(messages: unknown): unknown {
  if (!Array.isArray(messages)) return messages;
  return messages.map((message: unknown) =>
    isObject(message) && Array.isArray(message.content)
      ? { ...message, content: message.content.map(knownBlock) }
      : message,
  );
}

function knownBlock(block: unknown): unknown {
  if (!isObject(block) || typeof block.type !== 'string' || known.has(block.type)) return block;
  return { type: 'other', kind: block.type };
}

function given(name: string, value: unknown): JsonObject {
  return value === undefined || value === null ? {} : { [name]: value };
}

/** A chat has at most four. */
function stopsOf({ stop_sequences: stops }: MessagesRequest): JsonObject {
  const sequences = (stops ?? []).slice(0, MAX_STOPS);
  return sequences.length === 0 ? {} : { stop: sequences };
}

const MAX_STOPS = 4;

interface Tools {
  /** Of the client. */
  readonly functions: readonly JsonObject[];
  /** Web search; null where it is not requested. */
  readonly search: JsonObject | null;
  /** Paths of tools, and of members of web search, that only Anthropic has. */
  readonly unknown: readonly string[];
}

/** With the date of its version: `web_search_20250305`. */
const webSearch = /^web_search_\d{8}$/;
/** Members of web search that a chat has, and those that say nothing of the search. */
const searchMembers: ReadonlySet<string> = new Set(['type', 'name', 'user_location', 'cache_control']);

function toolsOf({ tools }: MessagesRequest): Tools {
  const functions: JsonObject[] = [];
  const unknown: string[] = [];
  let search: JsonObject | null = null;
  for (const [index, tool] of (tools ?? []).entries()) {
    const { type, name, description, input_schema: parameters, strict } = tool;
    const isClients = (type === undefined || type === null || type === 'custom') && typeof name === 'string';
    if (search === null && typeof type === 'string' && webSearch.test(type)) {
      search = tool;
      const others = Object.entries(tool).filter(([member, value]) => !searchMembers.has(member) && value != null);
      unknown.push(...others.map(([member]) => `tools[${index}].${member}`));
    } else if (!isClients) unknown.push(`tools[${index}]`);
    else
      functions.push({
        type: 'function',
        function: {
          name,
          ...given('description', description),
          ...given('parameters', parameters),
          ...given('strict', strict),
        },
      });
  }
  return { functions, search, unknown };
}

/** Source: platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool. */
function searchOptions({ user_location: location }: JsonObject): JsonObject {
  const { type: _, ...approximate } = membersOf(location);
  return isObject(location) ? { user_location: { type: 'approximate', approximate } } : {};
}

/** A chat cannot force web search: the model decides. */
function choiceOf({ tool_choice: choice }: MessagesRequest, search: JsonObject | null): JsonObject {
  if (!choice) return {};
  if (choice.type === 'none') return { tool_choice: 'none' };
  const parallel = choice.disable_parallel_tool_use === true ? { parallel_tool_calls: false } : {};
  if (choice.type === 'tool' && choice.name !== search?.name)
    return { tool_choice: { type: 'function', function: { name: choice.name } }, ...parallel };
  return { tool_choice: choice.type === 'any' ? 'required' : 'auto', ...parallel };
}

/** An adaptive model decides by itself: it is given no effort unless the client names one. */
function effortOf({ thinking, output_config: output }: MessagesRequest): JsonObject {
  if (output?.effort) return { reasoning_effort: output.effort };
  if (thinking?.type !== 'enabled') return {};
  return { reasoning_effort: effortOfBudget(thinking.budget_tokens) };
}

function formatOf({ output_config: output }: MessagesRequest): JsonObject {
  if (!output?.format) return {};
  return { response_format: { type: 'json_schema', json_schema: { name: 'output', schema: output.format.schema } } };
}

function userOf({ metadata }: MessagesRequest): JsonObject {
  const id = metadata?.user_id;
  return typeof id === 'string' && id.length <= MAX_USER_LENGTH ? { user: id } : {};
}

/** Settings of which a chat has a part. */
function droppedSettings({ stop_sequences: stops, top_k: topK }: MessagesRequest): string[] {
  return [
    ...((stops ?? []).length > MAX_STOPS ? ['stop_sequences'] : []),
    ...(topK === undefined || topK === null ? [] : ['top_k']),
  ];
}
