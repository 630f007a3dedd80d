import type { NamedObject } from '../canonical/protocol.ts';
import { isObject, objectsOf, type JsonObject } from '../canonical/json-members.ts';

/**
 * The prefixes of OpenAI's ids: response, conversation, file, upload, vector store, container, stored prompt, skill, batch,
 * fine-tuning job, assistant, thread. A member with such an id is checked whatever its name. Source: the examples of OpenAI's
 * API document.
 */
const prefixed =
  /^(?:resp|conv|file|upload|vs|vsfb|cntr|cfile|pmpt|skill|skver|batch|ftjob|asst|thread|chatcmpl|evalrun|video)[-_][\w-]{6,}$/;
/** Members whose text is the model's or the client's own. */
const free: ReadonlySet<string> = new Set([
  'type',
  'text',
  'content',
  'input',
  'arguments',
  'output',
  'name',
  'title',
  'query',
  'queries',
  'filename',
  'server_label',
  'allowed_tools',
  'instructions',
  'description',
  'metadata',
  'client_metadata',
  'parameters',
  'schema',
  'encrypted_content',
  'prompt_cache_key',
  'safety_identifier',
  'user',
  'model',
  'code',
  'diff',
  'variables',
]);
/** Members whose objects and lists are, too. */
const freeObjects: ReadonlySet<string> = new Set([
  'metadata',
  'client_metadata',
  'parameters',
  'schema',
  'variables',
  'arguments',
  'queries',
  'allowed_tools',
  'headers',
]);
/** Ids of items and of calls are part of a replayed conversation: they name nothing at the provider by themselves. */
const own: ReadonlySet<string> = new Set(['call_id', 'approval_request_id', 'response_id']);
/** No object of a request is nested deeper. */
const MAX_DEPTH = 16;

/** The objects at the provider that a request names, in document order. */
export function namedObjects(body: unknown): NamedObject[] {
  const found: NamedObject[] = [];
  if (isObject(body)) visit(body, '', 0, found);
  return found;
}

function visit(object: JsonObject, path: string, depth: number, found: NamedObject[]): void {
  if (depth > MAX_DEPTH) return;
  const isReference = object.type === 'item_reference';
  for (const [name, value] of Object.entries(object)) {
    if (own.has(name)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    if (typeof value === 'string') {
      if (free.has(name)) continue;
      const isId = prefixed.test(value) || (name === 'id' && isReference) || name === 'previous_response_id';
      if (isId) found.push({ path: at, id: value });
    } else if (freeObjects.has(name)) continue;
    else if (Array.isArray(value)) visitItems(value, at, depth, found);
    else if (isObject(value)) visit(value, at, depth + 1, found);
  }
}

function visitItems(items: readonly unknown[], path: string, depth: number, found: NamedObject[]): void {
  for (const [index, item] of items.entries()) {
    const at = `${path}[${index}]`;
    if (typeof item === 'string') {
      if (prefixed.test(item)) found.push({ path: at, id: item });
    } else if (isObject(item)) visit(item, at, depth + 1, found);
  }
}

/**
 * The ids of a response that its client may name later: its own, its conversation's and its items' where it is stored, and those
 * of files and containers.
 */
export function obtainedObjects(response: JsonObject, isStored = true): string[] {
  const ids = new Set<string>();
  const add = (value: unknown): void => void (typeof value === 'string' && value !== '' && ids.add(value));
  if (isStored) {
    add(response.id);
    add(isObject(response.conversation) ? response.conversation.id : response.conversation);
  }
  for (const item of objectsOf(response.output)) {
    if (isStored) add(item.id);
    add(item.container_id);
    if (isObject(item.environment)) add(item.environment.container_id);
    for (const part of objectsOf(item.content))
      for (const annotation of objectsOf(part.annotations)) {
        add(annotation.file_id);
        add(annotation.container_id);
      }
  }
  return [...ids];
}
