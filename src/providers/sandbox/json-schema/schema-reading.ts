import { isObject } from '../../../protocols/canonical/json-members.ts';

/** A client's JSON schema, which is not trusted. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;
export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

const TYPES: readonly JsonType[] = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];
/** The deepest constant that is copied into a response; the serializer is recursive. */
const MAX_CONSTANT_DEPTH = 64;

/** A value that is not a schema allows everything, like an absent one. */
export function asSchema(value: unknown): JsonSchema {
  return typeof value === 'boolean' || isObject(value) ? value : true;
}

/** An own member of the object, never one of its prototype. */
export function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function schemaList(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.map(asSchema) : [];
}

export function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

export function typeList(value: unknown): JsonType[] | undefined {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  const types = TYPES.filter((type) => names.includes(type));
  return types.length > 0 ? types : undefined;
}

export function finiteNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Resolves `#` and `#/json/pointers` (RFC 6901) within the document; another reference allows everything. */
export function resolveReference(root: JsonSchema, reference: string): JsonSchema {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return true;
  let found: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodePointer(part);
    if (Array.isArray(found)) found = found[Number(key)];
    else if (isObject(found)) found = own(found, key);
    else return true;
  }
  return asSchema(found);
}

function decodePointer(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped;
  }
}

/** Two JSON values are equal if these texts are. `undefined` for a value that is nested too deeply. */
export function canonicalText(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_CONSTANT_DEPTH) return undefined;
  if (Array.isArray(value))
    return joined(
      value.map((item: unknown) => canonicalText(item, depth + 1)),
      '[',
      ']',
    );
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((key) => {
      const text = canonicalText(value[key], depth + 1);
      return text === undefined ? undefined : `${JSON.stringify(key)}:${text}`;
    });
  return joined(members, '{', '}');
}

function joined(parts: readonly (string | undefined)[], open: string, close: string): string | undefined {
  return parts.includes(undefined) ? undefined : `${open}${parts.join(',')}${close}`;
}
