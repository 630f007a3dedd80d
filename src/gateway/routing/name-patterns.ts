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

type Names = Pick<ReadonlyMap<string, unknown>, 'has'>;

/**
 * What a key's aliases make of a requested name: the name itself where there is no alias.
 * @param own the account's routes: like those of the operator, one of exactly this name has precedence over a pattern
 */
export function aliasedName(
  aliases: ReadonlyMap<string, string> | undefined,
  requested: string,
  own: Names | undefined,
  table: { readonly routes: Names; readonly aliases: Names } | null,
): string {
  if (aliases === undefined) return requested;
  const exact = aliases.get(requested);
  if (exact !== undefined) return exact;
  if (own?.has(requested) || table?.routes.has(requested) || table?.aliases.has(requested)) return requested;
  return aliases.get(matchingPattern(aliases, requested) ?? '') ?? requested;
}
