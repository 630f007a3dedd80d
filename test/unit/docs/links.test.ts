import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentationPages, pageText } from '../../harness/docs.ts';

const pages = [...documentationPages, 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** Without fenced code, whose `#` is no heading and whose brackets are no links. */
function prose(page: string): string {
  return pageText(page).replaceAll(/^```[^]*?^```$/gm, '');
}

/** Link targets inside the repository. */
function internalLinks(page: string): string[] {
  return [
    ...prose(page)
      .replaceAll(/`[^`\n]*`/g, '')
      .matchAll(/!?\[[^\]]*\]\(([^)\s]+)\)/g),
  ]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Anchors of the headings, as GitHub makes them. */
function anchors(page: string): ReadonlySet<string> {
  const used = new Map<string, number>();
  return new Set(
    [...prose(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
      const slug = heading
        .toLowerCase()
        .replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '')
        .replaceAll(' ', '-');
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

function target(page: string, link: string): { readonly path: string; readonly anchor: string | undefined } {
  const [path = '', anchor] = link.split('#');
  return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
}

describe('the documentation', () => {
  it.each(pages)('has no broken link in %s', (page) => {
    const broken = internalLinks(page).filter((link) => {
      const { path, anchor } = target(page, link);
      return !existsSync(path) || (anchor !== undefined && !anchors(path).has(anchor));
    });
    expect(broken).toEqual([]);
  });

  it('lists every page in docs/README.md', () => {
    const listed = internalLinks('docs/README.md').map((link) => target('docs/README.md', link).path);
    const unlisted = documentationPages.filter((page) => page.startsWith('docs/') && !listed.includes(page));
    expect(unlisted).toEqual(['docs/README.md']);
  });

  it('has a README of at most 150 lines', () => {
    expect(pageText('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });
});
