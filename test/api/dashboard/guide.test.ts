import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentationPages } from '../../harness/docs.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(async () => {
  await account.dispose();
});

const names = documentationPages
  .filter((path) => path.startsWith('docs/'))
  .map((path) => path.replace(/^docs\/(?:README)?(.*?)(?:\.md)$/, '$1'));

async function read(
  path: string,
): Promise<{ readonly status: number; readonly html: string; readonly policy: string }> {
  const answer = await fetch(`${account.url}${path}`, { headers: { accept: 'text/html' } });
  const policy = answer.headers.get('content-security-policy') ?? '';
  return { status: answer.status, html: await answer.text(), policy };
}

describe('the documentation under /docs/guide', () => {
  it.each(names)('serves the page "%s", which runs nothing and loads nothing', async (name) => {
    const { status, html, policy } = await read(`/docs/guide${name === '' ? '' : `/${name}`}`);
    expect(status).toBe(200);
    expect(html).toMatch(/<h1 id="[^"]+">/);
    expect(html).not.toMatch(/<(script|link|img|iframe|object|embed)\b|\son\w+=|\sstyle="|&lt;!--/i);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(policy).not.toContain('unsafe');
  });

  it('has no link to a page or an anchor that does not exist', async () => {
    const pages = new Map<string, string>();
    for (const name of names) {
      const path = `/docs/guide${name === '' ? '' : `/${name}`}`;
      pages.set(path, (await read(path)).html);
    }
    const broken = [...pages].flatMap(([path, html]) =>
      [...html.matchAll(/href="(\/docs\/guide[^"]*|#[^"]*)"/g)]
        .map(([, href = '']) => (href.startsWith('#') ? path + href : href))
        .filter((href) => {
          const [target = '', anchor] = href.split('#');
          const found = pages.get(target);
          return found === undefined || (anchor !== undefined && !found.includes(`id="${anchor}"`));
        }),
    );
    expect(broken).toEqual([]);
  });

  it.each(['/docs/guide/nothing', '/docs/guide/..%2f..%2fpackage', '/docs/guide/api', '/docs/guide/a/b/c'])(
    'answers 404 for %s',
    async (path) => {
      expect((await read(path)).status).toBe(404);
    },
  );
});
