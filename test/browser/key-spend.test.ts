import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { cutTexts } from '../harness/chromium.ts';
import { queryRunning, sqlText } from '../harness/running-database.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const created = z.object({ data: z.object({ createApiKey: z.object({ secret: z.string() }) }) });

describeInBrowser('the spend of keys', (stage) => {
  const namesOf = (page: Page): Promise<string[]> =>
    page.getByRole('table', { name: 'API keys' }).locator('tbody button').allInnerTexts();

  async function createKey(name: string): Promise<string> {
    const query = `mutation { createApiKey(input: { name: "${name}" }) { secret } }`;
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return created.parse(await response.json()).data.createApiKey.secret;
  }

  /** A request of the key, with a cost that the sandbox does not have. */
  async function spend(name: string, secret: string, usd: number): Promise<void> {
    const response = await fetch(`${stage.account.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/embedding', input: 'a' }),
    });
    expect([response.status, await response.text()]).toMatchObject([200, expect.any(String)]);
    const cost = `update usage_rollups set cost_nano = ${usd * 1e9} from api_keys
      join memberships using (account_id)
      join users on users.id = memberships.user_id and users.email = ${sqlText(stage.account.email)}
      where api_key_id = api_keys.id and api_keys.name = ${sqlText(name)} and by_key returning 1 as changed`;
    // A row is written shortly after its response.
    await expect.poll(() => queryRunning(stage.account.database, cost)).not.toEqual([]);
  }

  it('of this month and in total is shown and sorted by', async () => {
    const { page } = stage.visitor;
    await createKey('Unused');
    await spend('Archive', await createKey('Archive'), 0.000123);
    await spend('Zebra', await createKey('Zebra'), 1234.5);
    await page.goto('/keys');
    const table = page.getByRole('table', { name: 'API keys' });
    await expect.poll(() => table.getByRole('cell', { name: '$1,234.50', exact: true }).count()).toBe(2);
    await table
      .getByRole('row', { name: /Archive/ })
      .getByRole('cell', { name: '$0.000123', exact: true })
      .first()
      .waitFor();
    const newest = ['Zebra', 'Archive', 'Unused', 'First key'];
    expect(await namesOf(page)).toEqual(newest);
    await table.getByRole('button', { name: 'This month (USD)' }).click();
    await table.locator('th[aria-sort=descending]').getByText('This month').waitFor();
    expect((await namesOf(page)).slice(0, 2)).toEqual(['Zebra', 'Archive']);
    await table.getByRole('button', { name: 'This month (USD)' }).press('Enter');
    await table.locator('th[aria-sort=ascending]').getByText('This month').waitFor();
    expect((await namesOf(page)).slice(2)).toEqual(['Archive', 'Zebra']);
    expect(page.url()).toContain('sort=month_asc');
    await table.getByRole('button', { name: 'Name' }).click();
    await expect.poll(() => namesOf(page)).toEqual(['Archive', 'First key', 'Unused', 'Zebra']);
    await table.getByRole('button', { name: 'Last used' }).click();
    await expect.poll(async () => (await namesOf(page)).slice(2)).toEqual(['Unused', 'First key']);
    await page.goto('/keys?sort=total_desc');
    await expect.poll(async () => (await namesOf(page)).slice(0, 2)).toEqual(['Zebra', 'Archive']);
    expect(await cutTexts(page)).toEqual([]);
    await expectReadable(page, 'key-spend');
  });
});
