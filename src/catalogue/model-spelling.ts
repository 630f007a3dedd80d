/** The maximum number of times that a name is decoded. A name that is encoded more often is treated as unknown. */
const MAX_DECODINGS = 3;

/**
 * A model name without what its provider would ignore: percent-encoding, blanks and control characters around it, a
 * query or a fragment, trailing slashes, an API prefix (`models/` for Gemini) and compatibility forms of characters.
 * The case is preserved.
 */
export function plainModelName(spelling: string, prefixes: readonly string[] = []): string {
  const [path = ''] = decoded(spelling).normalize('NFKC').split(/[?#]/, 1);
  // oxlint-disable-next-line no-control-regex -- what cannot be seen is what is looked for
  const name = path.replace(/^[\s\u0000-\u001f\u007f/]+|[\s\u0000-\u001f\u007f/]+$/g, '');
  const prefix = prefixes.find((each) => name.slice(0, each.length).toLowerCase() === each);
  return prefix === undefined ? name : plainModelName(name.slice(prefix.length), prefixes);
}

/** The case-folded form of a name. */
export function foldedModelName(name: string): string {
  return name.toLowerCase();
}

/**
 * `ft:gpt-4o-mini` of `ft:gpt-4o-mini:my-org::id`, as catalogues price it; null if it is not a fine-tuned model in
 * OpenAI's format.
 */
export function fineTuneBase(name: string): string | null {
  const [mark = '', base = '', owner] = name.split(':', 3);
  return mark.toLowerCase() === 'ft' && base !== '' && owner !== undefined ? `ft:${base}` : null;
}

function decoded(spelling: string): string {
  let name = spelling;
  for (let times = 0; times < MAX_DECODINGS && name.includes('%'); times++) {
    try {
      name = decodeURIComponent(name);
    } catch {
      return name;
    }
  }
  return name;
}
