/** The same text for the same JSON, whatever the order of its members; those that are undefined are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  // Names alone are sorted by native code.
  const names = Object.keys(value).sort();
  const defined = names.filter((name) => value[name] !== undefined);
  return `{${defined.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(',')}}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
