import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../../harness/configured-server.ts';
import { newAccount, type TestAccount } from '../../harness/shared-server.ts';

const page = (url: string, headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' }) =>
  fetch(`${url}/graphql`, { headers });

describe('GET /graphql', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });

  afterAll(() => account?.dispose());

  it('serves browsers a self-contained page with a strict policy', async () => {
    const response = await page(account.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none';script-src 'sha256-[\w+/=]+';/);
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:/);
    const html = await response.text();
    const [head = ''] = html.split('<script>', 1);
    expect(head.match(/(src|href)="(?!data:)[^"]*"|url\((?!['"]?data:)[^)]*\)|@import/g) ?? []).toEqual([]);
    const plain = await page(account.url, { accept: 'text/html', 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await plain.text()).length).toBe(html.length);
  });

  it.each([
    ['asks for JSON', { accept: 'application/json' }],
    ['takes anything', { accept: '*/*' }],
  ])('sends no page to a client that %s', async (_who, headers) => {
    expect((await page(account.url, headers)).headers.get('content-type')).not.toContain('html');
  });

  it('serves no page when the explorer is disabled', async () => {
    const withoutExplorer = await startConfigured('graphql: { explorer: false, introspection: false }');
    try {
      expect((await page(withoutExplorer.url)).headers.get('content-type')).not.toContain('html');
      const response = await fetch(`${withoutExplorer.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ __schema { queryType { name } } }"}',
      });
      expect(await response.text()).toContain('introspection has been disabled');
    } finally {
      await withoutExplorer.dispose();
    }
  });
});
