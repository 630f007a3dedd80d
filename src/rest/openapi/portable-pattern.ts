/**
 * A pattern of the checks, as ECMA 262 without the flag `u`, Python, Go and Rust all read it. A lone surrogate is refused, but a
 * pattern cannot say so: no UTF-8 text holds one, and where a character is two UTF-16 units its class would refuse whole pairs.
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
