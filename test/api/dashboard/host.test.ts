import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagePaths } from '../../../src/rest/dashboard/page-path.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';
import { doors, pages } from '../../harness/dashboard-pages.ts';

const built = fileURLToPath(new URL('../../../dist/dashboard', import.meta.url));
const assets = join(built, 'assets');
const MAX_FIRST_LOAD_BYTES = 250_000;
const html = { accept: 'text/html,application/xhtml+xml' };

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(async () => {
  await account.dispose();
});

function ask(path: string, headers: Record<string, string> = html): Promise<Response> {
  return fetch(`${account.url}${path}`, { headers });
}

describe('the dashboard server', () => {
  it.each([
    ...new Set([...pages, ...doors].map(([, path]) => path.replace(/#.*/, ''))),
    '/Keys/',
    '/compare/an-id',
    '/models/sandbox',
    '/sign-in?next=/keys',
    '/models/openrouter/a-maker/a-model-1.5',
  ])('serves the page at %s to a browser', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('<div id="root">');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/nothing', '/keys/nothing', '/billing', '/compare/an-id/nothing'])(
    'serves the page at %s too, which says that there is none, and tells it by its status',
    async (path) => {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('<div id="root">');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    },
  );

  it('has exactly the paths of the dashboard’s router', () => {
    const router = readFileSync(new URL('../../../src/dashboard/router.tsx', import.meta.url), 'utf8');
    const paths = [...router.matchAll(/^ {2}path: '([^']+)'/gm)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(20);
    expect([...pagePaths].sort()).toEqual(paths.sort());
  });

  it.each([
    '/v1/nothing',
    '/graphql/nothing',
    '/exports/nothing',
    '/assets/nothing.js',
    '/assets/nothing',
    '/nothing.png',
  ])('returns the API response of %s, also to a browser', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.text()).not.toContain('<div id="root">');
  });

  it('returns an error to a program that requests the path of a page', async () => {
    const answer = await ask('/keys', { accept: '*/*' });
    expect(answer.status).toBe(404);
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('allows scripts and requests only of its own origin, and styles by a new nonce per page', async () => {
    const policies = await Promise.all(
      [1, 2].map(async () => {
        const answer = await ask('/');
        const policy = answer.headers.get('content-security-policy') ?? '';
        const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
        expect(await answer.text()).toContain(`nonce="${nonce}"`);
        return policy;
      }),
    );
    const [policy = ''] = policies;
    expect(policies[0]).not.toBe(policies[1]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const headers = (await ask('/')).headers;
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });

  it('reads only known themes from a cookie', async () => {
    const themed = (cookie: string): Promise<string> => ask('/', { ...html, cookie }).then((answer) => answer.text());
    expect(await themed('sluice_theme=dark')).toContain('<html data-theme="dark"');
    expect(await themed('sluice_theme="><script>')).toContain('<html lang');
  });

  it('sends its files compressed and with permanent caching', async () => {
    const name =
      readdirSync(assets)
        .find((each) => each.endsWith('.js.br'))
        ?.slice(0, -3) ?? '';
    const { request } = await import('undici');
    const read = async (encoding: string): Promise<{ bytes: Buffer; headers: Record<string, unknown> }> => {
      const { body, headers } = await request(`${account.url}/assets/${name}`, {
        headers: { 'accept-encoding': encoding },
      });
      return { bytes: Buffer.from(await body.arrayBuffer()), headers };
    };
    const plain = readFileSync(join(assets, name));
    const br = await read('gzip, br');
    expect(br.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(brotliDecompressSync(br.bytes).equals(plain)).toBe(true);
    expect(gunzipSync((await read('gzip')).bytes).equals(plain)).toBe(true);
    const identity = await read('identity');
    expect(identity.headers['content-encoding']).toBeUndefined();
    expect(identity.bytes.equals(plain)).toBe(true);
  });

  it.each(['/assets/..%2findex.html', '/assets/%2e%2e%2f%2e%2e%2fmain.js'])(
    'leaves its folder by no path: %s',
    async (path) => {
      expect((await ask(path, { accept: '*/*' })).status).toBe(404);
    },
  );

  it.each(['/%E0%A4%A', '/assets/.%00.js'])('refuses a path that is not valid text: %s', async (path) => {
    expect((await ask(path)).status).toBe(400);
  });

  it('sends the request ID of each GraphQL response', async () => {
    const answer = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ viewer { role } }"}',
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_\w{32}$/);
  });
});

describe('the build', () => {
  it('needs at most 250 kB of compressed scripts for the sign-in page', () => {
    const page = readFileSync(join(built, 'index.html'), 'utf8');
    const first = [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name);
    const signIn = readdirSync(assets).filter((each) => /^sign-in-page-.*\.js$/.test(each));
    expect(signIn).toHaveLength(1);
    const needed = imported([...first, ...signIn]);
    const bytes = needed.reduce((sum, name) => sum + compressedSize(name), 0);
    expect(needed.length).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(MAX_FIRST_LOAD_BYTES);
  });

  it('has a hash of its content in each file name', () => {
    // Source maps are only built to record coverage.
    const beside = process.env.SLUICE_COVERAGE ? /\.(br|gz|map)$/ : /\.(br|gz)$/;
    const names = readdirSync(assets).filter((each) => !beside.test(each));
    expect(names.filter((each) => !/-[\w-]{8}\.\w+$/.test(each))).toEqual([]);
  });

  it('contains no key, no URL of another host, and no source map', () => {
    for (const name of readdirSync(assets).filter((each) => /\.(js|css)$/.test(each))) {
      const text = readFileSync(join(assets, name), 'utf8');
      expect(text, name).not.toMatch(/sk-sluice-\w{8}/);
      expect(text, name).not.toMatch(/(?:import|fetch|url)\(\s*["']?https?:/);
      expect(text, name).not.toContain('sourceMappingURL');
    }
  });
});

/** The files and all their static imports. */
function imported(names: readonly string[]): string[] {
  const found = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const text = readFileSync(join(assets, name), 'utf8');
    waiting.push(...[...text.matchAll(/\bfrom\s*["`']\.\/([^"`']+\.js)["`']/g)].map(([, each = '']) => each));
    waiting.push(...[...text.matchAll(/\bimport\s*["`']\.\/([^"`']+\.js)["`']/g)].map(([, each = '']) => each));
  }
  return [...found];
}

function compressedSize(name: string): number {
  const path = join(assets, name);
  return statSync(readdirSync(assets).includes(`${name}.gz`) ? `${path}.gz` : path).size;
}
