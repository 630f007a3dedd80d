import { hash } from 'node:crypto';
import { isObject, listOf, membersOf, type JsonObject } from '../json-members.ts';

/** A chat's limit. Source: OpenAI's API document, FunctionObject.name. */
const MAX_NAME_LENGTH = 64;
const allowed = /^[a-zA-Z0-9_-]{1,64}$/;
/** Names of Anthropic's and Google's tools, and longer ones of their clients. */
const shortened = /^[\w.:-]{1,256}$/;
const DIGEST_LENGTH = 8;
/** The rest is the end, which tells the tools of one server apart: `mcp__server__tool`. */
const HEAD_LENGTH = 22;
const TAIL_LENGTH = MAX_NAME_LENGTH - HEAD_LENGTH - DIGEST_LENGTH - 2;

/** The names of tools by those that replace them in a chat. */
export type ToolNames = ReadonlyMap<string, string>;

/** A chat whose tools have names that a chat allows. */
export interface NamedChat {
  readonly chat: JsonObject;
  /** Null where none is replaced. */
  readonly toolNames: ToolNames | null;
}

/**
 * The name of a tool in a chat, the same in every turn: a provider's cache of the prompt depends on it. A name that no protocol
 * has is returned unchanged.
 */
function chatToolName(name: string): string {
  if (allowed.test(name) || !shortened.test(name)) return name;
  const text = name.replaceAll(/[.:]/g, '_');
  const digest = hash('sha256', name).slice(0, DIGEST_LENGTH);
  return `${text.slice(0, HEAD_LENGTH)}_${digest}_${text.slice(HEAD_LENGTH).slice(-TAIL_LENGTH)}`;
}

/** Replaces the names of tools that a chat does not allow: in its tools, in its choice of them, and in earlier calls. */
export function withChatToolNames(chat: JsonObject): NamedChat {
  const names = new Map<string, string>();
  const named = {
    ...chat,
    ...(Array.isArray(chat.tools) && { tools: chat.tools.map((tool) => renamed(tool, names)) }),
    ...(isObject(chat.tool_choice) && { tool_choice: renamedChoice(chat.tool_choice, names) }),
    messages: listOf(chat.messages).map((message) =>
      isObject(message) && Array.isArray(message.tool_calls)
        ? { ...message, tool_calls: message.tool_calls.map((call) => renamed(call, names)) }
        : message,
    ),
  };
  return names.size === 0 ? { chat, toolNames: null } : { chat: named, toolNames: names };
}

function renamedChoice(choice: JsonObject, names: Map<string, string>): unknown {
  const { tools, ...others } = membersOf(choice.allowed_tools);
  if (!Array.isArray(tools)) return renamed(choice, names);
  return { ...choice, allowed_tools: { ...others, tools: tools.map((tool) => renamed(tool, names)) } };
}

/** @param tool a tool, a choice of one, or a call */
function renamed(tool: unknown, names: Map<string, string>): unknown {
  if (!isObject(tool) || !isObject(tool.function) || typeof tool.function.name !== 'string') return tool;
  const { name } = tool.function;
  const short = chatToolName(name);
  if (short === name) return tool;
  names.set(short, name);
  return { ...tool, function: { ...tool.function, name: short } };
}
