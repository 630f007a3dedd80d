/** Reads RFC 4180 by its own grammar: rows by the names of the first. */
export function parseCsv(text: string): Record<string, string>[] {
  const [names = [], ...rows] = cells(text);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? 'missing'])));
}

function cells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const [, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (end === undefined) throw new SyntaxError(`no CSV at ${at}: ${text.slice(at, at + 40)}`);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
