/** Characters of the standard PDF fonts beyond ASCII and Latin-1: Windows-1252 (PDF 32000-1, annex D). */
const beyondLatin1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';

/**
 * Converts a text to one line in the characters of those fonts: an unsupported letter loses its accents, and any other unsupported
 * character becomes a question mark.
 */
export function printableText(text: string): string {
  return [...text.normalize('NFC').replaceAll(/\s+/g, ' ')].map(printable).join('').trim();
}

function printable(character: string): string {
  if (isShown(character)) return character;
  const plain = character.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  if (plain !== '' && [...plain].every(isShown)) return plain;
  return /^[\p{M}\p{C}]$/u.test(character) ? '' : '?';
}

function isShown(character: string): boolean {
  return /^[\u0020-\u007e\u00a0-\u00ac\u00ae-\u00ff]$/.test(character) || beyondLatin1.includes(character);
}
