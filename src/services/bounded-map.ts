/** Adds to a map with a maximum number of entries, removing the oldest. Setting an existing key moves it to the end. */
export function setBounded<Key, Value>(map: Map<Key, Value>, maxEntries: number, key: Key, value: Value): void {
  map.delete(key);
  if (map.size >= maxEntries) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}
