import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  accessibilityFaults,
  chromiumPath,
  cutPlaceholders,
  fitsWidth,
  openBrowser,
  photograph,
  settled,
  visit,
  type SharedBrowser,
  type Visitor,
} from '../harness/chromium.ts';
import { newBrowserAccount, type BrowserAccount } from './product.ts';

describe.skipIf(chromiumPath === null)('Usage Logs', () => {
  let account: BrowserAccount;
  let browser: SharedBrowser;
  let visitor: Visitor;
  let phone: Visitor;

  beforeAll(async () => {
    account = await newBrowserAccount();
    browser = await openBrowser();
    visitor = await visit(browser, account.url, { cookie: account.cookie });
    phone = await visit(browser, account.url, { size: 'phone', theme: 'dark', cookie: account.cookie });
    expect(await chat('sandbox/chat', { 'x-sluice-tags': 'team=search' })).toBe(200);
    expect(await chat('quick')).toBe(200);
    for (let sent = 0; sent < 3; sent++) expect(await chat('openai/gpt-none')).toBe(404);
  });

  afterAll(async () => {
    await browser?.close();
    await account?.dispose();
  });

  async function chat(model: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return response.status;
  }

  async function seen(name: string): Promise<void> {
    const { page } = visitor;
    await settled(page);
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, `usage-logs-${name}-desktop`);
    await phone.page.goto(page.url());
    await settled(phone.page);
    expect(await accessibilityFaults(phone.page)).toEqual([]);
    await photograph(phone.page, `usage-logs-${name}-phone`);
  }

  it('shows requests per model as a chart and a table beside tokens and estimated cost', async () => {
    const { page } = visitor;
    await page.goto('/billing/usage');
    const row = page.getByRole('table', { name: 'Usage per model' }).getByRole('row', { name: /sandbox\/chat/ });
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    for (const title of ['Requests', 'Tokens', 'Estimated cost'])
      await page.getByRole('columnheader', { name: title }).first().waitFor();
    await page.getByRole('group', { name: 'Figure' }).getByRole('button', { name: 'Requests' }).click();
    await page.getByLabel('Requests over time by model').waitFor();
    expect(new URL(page.url()).searchParams.get('figure')).toBe('requests');
    await seen('chart');
  });

  it('filters rows and totals by a tag without a value', async () => {
    const { page } = visitor;
    await page.goto('/billing/usage?tag=team');
    await page.getByText('1 entry').waitFor();
    await page.getByRole('group', { name: 'Totals' }).getByText('1 request', { exact: true }).waitFor();
    await page.goto('/billing/usage?modelContains=CHAT');
    await page.getByText('2 entries').waitFor();
    await page.getByRole('group', { name: 'Totals' }).getByText('2 requests', { exact: true }).waitFor();
  });

  it.each([1440, 1280, 1024, 768, 390, 360])(
    'says whole what each filter takes, at a width of %i px',
    async (width) => {
      const other = await visit(browser, account.url, { cookie: account.cookie });
      const { page } = other;
      await page.setViewportSize({ width, height: 844 });
      await page.goto('/billing/usage');
      await settled(page);
      const more = page.getByRole('button', { name: 'More filters' });
      if (await more.isVisible()) await more.click();
      await page.getByRole('searchbox', { name: 'Tag' }).waitFor();
      expect(await cutPlaceholders(page)).toEqual([]);
      expect(await fitsWidth(page)).toBe(true);
      await photograph(page, `usage-logs-filters-${width}`);
      await other.close();
    },
  );

  it('shows rejected requests with their reason', async () => {
    const { page } = visitor;
    await page.goto('/billing/usage?status=REJECTED');
    await page.getByLabel('Requests', { exact: true }).getByText('openai/gpt-none').first().click();
    const drawer = page.getByRole('dialog', { name: 'openai/gpt-none' });
    await drawer.getByText('model_not_found').waitFor();
    await drawer.getByText('404', { exact: true }).waitFor();
    await seen('rejected');
  });
});
