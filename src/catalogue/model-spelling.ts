/** Decoded so often: a name that is encoded more often than that is somebody's trick, and unknown. */
const MAX_DECODINGS = 3;

/**
 * A model's name without what its provider would overlook: percent-encoding, blanks and control characters around it, a query or
 * a fragment, slashes at the end, a prefix of its API (`models/` before Gemini's), other forms of the same characters. It keeps
 * its case.
 */
export function plainModelName(given: string, prefixes: readonly string[] = []): string {
  const [path = ''] = decoded(given).normalize('NFKC').split(/[?#]/, 1);
  // oxlint-disable-next-line no-control-regex -- what cannot be seen is what is looked for
  const name = path.replace(/^[\s\u0000-\u001f\u007f/]+|[\s\u0000-\u001f\u007f/]+$/g, '');
  const prefix = prefixes.find((each) => name.slice(0, each.length).toLowerCase() === each);
  return prefix === undefined ? name : plainModelName(name.slice(prefix.length), prefixes);
}

/** What names have in common that differ in case alone. */
export function foldedModelName(name: string): string {
  return name.toLowerCase();
}

/** `ft:gpt-4o-mini` of `ft:gpt-4o-mini:my-org::id`, as catalogues price it; null for what is no fine-tuned model of OpenAI's form. */
export function fineTuneBase(name: string): string | null {
  const [mark = '', base = '', owner] = name.split(':', 3);
  return mark.toLowerCase() === 'ft' && base !== '' && owner !== undefined ? `ft:${base}` : null;
}

function decoded(given: string): string {
  let name = given;
  for (let times = 0; times < MAX_DECODINGS && name.includes('%'); times++) {
    try {
      name = decodeURIComponent(name);
    } catch {
      return name;
    }
  }
  return name;
}
