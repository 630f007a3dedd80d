/** Text that can be stored and compared: PostgreSQL accepts neither NUL nor a lone surrogate. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
