import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConfigured } from '../harness/configured-server.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';

const executablePath = process.env.SLUICE_TEST_CHROMIUM ?? '/usr/bin/chromium';

let server: ServerProcess;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.dispose());

const page = (url: string, headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' }) =>
  fetch(`${url}/graphql`, { headers });

describe('GET /graphql', () => {
  it('is a page for browsers, whole and under a strict policy', async () => {
    const response = await page(server.url);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/default-src 'none';script-src 'sha256-[\w+/=]+';/);
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe|https?:/);
    const html = await response.text();
    const [head = ''] = html.split('<script>', 1);
    expect(head.match(/(src|href)="(?!data:)[^"]*"|url\((?!['"]?data:)[^)]*\)|@import/g) ?? []).toEqual([]);
    const plain = await page(server.url, { accept: 'text/html', 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect((await plain.text()).length).toBe(html.length);
  });

  it.each([
    ['asks for JSON', { accept: 'application/json' }],
    ['takes anything', { accept: '*/*' }],
  ])('is none for who %s', async (_who, headers) => {
    expect((await page(server.url, headers)).headers.get('content-type')).not.toContain('html');
  });

  it('is none where the operator has it off', async () => {
    const hushed = await startConfigured('graphql: { explorer: false, introspection: false }');
    try {
      expect((await page(hushed.url)).headers.get('content-type')).not.toContain('html');
      const response = await fetch(`${hushed.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{ __schema { queryType { name } } }"}',
      });
      expect(await response.text()).toContain('introspection has been disabled');
    } finally {
      await hushed.dispose();
    }
  });
});

describe.skipIf(!existsSync(executablePath) && process.env.CI !== 'true')('the page in a browser', () => {
  let browser: Browser;
  let tab: Page;
  const requested: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    tab.on('request', (request) => requested.push(request.url()));
    tab.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    tab.on('pageerror', (error) => complaints.push(error.message));
    await tab.setExtraHTTPHeaders({ authorization: `Bearer ${server.apiKey}` });
    await tab.goto(`${server.url}/graphql`);
  });

  afterAll(() => browser?.close());

  it('runs what is written, and asks no other host for anything', async () => {
    await tab.getByRole('button', { name: /execute query/i }).click();
    await tab.getByText('Enterprise').first().waitFor();
    const { SLUICE_TEST_SCREENSHOT: screenshot } = process.env;
    if (screenshot) await tab.screenshot({ path: screenshot });
    const foreign = requested.filter((url) => !url.startsWith(server.url) && !/^(data|blob):/.test(url));
    expect(foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
