import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { money } from '../../src/dashboard/design/format.ts';
import { chromiumPath, openBrowser, visit, type SharedBrowser, type Visitor } from '../harness/chromium.ts';
import { post } from '../harness/graphql-client.ts';
import { queryRunning, rowId, sqlText } from '../harness/running-database.ts';
import { expectReadable } from './looks.ts';
import { newBrowserAccount, type BrowserAccount } from './product.ts';

describe.skipIf(chromiumPath === null)('the plan of an account', () => {
  let account: BrowserAccount;
  let browser: SharedBrowser;
  let visitor: Visitor;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  beforeEach(async () => {
    account = await newBrowserAccount();
    visitor = await visit(browser, account.url, { cookie: account.cookie });
    return async () => {
      await visitor.close();
      await account.dispose();
    };
  });

  const ask = async (query: string) => (await post(account.url, { query }, { cookie: account.cookie })).data;

  const chat = async () => {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
  };

  it('shows the cost, date and reversibility of a change before it is confirmed', async () => {
    const { page } = visitor;
    await page.goto('/billing/plan');
    await page.getByText('Requests per minute, per key: 10,000 by default').waitFor();
    await page.getByRole('button', { name: 'Change to Pro' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change to Pro?' });
    await dialog.getByText('$20.00 per month, now $0.00 per month').waitFor();
    await dialog.getByText(/^On .*, when this period ends$/).waitFor();
    await dialog.getByText('None for this period').waitFor();
    await dialog.getByText(/^\$20\.00 on /).waitFor();
    await dialog.getByText(/Enterprise is not offered/).waitFor();
    await expectReadable(page, 'plan-change');
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect((await ask('{ account { plan { id } pendingPlan { at } } }'))?.account).toEqual({
      plan: { id: 'enterprise' },
      pendingPlan: null,
    });
    await page.getByRole('button', { name: 'Change to Pro' }).click();
    await dialog.getByRole('button', { name: /^Change on / }).click();
    await page.getByText(/^The plan changes to Pro on .*You can cancel the change until then\.$/).waitFor();
    await expectReadable(page, 'plan-pending');
    await page.getByRole('button', { name: 'Cancel change' }).click();
    await page.getByText('Change cancelled. The account stays on Enterprise.', { exact: true }).waitFor();
  });

  it('shows the included usage of the current period, prorated', async () => {
    const id = sqlText(rowId((await ask('{ account { id } }'))?.account.id));
    await queryRunning(account.database, `update accounts set plan = 'free' where id = ${id}`);
    const { page } = visitor;
    await page.goto('/billing/plan');
    await page.getByText('of the $1.00 included in this period').waitFor();
    await page.getByRole('button', { name: 'Change to Pro' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change to Pro?' });
    await dialog.getByText(/for the rest of this period, on your next invoice$/).waitFor();
    await dialog.getByRole('button', { name: 'Change to Pro now' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { includedUsage } = (await ask('{ account { includedUsage { amount } } }'))?.account ?? {};
    const shown = money(includedUsage.amount);
    await page.getByText(`of the ${shown} included in this period`).waitFor();
    await page.goto('/');
    await page.getByRole('region', { name: 'Budgets and limits' }).getByText(`of ${shown}`).waitFor();
  });

  it('that was changed is shown on Invoices with the earlier period and the new charge', async () => {
    const id = sqlText(rowId((await ask('{ account { id } }'))?.account.id));
    await queryRunning(account.database, `update accounts set plan = 'free' where id = ${id}`);
    await chat();
    const priced = `update usage_logs set cost_nano = 50000000 where account_id = ${id} returning event_id`;
    await vi.waitFor(async () => expect(await queryRunning(account.database, priced)).toHaveLength(1), 120_000);
    expect(await ask('mutation { changePlan(plan: "pro") { __typename } }')).toBeTruthy();
    const { page } = visitor;
    await page.goto('/billing/invoices');
    const now = page.getByRole('region', { name: 'Balance' });
    await now.getByText('Earlier period, not invoiced yet').waitFor();
    await now.getByText('Current period so far').waitFor();
    await expectReadable(page, 'invoices-after-a-change');
    await now.getByRole('button', { name: 'View lines' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Next invoice' });
    await drawer.getByText('Included in Free').waitFor();
    await page.keyboard.press('Escape');
    await now.getByRole('button', { name: 'View lines' }).last().click();
    await drawer.getByText(/^Free to Pro on /).waitFor();
    await page.reload();
    await drawer.getByText(/^Free to Pro on /).waitFor();
  });

  it('updates limits on the overview after each request without a reload', async () => {
    const { page } = visitor;
    await page.goto('/');
    const limits = page.getByRole('region', { name: 'Budgets and limits' });
    await limits.getByText('No budgets are set.').waitFor();
    await page.getByRole('region', { name: 'Live' }).getByText('Connected').waitFor();
    await ask('mutation { setBudget(input: { budget: { amount: "12.5", period: MONTH } }) { id } }');
    await chat();
    await limits.getByText('$0.00 of $12.50').waitFor();
  });
});
