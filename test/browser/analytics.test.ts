import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { accessibilityFaults, fitsWidth, photograph, settled, visit, type Visitor } from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('Analytics', (stage) => {
  let phone: Visitor;
  let dark: Visitor;

  beforeAll(async () => {
    const { account, browser } = stage;
    phone = await visit(browser, account.url, { size: 'phone', theme: 'dark', cookie: account.cookie });
    dark = await visit(browser, account.url, { theme: 'dark', cookie: account.cookie });
    expect(await chat('sandbox/chat', { 'x-sluice-tags': 'team=search' })).toBe(200);
    expect(await chat('sandbox/chat', {}, { user: 'ann', stream: true })).toBe(200);
    for (let sent = 0; sent < 3; sent++) expect(await chat('openai/gpt-none')).toBe(404);
  });

  async function chat(model: string, headers: Record<string, string> = {}, more: object = {}): Promise<number> {
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...more }),
    });
    await response.text();
    await stage.logged(response);
    return response.status;
  }

  async function seen(name: string): Promise<void> {
    const { page } = stage.visitor;
    for (const [look, visitor] of [
      ['light', stage.visitor],
      ['dark', dark],
      ['phone', phone],
    ] as const) {
      if (visitor !== stage.visitor) await visitor.page.goto(page.url());
      await settled(visitor.page);
      expect(await accessibilityFaults(visitor.page)).toEqual([]);
      expect(await fitsWidth(visitor.page)).toBe(true);
      await photograph(visitor.page, `analytics-${name}-${look}`);
    }
  }

  it('shows totals compared with the previous period, and a row for each group', async () => {
    const { page } = stage.visitor;
    await page.goto('/analytics?range=24h');
    const tile = page.getByRole('list', { name: 'Totals' }).getByRole('link', { name: /^Requests/ });
    await tile.getByText('5', { exact: true }).waitFor();
    await tile.getByText('Previously 0').waitFor();
    const row = page.getByRole('table', { name: 'Usage by model' }).getByRole('row', { name: /sandbox\/chat/ });
    await row.getByRole('cell', { name: '2', exact: true }).first().waitFor();
    await page.getByLabel('Requests over time by model').waitFor();
    await page.getByLabel('Output speed over time').getByRole('table').waitFor({ state: 'attached' });
    await seen('model');
  });

  it.each([
    ['By end user', 'user', 'End user', 'ann'],
    ['By tag', 'tag', 'Tag', 'team=search'],
    ['By key', 'key', 'Key', 'First key'],
    ['By provider', 'provider', 'Provider', 'sandbox'],
    ['By capability', 'capability', 'Capability', 'Chat'],
  ])('groups %s, and opens the requests of a group in Usage Logs', async (choice, by, title, name) => {
    const { page } = stage.visitor;
    await page.goto('/analytics?range=7d');
    await page.getByRole('button', { name: choice }).click();
    expect(new URL(page.url()).searchParams.get('by')).toBe(by);
    const table = page.getByRole('table', { name: `Usage by ${title.toLowerCase()}` });
    await table.getByRole('link', { name }).click();
    await page.getByRole('heading', { name: 'Usage Logs' }).waitFor();
    const requests = by === 'capability' || by === 'key' ? '5' : by === 'provider' ? '2' : '1';
    await page
      .getByRole('group', { name: 'Totals' })
      .getByText(new RegExp(`^${requests} requests?$`))
      .waitFor();
  });

  it('applies the filters of its URL to totals, charts, tables and the export', async () => {
    const { page } = stage.visitor;
    await page.goto('/analytics?range=7d&tag=team');
    const tile = page.getByRole('list', { name: 'Totals' }).getByRole('link', { name: /^Requests/ });
    await tile.getByText('1', { exact: true }).waitFor();
    await page.getByText('No errors in this period.').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export table as CSV' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).split('\r\n');
    expect(lines[0]).toMatch(/^model,requests,errors,/);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^sandbox\/chat,1,0,/), '']);
  });

  it('lists errors by code, and opens their requests', async () => {
    const { page } = stage.visitor;
    await page.goto('/analytics?range=7d');
    const table = page.getByRole('table', { name: 'Errors by code' }).last();
    await table
      .getByRole('row', { name: /model_not_found/ })
      .getByText('60%')
      .waitFor();
    await table.getByRole('link', { name: 'model_not_found' }).click();
    await page.getByRole('button', { name: 'Error: model_not_found' }).waitFor();
    expect(new URL(page.url()).searchParams.get('errors')).toBe('true');
    await page.getByRole('group', { name: 'Totals' }).getByText('3 requests', { exact: true }).waitFor();
  });

  it('takes a custom range in the time zone of the account, which its URL names', async () => {
    const { page } = stage.visitor;
    await page.goto('/analytics');
    await page.getByLabel('Time range').selectOption('custom');
    await page.getByLabel('From', { exact: true }).fill('2026-01-02T00:00');
    await page.getByLabel('To', { exact: true }).fill('2026-01-01T00:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('The end must be after the start.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('2026-01-05T12:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page
      .getByText('No requests in this period.')
      .or(page.getByText('No costs in this period.'))
      .first()
      .waitFor();
    const { searchParams } = new URL(page.url());
    expect([searchParams.get('from'), searchParams.get('to')].map((each) => each?.replaceAll('"', ''))).toEqual([
      '2026-01-02T00:00:00.000Z',
      '2026-01-05T12:00:00.000Z',
    ]);
    await seen('custom');
  });
});
