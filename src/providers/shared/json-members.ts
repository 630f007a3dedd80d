/** A JSON object, its members unread: of what a provider or a caller sends nothing is taken for granted. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null for what is no object. */
export function objectOf(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}

/** An object's members; none for what is no object. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Empty for what is no array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of an array; other elements are passed over. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Null for what is no text. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Null for what is no text, or an empty one. */
export function filledTextOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A member that is a text; empty where it is none. */
export function textIn(from: JsonObject, name: string): string {
  return textOf(from[name]) ?? '';
}

/** A whole number from 0 on; null for anything else. Google writes some counts as text, as JSON has no int64. */
export function countOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** A member that is a count; 0 where it is none. */
export function countIn(from: JsonObject, name: string): number {
  return countOf(from[name]) ?? 0;
}
