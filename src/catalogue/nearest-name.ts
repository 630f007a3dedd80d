/** No model, provider or setting has a longer name. */
const MAX_NAME_LENGTH = 256;
const MIN_EDITS = 2;

/** The name that is most like a given one, whatever its case; undefined where none is. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const folded = name.toLowerCase();
  let best: string | undefined;
  let fewest = Math.max(MIN_EDITS, Math.floor(name.length / 4)) + 1;
  for (const candidate of names) {
    if (Math.abs(candidate.length - name.length) >= fewest) continue;
    const edits = editsBetween(folded, candidate.toLowerCase(), fewest);
    if (edits < fewest) [best, fewest] = [candidate, edits];
  }
  return best;
}

/** Levenshtein's distance. Some number from `limit` on where the distance is not below it. */
function editsBetween(a: string, b: string, limit: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    let fewest = i;
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const edits = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(edits);
      if (edits < fewest) fewest = edits;
    }
    // No later row has a smaller number than the smallest of this one.
    if (fewest >= limit) return fewest;
    row = next;
  }
  return row[b.length] ?? 0;
}
