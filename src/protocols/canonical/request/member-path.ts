/** The path of a member of the object at a path, which is empty for the request itself. */
export function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
