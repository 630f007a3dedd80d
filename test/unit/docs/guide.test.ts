import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { snippets } from '../../harness/docs.ts';

/** The module is plain JavaScript. */
const moduleForm = z.object({
  buildGuide: z.custom<(root: string, output: string) => Promise<void>>((value) => typeof value === 'function'),
});

const folder = mkdtempSync(join(tmpdir(), 'sluice-guide-'));
const index = '# Index\n\n| section | pages |\n|---|---|\n| Start | [One](one.md), [Two & three](two.md) |\n';
const one = `# One

## First <b>part</b>

\`\`\`js
const markup = '<script>alert("&")</script>'; // <img onerror=x>
\`\`\`

\`\`\`text
<script>alert(1)</script>
\`\`\`

| name | default | meaning |
|---|---|---|
| \`PORT\` | 4000 | the port that the server listens on |
| \`HOST\` | | the address that the server listens on |

| \`a\` | b |
|---|---|
| 1 | 2 |
`;

beforeAll(async () => {
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'README.md'), index);
  writeFileSync(join(folder, 'docs', 'one.md'), one);
  writeFileSync(join(folder, 'docs', 'two.md'), '# Two\n');
  const loaded: unknown = await import(pathToFileURL('src/cli/build-guide.mjs').href);
  const { buildGuide } = moduleForm.parse(loaded);
  await buildGuide(folder, join(folder, 'guide'));
  await buildGuide('.', join(folder, 'all'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function body(name: string): string {
  return z.object({ body: z.string() }).parse(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))).body;
}

describe('a page of the guide', () => {
  it('has highlighted code, in which markup is text', () => {
    const page = body('guide/one');
    expect(page).toContain('<span class="hljs-keyword">const</span>');
    expect(page).toContain('&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;');
    expect(page).toContain('<span class="hljs-comment">// &lt;img onerror=x&gt;</span>');
    expect(page).toContain('<code>&lt;script&gt;alert(1)&lt;/script&gt;\n</code>');
    expect(page).not.toMatch(/<(script|img|b)\b|\sstyle=/);
  });

  it('has a list of its headings under its name in the navigation', () => {
    expect(body('guide/one')).toContain(
      '<li><a href="/docs/guide/one" aria-current="page">One</a><ul><li><a href="#first-part">First part</a></li></ul></li>',
    );
  });

  it('has links to its neighbours', () => {
    expect(body('guide/one')).toContain(
      '<footer><a rel="next" href="/docs/guide/two">Next: Two &amp; three</a></footer>',
    );
    expect(body('guide/two')).toContain('<footer><a rel="prev" href="/docs/guide/one">Previous: One</a></footer>');
    expect(body('guide/index')).toContain('<footer><a rel="next" href="/docs/guide/one">Next: One</a></footer>');
  });

  it('labels the cells of a table of prose, but no names and no prose', () => {
    const page = body('guide/one');
    expect(page).toContain(
      '<tr><td><code>PORT</code></td><td data-label="default">4000</td><td>the port that the server listens on</td></tr>',
    );
    expect(page).toContain(
      '<tr><td><code>HOST</code></td><td></td><td>the address that the server listens on</td></tr>',
    );
    expect(page.match(/class="wide[^"]*"/g)).toEqual(['class="wide prose"', 'class="wide"']);
  });

  it('highlights every language of the documentation', () => {
    const pages = Object.groupBy(snippets, ({ page }) => page);
    const plain = Object.entries(pages).flatMap(([page, blocks = []]) => {
      const [, name] = /^docs\/(.*)\.md$/.exec(page) ?? [];
      const highlighted = name === undefined ? blocks : (body(`all/${name}`).match(/<code class="hljs">/g) ?? []);
      return highlighted.length === blocks.length ? [] : [page];
    });
    expect(plain).toEqual([]);
  });
});
