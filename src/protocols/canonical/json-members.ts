/** A JSON object with unvalidated members. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null unless it is an object. */
export function objectOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** An object's members; none unless it is an object. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Empty unless it is an array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; other elements are ignored. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Null unless it is a string. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Null unless it is a non-empty string. */
export function filledTextOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A string member; empty unless it is a string. */
export function textIn(from: JsonObject, name: string): string {
  return textOf(from[name]) ?? '';
}

/** A non-negative integer; null for anything else. Google writes some counts as text, as JSON has no int64. */
export function countOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** A member that is a count; otherwise 0. */
export function countIn(from: JsonObject, name: string): number {
  return countOf(from[name]) ?? 0;
}

/** The members of an object as JSON, without its braces. */
export function jsonMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
