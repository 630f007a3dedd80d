/**
 * A cell of RFC 4180. A value that a spreadsheet would treat as a formula is prefixed with an apostrophe. Source: OWASP, CSV
 * injection.
 */
export function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
