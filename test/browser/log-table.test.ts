import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { cutCells, cutTexts, fitsWidth, settled, visit } from '../harness/chromium.ts';
import { parseCsv } from '../harness/parse-csv.ts';
import { expectReadable, expectReadableAsIs } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the table of Usage Logs', (stage) => {
  beforeAll(async () => {
    for (const model of ['sandbox/chat', 'quick', 'sandbox/chat']) expect(await chat(model, '=1+1')).toBe(200);
  });

  async function chat(model: string, user = 'somebody'): Promise<number> {
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, user, messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    await stage.logged(response);
    return response.status;
  }

  const rowsOf = (page: Page) => page.getByRole('table', { name: 'Requests', exact: true }).locator('[data-index]');
  const timesOf = async (page: Page): Promise<string[]> => {
    const cells = await rowsOf(page).locator('[role=cell]:nth-child(1) time').all();
    return Promise.all(cells.map(async (cell) => (await cell.getAttribute('datetime')) ?? ''));
  };
  const titlesOf = (page: Page): Promise<string[]> =>
    page.getByRole('table', { name: 'Requests', exact: true }).getByRole('columnheader').allInnerTexts();

  it('shows new requests at the top, each once, and holds them while it is read or paused', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage');
    await page.getByText('3 entries', { exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await chat('sandbox/chat');
    await page.getByText('4 entries', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Live' }).click();
    await chat('sandbox/chat');
    await chat('openai/gpt-none');
    await chat('quick');
    await page.getByRole('button', { name: 'Show 3 new requests' }).waitFor();
    await page.getByText('4 entries', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Show 3 new requests' }).click();
    await page.getByText('7 entries', { exact: true }).waitFor();
    const ofRows = await timesOf(page);
    expect(ofRows).toHaveLength(7);
    expect(new Set(ofRows).size).toBe(7);
    expect(ofRows).toEqual(ofRows.toSorted().toReversed());
    // A row with the focus stays where it is.
    await page.getByRole('button', { name: 'Live' }).click();
    await page.keyboard.press('j');
    await chat('sandbox/chat');
    await page.getByRole('button', { name: 'Show 1 new request' }).waitFor();
    expect(await rowsOf(page).count()).toBe(7);
    await page.getByRole('heading', { level: 1 }).click();
    await page.mouse.move(0, 0);
    await page.getByText('8 entries', { exact: true }).waitFor();
  });

  it('is read by keyboard', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage');
    await rowsOf(page).nth(2).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('k');
    const focused = page.locator('[role=row]:focus');
    await expect.poll(() => focused.getAttribute('aria-rowindex')).toBe('2');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => focused.getAttribute('aria-rowindex')).toBe('2');
    await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Model contains' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('?');
    await expect.poll(() => page.url()).toContain('modelContains=');
    await page.getByRole('searchbox', { name: 'Model contains' }).fill('');
    await rowsOf(page).first().focus();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Open the details').waitFor();
    await expectReadableAsIs(page, 'log-table-shortcuts');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });

  it('shows the chosen columns, keeps them for the user and has them in its URL', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage');
    await settled(page);
    await page.getByRole('button', { name: 'Columns' }).click();
    const menu = page.getByRole('dialog', { name: 'Columns' });
    for (const name of ['End user', 'Total tokens']) await menu.getByLabel(name).check();
    for (const name of ['Key', 'Input tokens', 'Output tokens', 'First token']) await menu.getByLabel(name).uncheck();
    await expectReadableAsIs(page, 'log-table-columns');
    await page.keyboard.press('Escape');
    const titles = ['Time', 'Status', 'Model', 'End user', 'Total\ntokens', 'Duration', 'Cost (USD)'];
    expect(await titlesOf(page)).toEqual(titles);
    expect(new URL(page.url()).searchParams.get('columns')).toBe('time,status,model,endUser,tokens,duration,cost');
    const shared = page.url();
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await page.goto('/billing/usage');
    await expect.poll(() => page.url()).toContain('columns=');
    await expect.poll(() => titlesOf(page)).toEqual(titles);
    await page.getByRole('button', { name: 'Comfortable rows' }).waitFor();
    await expectReadable(page, 'log-table-compact');
    const other = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    await other.page.goto(shared);
    await rowsOf(other.page).first().waitFor();
    expect(await titlesOf(other.page)).toEqual(titles);
    await other.close();
    await page.getByRole('button', { name: 'Comfortable rows' }).click();
  });

  it('is sorted by its titles and exported as it is shown', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage?columns=time,model,endUser,key,duration,cost&status=SUCCEEDED');
    const table = page.getByRole('table', { name: 'Requests', exact: true });
    await table.getByRole('button', { name: 'Duration' }).click();
    await table.locator('[role=columnheader][aria-sort=descending]').getByText('Duration').waitFor();
    await page.getByText('entries, of the latest 10,000 that match').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('duration_desc');
    expect(await page.getByRole('button', { name: 'Live' }).isDisabled()).toBe(true);
    await settled(page);
    const shown = await timesOf(page);
    expect(shown).toHaveLength(7);
    await expectReadable(page, 'log-table-sorted');
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('group').filter({ hasText: 'As shown' }).getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.split('\r\n')[0]).toBe('created_at,model,api_key_name,end_user,duration_ms,cost_usd');
    const rows = parseCsv(csv);
    expect(rows.map((row) => row.created_at)).toEqual(shown);
    expect(rows.filter((row) => row.end_user === "'=1+1")).toHaveLength(3);
    await table.getByRole('button', { name: 'Duration' }).click();
    await table.locator('[role=columnheader][aria-sort=ascending]').getByText('Duration').waitFor();
    await settled(page);
    const again = await timesOf(page);
    expect(again).toEqual(shown.toReversed());
  });

  it.each([1440, 1280, 1120, 390, 360])('cuts no cell with all columns at a width of %i px', async (width) => {
    const { page } = stage.visitor;
    await page.setViewportSize({ width, height: 900 });
    const all =
      'time,status,model,requested,provider,key,capability,protocol,endUser,session,error,input,cached,output,tokens,firstToken,duration,cost,finish';
    for (const columns of [all, 'time,status,model,key,input,output,firstToken,duration,cost']) {
      await page.goto(`/billing/usage?columns=${columns}`);
      await rowsOf(page).first().waitFor();
      await settled(page);
      expect(await cutCells(page)).toEqual([]);
      expect(await cutTexts(page)).toEqual([]);
      expect(await fitsWidth(page)).toBe(true);
    }
    await expectReadableAsIs(page, `log-table-${width}`);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
