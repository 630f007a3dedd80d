const MAX_CHARACTERS = 60;

/**
 * Sanitizes a user-chosen name for a message to other people: quoted, on one line, at most 60 characters, and with nothing that
 * a mail program would turn into a link.
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
