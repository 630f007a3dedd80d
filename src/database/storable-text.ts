/** Text that can be stored and compared: PostgreSQL accepts neither NUL nor a lone surrogate. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Whether PostgreSQL takes a text as it is: it has neither a NUL character nor a lone surrogate. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}
