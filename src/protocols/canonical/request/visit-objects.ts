import { isObject, type JsonObject } from '../json-members.ts';

/** No object of a request is nested deeper. */
const MAX_DEPTH = 16;

/**
 * Visits each object in a JSON value, in document order, with its path: `messages[0].content[1].source`; empty for the value itself.
 * @param free names of members that are not visited: their content is the client's own
 */
export function visitObjects(
  value: unknown,
  free: ReadonlySet<string>,
  visit: (object: JsonObject, path: string) => void,
  path = '',
  depth = 0,
): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) visitObjects(item, free, visit, `${path}[${index}]`, depth + 1);
  else if (isObject(value)) {
    visit(value, path);
    for (const [name, member] of Object.entries(value))
      if (typeof member === 'object' && member !== null && !free.has(name))
        visitObjects(member, free, visit, pathOf(path, name), depth + 1);
  }
}

export function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
