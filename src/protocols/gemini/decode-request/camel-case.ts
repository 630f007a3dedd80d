import { isObject } from '../../canonical/json-members.ts';

/** Members whose content has names of its own. */
export const freeMembers: ReadonlySet<string> = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);

/**
 * Google accepts both spellings of a member: `system_instruction` as `systemInstruction`. A value without another spelling is
 * returned itself: nearly all have none. Source: protobuf.dev, "ProtoJSON format".
 */
export function camelCased(value: unknown): unknown {
  return hasOtherNames(value) ? renamed(value) : value;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const camel = camelCase(name);
      return [camel, freeMembers.has(camel) ? member : renamed(member)];
    }),
  );
}

function hasOtherNames(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasOtherNames);
  for (const [name, member] of Object.entries(value))
    if (name.includes('_') || (!freeMembers.has(name) && hasOtherNames(member))) return true;
  return false;
}

export function camelCase(name: string): string {
  return !name.includes('_') ? name : name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
