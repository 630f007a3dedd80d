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
import type { CalledTool } from '../encode-stream/call-item.ts';
import type { InputItem } from './items.ts';
import type { ResponsesRequest } from './schema.ts';

/** The tools of a request as functions of a chat. */
export interface FlatTools {
  readonly functions: readonly JsonObject[];
  /** By the functions' names. */
  readonly declared: ReadonlyMap<string, CalledTool>;
  /** Paths of members that a function lacks. */
  readonly dropped: readonly string[];
}

/** Tools of the client's own machine, whose inputs OpenAI defines. Source: OpenAI's API document, LocalShellExecAction, FunctionShellAction, ApplyPatchOperationParam. */
const localTools: Readonly<Record<string, JsonObject>> = {
  local_shell: {
    description: 'Runs a command on the machine of the user.',
    parameters: objectSchema(
      {
        command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
        working_directory: { type: 'string' },
        timeout_ms: { type: 'integer' },
      },
      ['command'],
    ),
  },
  shell: {
    description: 'Runs shell commands on the machine of the user.',
    parameters: objectSchema(
      {
        commands: { type: 'array', items: { type: 'string' } },
        timeout_ms: { type: 'integer' },
        max_output_length: { type: 'integer' },
      },
      ['commands'],
    ),
  },
  apply_patch: {
    description: 'Creates, updates or deletes a file. `diff` is a V4A diff: lines that begin with a space, + or -.',
    parameters: objectSchema(
      {
        type: { type: 'string', enum: ['create_file', 'update_file', 'delete_file'] },
        path: { type: 'string' },
        diff: { type: 'string' },
      },
      ['type', 'path'],
    ),
  },
};

const CUSTOM_PARAMETERS = objectSchema({ input: { type: 'string', description: 'The input, as free text.' } }, [
  'input',
]);

/** The functions of all tools that a request declares, in `tools` and in its items. */
export function flatTools({ tools, input }: Pick<ResponsesRequest, 'tools' | 'input'>): FlatTools {
  const flat = new Flattened();
  for (const [index, tool] of (tools ?? []).entries()) flat.add(tool, `tools[${index}]`, null);
  for (const [index, item] of input.entries())
    if (declaresTools(item))
      for (const [at, tool] of objectsOf(listOf(item.tools)).entries())
        flat.add(tool, `input[${index}].tools[${at}]`, null);
  return flat;
}

function declaresTools({ type }: InputItem): boolean {
  return type === 'additional_tools' || type === 'tool_search_output';
}

class Flattened implements FlatTools {
  readonly functions: JsonObject[] = [];
  readonly declared = new Map<string, CalledTool>();
  readonly dropped: string[] = [];

  add(tool: JsonObject, path: string, namespace: string | null): void {
    const name = textIn(tool, 'name');
    switch (tool.type) {
      case 'function':
        return this.#declare({ type: 'function', name, namespace }, functionOf(tool), path);
      case 'custom':
        if (isObject(tool.format) && tool.format.type !== 'text') this.dropped.push(`${path}.format`);
        return this.#declare({ type: 'custom', name, namespace }, customFunction(tool), path);
      case 'namespace':
        for (const [index, inner] of objectsOf(listOf(tool.tools)).entries())
          this.add(inner, `${path}.tools[${index}]`, name);
        return;
      case 'tool_search':
        return this.#declare(
          { type: 'tool_search', name: 'tool_search', namespace: null },
          { description: textOf(tool.description) ?? 'Searches for further tools.', parameters: tool.parameters },
          path,
        );
      case 'local_shell':
      case 'shell':
      case 'apply_patch':
        return this.#declare({ type: tool.type, name: tool.type, namespace: null }, localTools[tool.type] ?? {}, path);
      default:
        // Tools that a provider runs, of an item that repeats them.
        if (path.startsWith('input')) this.dropped.push(path);
    }
  }

  /** Items repeat what `tools` declares. Another tool of the same name cannot be told from the first. */
  #declare(tool: CalledTool, declaration: JsonObject, path: string): void {
    const name = flatName(tool.namespace, tool.name);
    const first = this.declared.get(name);
    if (first !== undefined) {
      const isSame = first.type === tool.type && first.name === tool.name && first.namespace === tool.namespace;
      if (!isSame) this.dropped.push(path);
      return;
    }
    this.declared.set(name, tool);
    this.functions.push({ type: 'function', function: { ...declaration, name } });
  }
}

function functionOf({ type: _type, defer_loading: _deferred, ...declared }: JsonObject): JsonObject {
  return declared;
}

function customFunction(tool: JsonObject): JsonObject {
  const format = membersOf(tool.format);
  const definition = textIn(format, 'definition');
  const grammar = definition === '' ? [] : [`The input has this grammar (${textIn(format, 'syntax')}):\n${definition}`];
  return {
    description: [textIn(tool, 'description'), ...grammar].filter((text) => text !== '').join('\n\n'),
    parameters: CUSTOM_PARAMETERS,
  };
}

function objectSchema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}
