/** Adds an entry to a map of bounded size, evicting the oldest entry. */
export function setBounded<Key, Value>(map: Map<Key, Value>, most: number, key: Key, value: Value): void {
  if (map.size >= most) {
    const [oldest] = map.keys();
    if (oldest !== undefined) map.delete(oldest);
  }
  map.set(key, value);
}
