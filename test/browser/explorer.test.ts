import { expect, it } from 'vitest';
import { photograph, visit } from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the GraphQL explorer', (stage) => {
  it('runs queries without requests to other hosts', async () => {
    const { page, context, requested, errors } = await visit(stage.browser, stage.account.url);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${stage.account.apiKey}` });
    await page.goto('/graphql');
    await page.getByRole('button', { name: /execute query/i }).click();
    await page.getByText('Enterprise').first().waitFor();
    await photograph(page, 'explorer');
    expect(requested.filter((url) => !url.startsWith(stage.account.url) && !/^(data|blob):/.test(url))).toEqual([]);
    expect(errors).toEqual([]);
  });
});
