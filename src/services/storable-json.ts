const [BACKSLASH, LETTER_U, LETTER_D, ZERO] = [0x5c, 0x75, 0x64, 0x30];
/** `\u0000` */
const ESCAPE_BYTES = 6;
const REPLACEMENT = Buffer.from('\u{fffd}');
const unstorable = /\\u(?:0000|d[89a-f])/;

/** A value as JSON without what `jsonb` rejects: NUL characters and lone surrogates, which JSON writes as escapes. */
export function storableJson(value: object): string {
  const json = JSON.stringify(value);
  return unstorable.test(json) ? withoutUnstorable(Buffer.from(json)) : json;
}

/**
 * In one pass and in place, because a text may contain millions of escapes. Only control characters and surrogates are escaped
 * with `u`.
 */
function withoutUnstorable(json: Buffer): string {
  let to = 0;
  for (let from = 0; from < json.length;) {
    const isEscape = json[from] === BACKSLASH;
    const isLong = isEscape && json[from + 1] === LETTER_U;
    const length = isLong ? ESCAPE_BYTES : isEscape ? 2 : 1;
    if (isLong && json[from + 2] === LETTER_D) to += REPLACEMENT.copy(json, to);
    else if (!isLong || json[from + 4] !== ZERO || json[from + 5] !== ZERO)
      for (let at = from; at < from + length; at++) json[to++] = json[at] ?? 0;
    from += length;
  }
  return json.toString('utf8', 0, to);
}
