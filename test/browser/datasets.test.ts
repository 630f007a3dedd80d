import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { eventIdOf } from '../../src/gateway/event-id.ts';
import { toGlobalId } from '../../src/graphql/relay/global-id.ts';
import { settled, visit } from '../harness/chromium.ts';
import { joinTeam } from './membership.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('datasets', (stage) => {
  async function send(content: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const { url, apiKey } = stage.account;
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content }] }),
    });
    expect(response.status, await response.text()).toBe(200);
    await stage.logged(response);
    return toGlobalId('UsageLog', eventIdOf(response.headers.get('x-request-id') ?? '') ?? '');
  }

  it('begin empty, and teach what to do', async () => {
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: stage.account.cookie },
      body: JSON.stringify({ query: 'mutation { updateContentLogging(input: { level: FULL }) { id } }' }),
    });
    expect(await response.text()).not.toContain('errors');
    const { page } = stage.visitor;
    await page.goto('/datasets');
    await page.getByText('No datasets yet').waitFor();
    await expectReadable(page, 'datasets-empty');
  });

  it('are created and filled from selected rows of Usage Logs', async () => {
    for (const content of ['I am jane@example.com', 'What is a sluice?']) await send(content);
    await send('Not logged', { 'x-sluice-log': 'off' });
    const { page } = stage.visitor;
    await page.goto('/billing/usage');
    const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row');
    await rows.nth(3).waitFor();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await expectReadable(page, 'datasets-select');
    for (const box of await page.getByRole('table', { name: 'Requests' }).getByRole('checkbox').all())
      await box.check();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const bar = page.getByRole('toolbar', { name: 'Selected requests' });
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Add to dataset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add 3 requests to a dataset' });
    await dialog.getByLabel('Name').fill('Support questions');
    await settled(page);
    await expectReadable(page, 'datasets-add');
    await dialog.getByRole('button', { name: 'Create dataset' }).click();
    await dialog.getByText('2 items added to Support questions.').waitFor();
    await dialog.getByText('1 skipped:').waitFor();
    await settled(page);
    await expectReadable(page, 'datasets-added');
    await dialog.getByRole('link', { name: 'Support questions' }).click();
    await page.getByRole('heading', { name: 'Support questions' }).waitFor();
  });

  it('show their items with input and output', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: 'I am [redacted:email]' }).waitFor();
    await expectReadable(page, 'dataset');
    await page.getByRole('button', { name: 'I am [redacted:email]' }).click();
    const drawer = page.getByRole('dialog', { name: 'Item' });
    await drawer.getByRole('region', { name: 'Input' }).getByText('redacted: email').waitFor();
    await drawer.getByRole('region', { name: 'Output' }).waitFor();
    await settled(page);
    await expectReadable(page, 'dataset-item');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  it('are exported in each format', async () => {
    const { page } = stage.visitor;
    for (const [label, member] of [
      ['Input, output and metadata', 'metadata'],
      ['OpenAI fine-tuning', 'messages'],
      ['OpenAI evals', 'item'],
    ] as const) {
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: label }).click(),
      ]);
      const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
      expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([
        expect.arrayContaining([member]),
        expect.arrayContaining([member]),
      ]);
    }
  });

  it('say why they are not exported, and ask before items are left out', async () => {
    const { page } = stage.visitor;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let code = 'conflict';
    await page.route('**/exports/dataset.jsonl*', async (route) => {
      await released;
      const json = { error: { code, message: `Refused: ${code}.` } };
      return route.request().method() === 'HEAD'
        ? route.fulfill({ status: 409 })
        : route.fulfill({ status: 409, json });
    });
    const button = page.getByRole('button', { name: 'Export' });
    const choose = async (): Promise<void> => {
      await button.click();
      await page.getByRole('menuitem', { name: 'OpenAI evals' }).click();
    };
    await choose();
    await expect.poll(() => button.getAttribute('aria-busy')).toBe('true');
    release();
    await page.getByText('Refused: conflict.').first().waitFor();
    await expect.poll(() => button.getAttribute('aria-busy')).toBeNull();
    code = 'dataset_items_unreadable';
    await choose();
    const dialog = page.getByRole('dialog', { name: 'Export without unreadable items?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.unrouteAll({ behavior: 'wait' });
  });

  it('get a single request from its details', async () => {
    const id = await send('A third request');
    const { page } = stage.visitor;
    await page.goto(`/billing/usage?log=${encodeURIComponent(id)}`);
    const content = page.getByRole('dialog').getByRole('region', { name: 'Content' });
    await content.getByText('A third request').first().waitFor();
    await content.getByRole('button', { name: 'Add to dataset' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add 1 request to a dataset' });
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.getByText('1 item added to').waitFor();
    await dialog.getByRole('link', { name: 'Support questions' }).click();
    await page.getByText('3 items,').waitFor();
  });

  it('are read, not changed, by a viewer', async () => {
    const viewer = { name: 'Vera', email: `vera-${Date.now()}@example.com`, password: 'correct horse battery' };
    const cookie = await joinTeam(stage.account, viewer, 'VIEWER');
    const { page, close } = await visit(stage.browser, stage.account.url, { cookie });
    await page.goto('/datasets');
    await page.getByRole('button', { name: 'Support questions' }).click();
    await page.getByRole('button', { name: 'A third request' }).waitFor();
    for (const name of ['Delete dataset', 'Save'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await close();
  });

  it('are renamed, and lose items and themselves once that is confirmed', async () => {
    const { page } = stage.visitor;
    await page.getByLabel('Name').fill('Renamed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Renamed' }).waitFor();
    await page.getByRole('button', { name: 'A third request' }).click();
    await page.getByRole('dialog', { name: 'Item' }).waitFor();
    const link = page.url();
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: 'Select the item A third request' }).check();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('2 items,').waitFor();
    await page.goto(link);
    await page.getByRole('dialog', { name: 'Item' }).getByText('Item not found in this account.').waitFor();
    await page.goto('/datasets');
    await page.getByRole('button', { name: 'Renamed' }).waitFor();
    await expectReadable(page, 'datasets');
    await page.getByRole('button', { name: 'Renamed' }).click();
    await page.getByRole('button', { name: 'Delete dataset' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete dataset' }).click();
    await page.getByText('No datasets yet').waitFor();
  });
});
