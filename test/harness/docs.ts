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

/** A fenced block of code. */
export interface Snippet {
  readonly page: string;
  readonly language: string;
  readonly code: string;
  /** Of `<!-- test: name -->` on the line before: a test runs it. */
  readonly name: string | undefined;
  /** Of `<!-- needs: what -->` on the line before: it cannot run in a test. */
  readonly needs: string | undefined;
}

/** All fenced blocks but `text`, which is output. */
export const snippets: readonly Snippet[] = documentationPages.flatMap((page) =>
  [...pageText(page).matchAll(/(?:<!-- (test|needs): (.+) -->\n)?^```(\w*)\n([^]*?)^```$/gm)]
    .map(([, kind, about, language = '', code = '']) => ({
      page,
      language,
      code,
      name: kind === 'test' ? about : undefined,
      needs: kind === 'needs' ? about : undefined,
    }))
    .filter(({ language }) => language !== 'text'),
);

/** The code of the snippet with this name, with the host of a running product in place of the default one. */
export function snippet(name: string, { url }: { readonly url: string }): string {
  const found = snippets.find((each) => each.name === name);
  if (found === undefined) throw new Error(`the documentation has no snippet ${name}`);
  return found.code.replaceAll('127.0.0.1:4000', new URL(url).host);
}
