/** A JSON object of Google's, its members unread. */
export type Wire = Readonly<Record<string, unknown>>;

/** Null for what is no object. */
export function wire(value: unknown): Wire | null {
  return isWire(value) ? value : null;
}

/** Empty for what is no array. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Null for what is no text. */
export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A whole number from 0 on; null for anything else. Google writes some counts as text, as JSON has no int64. */
export function count(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function isWire(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
