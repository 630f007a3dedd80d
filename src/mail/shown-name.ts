const MAX_CHARACTERS = 60;

/**
 * A name that somebody chose, for a message to others: in quotes, on one line, of 60 characters at most, and with nothing in it
 * that a mail program would make a link of.
 */
export function shownName(name: string): string {
  const text = name
    .replaceAll(/[<>"“”\\]/g, '')
    .replaceAll(/[.:/@。．｡]+(?=\S)/g, ' ')
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const characters = [...text];
  const shown = characters.length > MAX_CHARACTERS ? `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…` : text;
  return `“${shown}”`;
}
