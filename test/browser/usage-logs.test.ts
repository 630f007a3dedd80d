import { beforeAll, expect, it } from 'vitest';
import {
  accessibilityFaults,
  cutPlaceholders,
  fitsWidth,
  photograph,
  settled,
  visit,
  type Visitor,
} from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('Usage Logs', (stage) => {
  let phone: Visitor;

  beforeAll(async () => {
    phone = await visit(stage.browser, stage.account.url, {
      size: 'phone',
      theme: 'dark',
      cookie: stage.account.cookie,
    });
    expect(await chat('sandbox/chat', { 'x-sluice-tags': 'team=search' })).toBe(200);
    expect(await chat('quick')).toBe(200);
    for (let sent = 0; sent < 3; sent++) expect(await chat('openai/gpt-none')).toBe(404);
  });

  async function chat(model: string, headers: Record<string, string> = {}): Promise<number> {
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    await stage.logged(response);
    return response.status;
  }

  async function seen(name: string): Promise<void> {
    const { page } = stage.visitor;
    await settled(page);
    expect(await accessibilityFaults(page)).toEqual([]);
    await photograph(page, `usage-logs-${name}-desktop`);
    await phone.page.goto(page.url());
    await settled(phone.page);
    expect(await accessibilityFaults(phone.page)).toEqual([]);
    await photograph(phone.page, `usage-logs-${name}-phone`);
  }

  it('shows requests per model as a chart and a table beside tokens and estimated cost', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage');
    const row = page.getByRole('table', { name: 'Usage per model' }).getByRole('row', { name: /sandbox\/chat/ });
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    for (const title of ['Requests', 'Tokens', 'Estimated cost'])
      await page.getByRole('columnheader', { name: title }).first().waitFor();
    await page.getByRole('group', { name: 'Metric' }).getByRole('button', { name: 'Requests' }).click();
    await page.getByLabel('Requests over time by model').waitFor();
    expect(new URL(page.url()).searchParams.get('figure')).toBe('requests');
    await seen('chart');
  });

  it('filters rows and totals by a tag without a value', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage?tag=team');
    await page.getByText('1 entry').waitFor();
    await page.getByRole('group', { name: 'Totals' }).getByText('1 request', { exact: true }).waitFor();
    await page.goto('/billing/usage?modelContains=CHAT');
    await page.getByText('2 entries').waitFor();
    await page.getByRole('group', { name: 'Totals' }).getByText('2 requests', { exact: true }).waitFor();
  });

  it.each([1440, 1280, 1024, 768, 390, 360])(
    'shows the complete placeholder of each filter at a width of %i px',
    async (width) => {
      const other = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
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
    const { page } = stage.visitor;
    await page.goto('/billing/usage?status=REJECTED');
    await page.getByLabel('Requests', { exact: true }).getByText('openai/gpt-none').first().click();
    const drawer = page.getByRole('dialog', { name: 'openai/gpt-none' });
    await drawer.getByText('model_not_found').waitFor();
    await drawer.getByText('404', { exact: true }).waitFor();
    await seen('rejected');
  });
});
