/** Text as PostgreSQL stores it: it accepts neither NUL nor a lone surrogate. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
