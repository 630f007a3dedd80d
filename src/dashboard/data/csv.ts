/** Rows as RFC 4180. */
export function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

/** Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe, but no negative number. */
function cellOf(value: string | number): string {
  const isFormula = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && !/^-\d+(?:\.\d+)?$/.test(value);
  const text = isFormula ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
