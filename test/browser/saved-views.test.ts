import { expect, it } from 'vitest';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('saved views', (stage) => {
  it('are saved, opened by another page load, renamed, replaced, shared and deleted', async () => {
    const { page } = stage.visitor;
    const menu = async (item: string): Promise<void> => {
      await page.getByRole('button', { name: 'Views', exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await page.goto('/analytics?by=key&model=sandbox%2Fchat');
    await menu('Save this view');
    const form = page.getByRole('dialog', { name: 'Save this view' });
    await form.getByLabel('Name', { exact: true }).fill('Chat by key');
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.waitFor({ state: 'detached' });

    await page.goto('/analytics');
    await menu('Chat by key');
    await page.waitForURL(/by=key/);
    expect(new URL(page.url()).searchParams.get('model')).toBe('sandbox/chat');

    await page.goto('/analytics?by=provider');
    await menu('Manage views');
    const drawer = page.getByRole('dialog', { name: 'Saved views' });
    const row = drawer.getByRole('listitem');
    await row.getByRole('button', { name: 'Replace with this page' }).click();
    await row.getByText('Shown', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Rename' }).click();
    await row.getByLabel('Name', { exact: true }).fill('By provider');
    await row.getByRole('button', { name: 'Rename' }).click();
    await row.getByText('By provider', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Share', exact: true }).click();
    await row.getByText('Shared', { exact: true }).waitFor();
    await expectReadable(page, 'saved-views');

    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete “By provider”?' }).getByRole('button', { name: 'Delete' }).click();
    await drawer.getByText('No saved views').waitFor();
  });

  it('belong to their page', async () => {
    const { page } = stage.visitor;
    await page.goto('/billing/usage?model=sandbox%2Fchat');
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    const form = page.getByRole('dialog', { name: 'Save this view' });
    await form.getByLabel('Name', { exact: true }).fill('Chats');
    await form.getByLabel('Share with the account').check();
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByText('Shared with the account').waitFor();
    await page.getByRole('menuitem', { name: 'Chats' }).waitFor();
    await page.goto('/analytics');
    await page.getByRole('button', { name: 'Views', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Chats' }).count()).toBe(0);
  });
});
