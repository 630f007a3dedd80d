/** What a provider sends is read member by member: nothing of it is taken for granted. */
export type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object's own member that is a text; empty where it is none. */
export function text(from: Json, name: string): string {
  const value = from[name];
  return typeof value === 'string' ? value : '';
}

/** The objects of a list; none where it is no list. */
export function objects(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A count of tokens; 0 where it is none. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
