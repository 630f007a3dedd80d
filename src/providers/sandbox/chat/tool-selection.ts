import { SluiceError } from '../../../errors/index.ts';
import type { ChatRequest } from './chat-request.ts';
import type { Conversation } from './conversation.ts';
import { asSchema, type JsonSchema } from '../json-schema/schema-reading.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';

/** A tool to call and its input format. */
export type SelectedTool =
  | { readonly kind: 'function' | 'legacyFunction'; readonly name: string; readonly parameters: JsonSchema }
  /** `grammar` is a regular expression; `null` for free text. */
  | { readonly kind: 'custom'; readonly name: string; readonly grammar: string | null };

type Choice =
  | { readonly mode: 'none' | 'auto' | 'required'; readonly only: ReadonlySet<string> | null }
  | { readonly mode: 'named'; readonly name: string };

/** Calls at most this many tools at once. */
const MAX_CALLS = 8;
/** Words in tool names that do not identify a tool. */
const VERBS =
  /^(get|set|fetch|find|search|list|create|make|send|update|delete|read|write|show|call|look|lookup|query|current|the|for|and|tool|function|data|info)$/;

/**
 * The tools that the response calls: those that `tool_choice` forces, or under `auto` those whose name, or the words of
 * it, are in the user's last message. None after tool results, unless a call is forced.
 * @throws SluiceError invalid_value for a tool that is not declared; unsupported_value for a Lark grammar
 */
export function selectTools(request: ChatRequest, conversation: Conversation): SelectedTool[] {
  const declared = declaredTools(request);
  const choice = readChoice(request, declared.length > 0);
  if (choice.mode === 'none') return [];
  if (choice.mode === 'named') return [declared.find(({ name }) => name === choice.name) ?? notDeclared(choice.name)];
  for (const name of choice.only ?? []) if (!declared.some((tool) => tool.name === name)) notDeclared(name);
  const allowed = choice.only ? declared.filter(({ name }) => choice.only?.has(name)) : declared;
  const isQuestion = conversation.lastRole === 'user';
  const mentioned = allowed.filter(({ name }) => isQuestion && isMentioned(name, conversation.question));
  const called = choice.mode === 'required' && mentioned.length === 0 ? allowed.slice(0, 1) : mentioned;
  if (choice.mode === 'required' && called.length === 0) {
    refuseChoice("it is only allowed when 'tools' are specified.");
  }
  const single = request.parallel_tool_calls === false || called.some(({ kind }) => kind === 'legacyFunction');
  return called.slice(0, single ? 1 : MAX_CALLS);
}

function declaredTools(request: ChatRequest): SelectedTool[] {
  const tools = (request.tools ?? []).map((tool): SelectedTool => {
    if (tool.type === 'function') {
      return { kind: 'function', name: tool.function.name, parameters: parametersOf(tool.function.parameters) };
    }
    const grammar = tool.custom.format?.grammar ?? null;
    if (grammar && grammar.syntax !== 'regex') {
      throw new SluiceError('unsupported_value', {
        param: 'tools',
        values: { reason: 'has a Lark grammar. The sandbox supports regular expressions only.' },
      });
    }
    return { kind: 'custom', name: tool.custom.name, grammar: grammar?.definition ?? null };
  });
  const legacy = (request.functions ?? []).map(({ name, parameters }): SelectedTool => ({
    kind: 'legacyFunction',
    name,
    parameters: parametersOf(parameters),
  }));
  return [...tools, ...legacy];
}

/** Arguments are an object even if the declaration does not say so. */
function parametersOf(parameters: unknown): JsonSchema {
  const schema = asSchema(parameters ?? {});
  return isObject(schema) && !Object.hasOwn(schema, 'type') ? { ...schema, type: 'object' } : schema;
}

function readChoice(request: ChatRequest, hasTools: boolean): Choice {
  const choice = request.tool_choice ?? request.function_call ?? (hasTools ? 'auto' : 'none');
  if (typeof choice === 'string') {
    return { mode: choice === 'none' || choice === 'required' ? choice : 'auto', only: null };
  }
  const allowed = choice.allowed_tools;
  if (isObject(allowed)) {
    const names = Array.isArray(allowed.tools) ? allowed.tools.map(nameOf) : [];
    return { mode: allowed.mode === 'required' ? 'required' : 'auto', only: new Set(names) };
  }
  return { mode: 'named', name: nameOf(choice) };
}

function nameOf(reference: unknown): string {
  if (!isObject(reference)) return '';
  for (const holder of [reference.function, reference.custom, reference]) {
    if (isObject(holder) && typeof holder.name === 'string') return holder.name;
  }
  return '';
}

function isMentioned(name: string, question: string): boolean {
  const text = question.toLowerCase();
  if (text.includes(name.toLowerCase())) return true;
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const significant = words.filter((word) => word.length > 2 && !VERBS.test(word));
  return significant.length > 0 && significant.every((word) => text.includes(word));
}

function notDeclared(name: string): never {
  refuseChoice(`tool '${name}' was not found in the 'tools' parameter.`);
}

function refuseChoice(reason: string): never {
  throw new SluiceError('invalid_value', { param: 'tool_choice', values: { reason } });
}
