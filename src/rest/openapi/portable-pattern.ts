/**
 * Converts a pattern of the request schemas to the syntax that ECMA 262 without the flag `u`, Python, Go and Rust share. Lone
 * surrogates are rejected by the server but omitted from the pattern: UTF-8 cannot contain one, and where strings are UTF-16 the
 * class would also match valid pairs.
 * @throws TypeError where the pattern has an escape whose meaning differs between them
 */
export function portablePattern(source: string): string {
  const portable = source
    .replaceAll(String.raw`\p{Cs}`, '')
    .replaceAll(String.raw`\p{Cc}`, String.raw`\x00-\x1f\x7f-\x9f`)
    .replaceAll(String.raw`\0`, String.raw`\x00`)
    .replaceAll(String.raw`\d`, '[0-9]');
  if (/\\[DpPsSuwW]|\[[^\]]*\[/.test(portable))
    throw new TypeError(`No portable form of the pattern ${source} is known`);
  return portable;
}
