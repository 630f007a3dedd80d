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

/** Google accepts both spellings of a member: `system_instruction` as `systemInstruction`. Source: protobuf.dev, "ProtoJSON format". */
export function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const camel = camelCase(name);
      return [camel, freeMembers.has(camel) ? member : camelCased(member)];
    }),
  );
}

export function camelCase(name: string): string {
  return !name.includes('_') ? name : name.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());
}
