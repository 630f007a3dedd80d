import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** The code behind `<!-- test: name -->`, with the address of a product that runs in place of the default one. */
export function snippet(name: string, { url }: { readonly url: string }): string {
  const found = new RegExp(`<!-- test: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1];
  if (found === undefined) throw new Error(`README.md has no snippet ${name}`);
  return found.replaceAll('127.0.0.1:4000', new URL(url).host);
}
