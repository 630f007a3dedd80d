/** Deeper values are rejected: recursion over them must not exhaust the stack. */
export const MAX_NESTING = 256;

/** Descends at most `levels` levels. */
export function isNestedDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (isNestedDeeperThan(item, levels - 1)) return true;
    return false;
  }
  for (const item of Object.values(value)) if (isNestedDeeperThan(item, levels - 1)) return true;
  return false;
}
