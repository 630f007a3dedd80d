/** The cost grows with the length. The longest name in the catalogue has 72 characters. */
const MAX_NAME_LENGTH = 96;
const MIN_EDITS = 2;
const MAX_EDITS = 8;
/**
 * Accounts' own servers may list hundreds of thousands of names, and the event loop is blocked during the comparison.
 */
const MAX_COMPARED_NAMES = 5_000;

/**
 * The most similar name, independent of case; undefined if none is similar, or the name is longer than 96 characters.
 * At most 5,000 names of a similar length are compared.
 */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  return nearestNames(name, names, 1)[0];
}

/** The most similar names, as `nearest` finds one: the most similar first. */
export function nearestNames(name: string, names: Iterable<string>, maxNames: number): string[] {
  if (name.length > MAX_NAME_LENGTH) return [];
  const folded = name.toLowerCase();
  const best: { readonly candidate: string; readonly edits: number }[] = [];
  let limit = Math.min(MAX_EDITS, Math.max(MIN_EDITS, Math.floor(name.length / 4))) + 1;
  let compared = 0;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= limit) continue;
    if (++compared > MAX_COMPARED_NAMES) break;
    const edits = editsBetween(folded, candidate.toLowerCase(), limit);
    if (edits >= limit) continue;
    const after = best.findIndex((other) => other.edits > edits);
    best.splice(after < 0 ? best.length : after, 0, { candidate, edits });
    if (best.length > maxNames) best.pop();
    if (best.length === maxNames) limit = best.at(-1)?.edits ?? limit;
  }
  return best.map(({ candidate }) => candidate);
}

/** The Levenshtein distance; any number from `limit` on if the distance is not below it. */
function editsBetween(a: string, b: string, limit: number): number {
  let row = Uint16Array.from({ length: b.length + 1 }, (_, at) => at);
  let next = new Uint16Array(b.length + 1);
  for (let i = 1; i <= a.length; i++) {
    // Cells further than `limit` from the diagonal cannot be smaller: they are not computed.
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    next[from - 1] = from === 1 ? i : limit;
    let rowMin = i;
    for (let j = from; j <= to; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const edits = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next[j] = edits;
      if (edits < rowMin) rowMin = edits;
    }
    if (to < b.length) next[to + 1] = limit;
    // Later rows cannot have a smaller minimum than this one.
    if (rowMin >= limit) return rowMin;
    [row, next] = [next, row];
  }
  return row[b.length] ?? 0;
}
