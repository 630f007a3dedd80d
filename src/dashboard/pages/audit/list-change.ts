import { count, words } from '../../design/format.ts';

/** The difference between two lists or two objects. */
export interface ListChange {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** The number of items in both. */
  readonly unchanged: number;
}

/** Null when a value is neither list nor object, or when only the order differs. Both values are then shown in full. */
export function listChange(before: unknown, after: unknown): ListChange | null {
  const [old, added] = [linesOf(before), linesOf(after)];
  if (old === null || added === null) return null;
  const removed = old.filter((each) => {
    const index = added.indexOf(each);
    if (index !== -1) added.splice(index, 1);
    return index === -1;
  });
  return removed.length + added.length === 0 ? null : { removed, added, unchanged: old.length - removed.length };
}

/** Readable text instead of JSON. An object has a line for each member that is not empty. */
export function textOf(value: unknown): string {
  const parts = linesOf(value);
  if (parts !== null) return parts.length === 0 ? 'None' : parts.join('\n');
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return Number.isInteger(value) ? count(value) : String(value);
  return typeof value === 'string' ? value : 'None';
}

/** A line for each item of a list or member of an object; null for other values. */
function linesOf(value: unknown): string[] | null {
  if (Array.isArray(value)) return value.map(inline);
  if (typeof value !== 'object' || value === null) return null;
  return Object.entries(value)
    .filter(([, member]) => member !== null && !(Array.isArray(member) && member.length === 0))
    .map(([name, member]) => `${nameOf(name)}: ${inline(member)}`);
}

/** On one line. */
function inline(value: unknown): string {
  const parts = linesOf(value);
  return parts === null ? textOf(value) : parts.join(', ');
}

/** `requestsPerMinute` → `Requests per minute`. */
export function nameOf(field: string): string {
  return words(field.replaceAll(/([a-z])([A-Z])/g, '$1 $2'));
}
