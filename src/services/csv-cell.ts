/** A cell of RFC 4180. One that a spreadsheet would take for a formula gets an apostrophe before it. Source: OWASP, CSV injection. */
export function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
