import { isObject } from '../../../data/json.ts';
import { callPart, listOf, partsOf, resultPart, textOrNull, type Part } from './parts.ts';

/** A message. */
export interface Turn {
  readonly role: string;
  /** Why the model ended it; null where it is not known. */
  readonly finish: string | null;
  readonly parts: readonly Part[];
}

/** A body as messages, and what else it has. */
export interface ReadableBody {
  readonly turns: readonly Turn[];
  readonly tools: readonly { readonly name: string; readonly value: unknown }[];
  /** Members that are in none of these. */
  readonly rest: Readonly<Record<string, unknown>>;
}

type Members = Readonly<Record<string, unknown>>;

const requestMembers = ['system', 'instructions', 'systemInstruction', 'system_instruction', 'query'] as const;
const inputMembers = ['messages', 'input', 'prompt', 'contents'] as const;
const answerMembers = ['choices', 'output', 'content', 'candidates', 'text'] as const;

/** A request of any protocol. */
export function readRequest(body: unknown): ReadableBody {
  if (!isObject(body)) return withoutMembers(body, 'user');
  const turns = [
    ...requestMembers.flatMap((name) => turn(name === 'query' ? 'user' : 'system', contentOf(body[name]))),
    ...inputMembers.flatMap((name) => inputTurns(body[name])),
  ];
  const rest = without(body, [...requestMembers, ...inputMembers, 'tools']);
  return { turns, tools: listOf(body['tools']).flatMap(toolsOf), rest };
}

/** A response of any protocol. */
export function readResponse(body: unknown): ReadableBody {
  if (!isObject(body)) return withoutMembers(body, 'assistant');
  const { choices, candidates, output, content, text, stop_reason: stopReason } = body;
  const turns = [
    ...listOf(choices).flatMap((choice) => (isObject(choice) ? [choiceTurn(choice)] : [])),
    ...listOf(candidates).flatMap((candidate) => (isObject(candidate) ? [candidateTurn(candidate)] : [])),
    ...turn('assistant', listOf(output).flatMap(outputParts)),
    ...turn('assistant', partsOf(content), textOrNull(stopReason)),
    ...turn('assistant', typeof text === 'string' ? partsOf(text) : []),
  ];
  const known = answerMembers.filter((name) => name !== 'text' || typeof text === 'string');
  return { turns, tools: [], rest: without(body, known) };
}

/** A body that is a text, a reference to media, or a list. */
function withoutMembers(body: unknown, role: string): ReadableBody {
  if (body === null || body === undefined) return { turns: [], tools: [], rest: {} };
  const parts = typeof body === 'string' ? partsOf(body) : [{ kind: 'json', name: 'Body', value: body } as const];
  return { turns: turn(role, parts), tools: [], rest: {} };
}

function turn(role: string, parts: readonly Part[], finish: string | null = null): readonly Turn[] {
  return parts.length === 0 ? [] : [{ role, finish, parts }];
}

/** Gemini has the parts of a message as `parts`. */
function contentOf(value: unknown): readonly Part[] {
  return isObject(value) && Array.isArray(value['parts']) ? partsOf(value['parts']) : partsOf(value);
}

/** A text, a list of texts, or messages and items. */
function inputTurns(input: unknown): readonly Turn[] {
  if (Array.isArray(input) && input.some((each) => isObject(each))) return input.flatMap(itemTurns);
  if (Array.isArray(input) && !input.every((each) => typeof each === 'string'))
    return turn('user', [{ kind: 'json', name: 'Tokens', value: input }]);
  return turn('user', partsOf(input));
}

function itemTurns(item: unknown): readonly Turn[] {
  if (!isObject(item)) return turn('user', partsOf(item));
  const { role, type } = item;
  if (typeof role === 'string') return [messageTurn(role, item)];
  if (Array.isArray(item['parts'])) return turn('user', contentOf(item));
  if (type === 'function_call_output') return turn('tool', partsOf(item));
  return turn(typeof type === 'string' && !type.startsWith('input_') ? 'assistant' : 'user', partsOf(item));
}

function messageTurn(role: string, message: Members, finish: string | null = null): Turn {
  const { content, tool_call_id: toolCallId, parts, tool_calls: toolCalls, function_call: functionCall } = message;
  const reasoning = textOrNull(message['reasoning_content'] ?? message['reasoning']);
  const calls = listOf(toolCalls).flatMap((call) => (isObject(call) ? [chatCall(call)] : []));
  return {
    role,
    finish,
    parts: [
      ...(reasoning ? [{ kind: 'reasoning', text: reasoning } as const] : []),
      ...(role === 'tool' ? [resultPart(toolCallId, content)] : partsOf(parts ?? content)),
      ...partsOf(message['refusal']),
      ...calls,
      ...(isObject(functionCall) ? [callPart(functionCall)] : []),
    ],
  };
}

function chatCall(call: Members): Part {
  const { id, function: called, custom } = call;
  const inner = isObject(called) ? called : isObject(custom) ? custom : call;
  return callPart({ ...inner, id });
}

function choiceTurn(choice: Members): Turn {
  const { message, text, finish_reason: reason } = choice;
  const finish = textOrNull(reason);
  if (isObject(message)) return messageTurn(textOrNull(message['role']) ?? 'assistant', message, finish);
  return { role: 'assistant', finish, parts: partsOf(text) };
}

function candidateTurn({ content, finishReason }: Members): Turn {
  return { role: 'model', finish: textOrNull(finishReason), parts: contentOf(content) };
}

function outputParts(item: unknown): readonly Part[] {
  return isObject(item) && item['type'] === 'message' ? partsOf(item['content']) : partsOf(item);
}

/** A tool, or those that Gemini has in a list of their own. */
function toolsOf(tool: unknown): ReadableBody['tools'] {
  if (!isObject(tool)) return [];
  if (Array.isArray(tool['functionDeclarations'])) return tool['functionDeclarations'].flatMap(toolsOf);
  const inner = isObject(tool['function']) ? tool['function'] : tool;
  return [{ name: textOrNull(inner['name']) ?? textOrNull(tool['type']) ?? 'Tool', value: inner }];
}

function without(body: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}
