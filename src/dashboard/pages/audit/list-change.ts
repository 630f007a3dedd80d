/** What a list lost and got. */
export interface ListChange {
  readonly removed: readonly string[];
  readonly added: readonly string[];
  /** How many are in both. */
  readonly kept: number;
}

/** Null where one of them is no list, or they hold the same in another order: then each is told whole. */
export function listChange(before: unknown, after: unknown): ListChange | null {
  if (!Array.isArray(before) || !Array.isArray(after)) return null;
  const added = after.map(textOf);
  const removed = before.map(textOf).filter((each) => {
    const place = added.indexOf(each);
    if (place !== -1) added.splice(place, 1);
    return place === -1;
  });
  return removed.length + added.length === 0 ? null : { removed, added, kept: before.length - removed.length };
}

/** Text as it is, all else as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
