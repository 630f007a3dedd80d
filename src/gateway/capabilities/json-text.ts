/**
 * The last object member of that name in a JSON text, as text; null where there is none. Of members that are named twice, the
 * last one counts. For objects that hold no text, in which a brace could stand: a quote inside a JSON string is escaped, so
 * that no text of a model's can pass for a member.
 */
export function lastObject(json: string, name: string): string | null {
  const quoted = `"${name}":`;
  const named = json.lastIndexOf(quoted);
  if (named < 0) return null;
  const start = json.indexOf('{', named + quoted.length);
  // A space may stand there, as Python writes it; anything else is no object.
  if (start < 0 || start > named + quoted.length + 1) return null;
  return json.slice(start, objectEnd(json, start));
}

/** Undefined for what is no JSON. */
export function tryParse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The offset behind the object that opens at `start`. */
function objectEnd(text: string, start: number): number {
  let open = text.indexOf('{', start + 1);
  for (let depth = 1, at = start + 1; ;) {
    const close = text.indexOf('}', at);
    if (close < 0) return text.length;
    for (; open >= 0 && open < close; open = text.indexOf('{', open + 1)) depth++;
    at = close + 1;
    if (--depth === 0) return at;
  }
}
