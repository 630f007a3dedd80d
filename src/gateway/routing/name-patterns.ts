/** A name that stands for all names that begin alike: `claude-*`. */
export function isPattern(name: string): boolean {
  return name.length > 1 && name.endsWith('*');
}

/** By the map, which is replaced when its names change: the longest pattern first. */
const patternsOf = new WeakMap<ReadonlyMap<string, unknown>, readonly string[]>();

/** The longest pattern among the names that matches a requested one; undefined for none. */
export function matchingPattern(names: ReadonlyMap<string, unknown>, requested: string): string | undefined {
  let patterns = patternsOf.get(names);
  if (patterns === undefined) {
    patterns = [...names.keys()].filter(isPattern).toSorted((a, b) => b.length - a.length);
    patternsOf.set(names, patterns);
  }
  return patterns.find((pattern) => requested.startsWith(pattern.slice(0, -1)));
}
