import { isObject, type JsonObject } from '../../canonical/json-members.ts';
import type { ToolCallPart } from '../../canonical/stream-part.ts';
import { StringMember } from './string-member.ts';
import type { EmitEvent, ItemStatus, NameItem } from './response-output.ts';

/** What a client calls the tool of a call. */
export interface CalledTool {
  readonly type: 'function' | 'custom' | 'tool_search' | 'local_shell' | 'shell' | 'apply_patch';
  readonly name: string;
  readonly namespace: string | null;
}

export interface CallItem {
  readonly type: 'call';
  readonly id: string;
  /** Its index in the output. */
  readonly index: number;
  readonly callId: string;
  readonly tool: CalledTool;
  /** Whether the input is that of the function that stands for another tool. */
  readonly isWrapped: boolean;
  /** The text of a custom tool in the input of the function that stands for it; null for any other call. */
  readonly text: StringMember | null;
  /** JSON, or the text for a custom tool. */
  input: string;
}

/** Tools by the names of the functions that stand for them. */
export type CalledTools = ReadonlyMap<string, CalledTool>;

/** @param index of the item in the output */
export function newCall(
  { id: callId, name, isCustom }: Pick<ToolCallPart, 'id' | 'name' | 'isCustom'>,
  index: number,
  tools: CalledTools,
  nameItem: NameItem,
): CallItem {
  const tool = tools.get(name) ?? { type: isCustom ? 'custom' : 'function', name, namespace: null };
  const id = nameItem(callPrefixes[tool.type], index);
  const isWrapped = !isCustom && tool.type !== 'function';
  const text = isWrapped && tool.type === 'custom' ? new StringMember('input') : null;
  return { type: 'call', id, index, callId: callId || id, tool, isWrapped, text, input: '' };
}

/** Adds a piece of the input. An object as the input of another tool than a function is known once it is complete. */
export function extendCall(item: CallItem, piece: string, emit: EmitEvent): void {
  item.input += piece;
  const shown = item.isWrapped ? (item.text?.push(piece) ?? '') : piece;
  if (!item.isWrapped || shown !== '') emitDelta(item, shown, emit);
}

/** Tools with an object as their input have no events for it. */
export function closeCall(item: CallItem, emit: EmitEvent): void {
  const { id: item_id, index: output_index, tool } = item;
  if (tool.type === 'custom') {
    const rest = item.text?.end() ?? '';
    const input = textInput(item);
    // A model may have written something else than the object.
    const last = item.text?.isFound === false ? input : rest;
    if (last !== '') emitDelta(item, last, emit);
    emit('response.custom_tool_call_input.done', { item_id, output_index, input });
  } else if (tool.type === 'function')
    emit('response.function_call_arguments.done', { item_id, output_index, name: tool.name, arguments: item.input });
}

function emitDelta({ id, index, tool }: CallItem, delta: string, emit: EmitEvent): void {
  const name = tool.type === 'custom' ? 'custom_tool_call_input' : 'function_call_arguments';
  emit(`response.${name}.delta`, { item_id: id, output_index: index, delta });
}

/** The prefixes of the ids of calls. */
const callPrefixes: Readonly<Record<CalledTool['type'], string>> = {
  function: 'fc',
  custom: 'ctc',
  tool_search: 'tsc',
  local_shell: 'lsh',
  shell: 'sh',
  apply_patch: 'apc',
};

export function callObject(item: CallItem, status: ItemStatus): JsonObject {
  const { id, callId: call_id, tool } = item;
  const named = { name: tool.name, ...(tool.namespace !== null && { namespace: tool.namespace }) };
  switch (tool.type) {
    case 'function':
      return { id, type: 'function_call', status, call_id, ...named, arguments: item.input };
    case 'custom':
      return { id, type: 'custom_tool_call', status, call_id, ...named, input: textInput(item) };
    case 'tool_search':
      return { id, type: 'tool_search_call', status, call_id, execution: 'client', arguments: objectInput(item) };
    case 'local_shell':
      return { id, type: 'local_shell_call', status, call_id, action: { type: 'exec', env: {}, ...objectInput(item) } };
    case 'shell': {
      const action = { timeout_ms: null, max_output_length: null, ...objectInput(item) };
      return { id, type: 'shell_call', status, call_id, action, environment: { type: 'local' } };
    }
    case 'apply_patch':
      return { id, type: 'apply_patch_call', status, call_id, operation: objectInput(item) };
  }
}

/** The input of a custom tool: the text itself, or the member that a function has for it. */
function textInput({ text, input }: CallItem): string {
  return text?.isFound === true ? text.value : input;
}

/** Empty while it is not complete. */
function objectInput({ input }: CallItem): JsonObject {
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
