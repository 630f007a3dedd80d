/** Sets an entry of a map of bounded size: a new key evicts the oldest entry, an existing one keeps its place. */
export function setBounded<Key, Value>(map: Map<Key, Value>, maxEntries: number, key: Key, value: Value): void {
  if (map.size >= maxEntries && !map.has(key)) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}
