import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** README.md and the pages of docs, relative to the repository. */
export const documentationPages: readonly string[] = [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .sort(),
];

export function pageText(path: string): string {
  return readFileSync(root + path, 'utf8');
}

/** The code after `<!-- test: name -->`, with the host of a running product in place of the default one. */
export function snippet(name: string, { url }: { readonly url: string }): string {
  const pattern = new RegExp(`<!-- test: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``);
  for (const page of documentationPages) {
    const found = pattern.exec(pageText(page))?.[1];
    if (found !== undefined) return found.replaceAll('127.0.0.1:4000', new URL(url).host);
  }
  throw new Error(`the documentation has no snippet ${name}`);
}
