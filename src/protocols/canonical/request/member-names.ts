/** What members of a chat are in the body of a client of another protocol: `web_search_options` by `tools[0]`. */
export type MemberNames = Readonly<Record<string, string>>;

/** Paths of a chat's members, by the names of the client's body. */
export function clientPaths(paths: readonly string[], names: MemberNames | undefined): readonly string[] {
  if (names === undefined || paths.length === 0) return paths;
  return paths.map((path) => {
    const [member = path] = /^\w+/.exec(path) ?? [];
    return `${names[member] ?? member}${path.slice(member.length)}`;
  });
}
