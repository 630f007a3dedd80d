import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, photograph, visit, type SharedBrowser } from '../harness/chromium.ts';
import type { TestAccount } from '../harness/shared-server.ts';
import { newBrowserAccount } from './product.ts';

describe.skipIf(chromiumPath === null)('the GraphQL explorer', () => {
  let account: TestAccount;
  let browser: SharedBrowser;

  beforeAll(async () => {
    account = await newBrowserAccount();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await account?.dispose();
  });

  it('runs queries without requests to other hosts', async () => {
    const { page, context, requested, errors } = await visit(browser, account.url);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${account.apiKey}` });
    await page.goto('/graphql');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.getByText('Enterprise').first().waitFor();
    await photograph(page, 'explorer');
    expect(requested.filter((url) => !url.startsWith(account.url) && !/^(data|blob):/.test(url))).toEqual([]);
    expect(errors).toEqual([]);
  });
});
