import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('USAGE.md', import.meta.url);
const title = '\n## Primary key\n';

/** The part of the report that is measured apart from the others. */
export function keySection(): string {
  const text = readFileSync(file, 'utf8');
  const start = text.indexOf(title);
  return start === -1 ? '' : text.slice(start);
}

export function writeKeySection(section: string): void {
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, text.length - keySection().length) + title + section);
}
