import {
  isObject,
  listOf,
  membersOf,
  objectsOf,
  textIn,
  textOf,
  type JsonObject,
} from '../../canonical/json-members.ts';
import { flatName } from '../flat-name.ts';
import { openSummary } from '../encrypted-content/compaction-item.ts';
import type { ContentSeal } from '../encrypted-content/content-seal.ts';
import type { InputItem, PlainItem } from './items.ts';

/** Items that a chat has a form for, and the paths of the others. */
export interface PlainItems {
  readonly items: readonly { readonly item: PlainItem; readonly path: string }[];
  readonly dropped: readonly string[];
}

/**
 * Writes items of the client's own tools as calls of functions and their outputs. Items of tools that a provider ran are left
 * out: the texts around them contain their results.
 * @throws SluiceError invalid_encrypted_content
 */
export function plainItems(input: readonly InputItem[], seal: ContentSeal): PlainItems {
  const items: { item: PlainItem; path: string }[] = [];
  const dropped: string[] = [];
  for (const [index, item] of input.entries()) {
    const path = `input[${index}]`;
    const plain = plainItem(item, path, seal);
    if (plain === 'dropped') dropped.push(path);
    else if (plain !== null) items.push({ item: plain, path });
  }
  return { items, dropped };
}

/** Null for an item that is no part of the conversation. */
function plainItem(item: InputItem, path: string, seal: ContentSeal): PlainItem | 'dropped' | null {
  switch (item.type) {
    case 'message':
    case 'reasoning':
    case 'item_reference':
    case 'image_generation_call':
    case 'function_call_output':
      return item;
    case 'function_call':
      return { ...item, name: flatName(textOf(item.namespace), item.name) };
    case 'custom_tool_call': {
      const name = flatName(textOf(item.namespace), item.name);
      return called(item.call_id, name, { input: item.input });
    }
    case 'custom_tool_call_output':
      return { type: 'function_call_output', call_id: item.call_id, output: item.output };
    case 'tool_search_call':
      // One that a provider ran has no call id.
      if (typeof item.call_id !== 'string') return 'dropped';
      return called(item.call_id, 'tool_search', isObject(item.arguments) ? item.arguments : {});
    case 'tool_search_output':
      return result(item.call_id, JSON.stringify({ tools: objectsOf(item.tools).flatMap((tool) => namesOf(tool)) }));
    case 'local_shell_call':
    case 'shell_call': {
      return called(item.call_id, item.type === 'shell_call' ? 'shell' : 'local_shell', shellInput(item.action));
    }
    case 'apply_patch_call':
      return called(item.call_id, 'apply_patch', isObject(item.operation) ? item.operation : {});
    case 'local_shell_call_output':
      return result(textOf(item.call_id) ?? textOf(item.id), textIn(item, 'output'));
    case 'shell_call_output':
      return result(item.call_id, typeof item.output === 'string' ? item.output : JSON.stringify(listOf(item.output)));
    case 'apply_patch_call_output':
      return result(item.call_id, [textIn(item, 'status'), textIn(item, 'output')].filter(Boolean).join('\n'));
    case 'compaction': {
      const summary = openSummary(item.encrypted_content, seal, path);
      return summary === null ? 'dropped' : { type: 'message', role: 'user', content: summary };
    }
    case 'additional_tools':
    case 'compaction_trigger':
      return null;
    default:
      return 'dropped';
  }
}

/** As the model wrote it: without the members that an action always has. */
function shellInput(action: unknown): JsonObject {
  const { type: _type, env, ...input } = membersOf(action);
  const members = Object.entries({ ...input, ...(Object.keys(membersOf(env)).length > 0 && { env }) });
  return Object.fromEntries(members.filter(([, value]) => value !== null));
}

function called(callId: string, name: string, input: JsonObject): PlainItem {
  return { type: 'function_call', call_id: callId, name, arguments: JSON.stringify(input) };
}

function result(callId: string | null | undefined, output: string): PlainItem | 'dropped' {
  return typeof callId === 'string' ? { type: 'function_call_output', call_id: callId, output } : 'dropped';
}

function namesOf(tool: JsonObject): string[] {
  if (tool.type !== 'namespace') return [textIn(tool, 'name')];
  return objectsOf(listOf(tool.tools)).map((inner) => flatName(textIn(tool, 'name'), textIn(inner, 'name')));
}
