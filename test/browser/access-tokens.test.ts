import { expect, it } from 'vitest';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the access tokens of a key', (stage) => {
  it('are created, listed and revoked', async () => {
    const { page, errors } = stage.visitor;
    await page.goto('/keys');
    await page.getByText('First key').first().click();
    await page.getByRole('tab', { name: 'Tokens' }).click();
    await page.getByText('This key has no active tokens.').waitFor();
    await page.getByRole('button', { name: 'Create token' }).click();
    const token = await page.getByText(/^st-sluice-/).innerText();
    const models = async (): Promise<number> =>
      (await fetch(`${stage.account.url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await models()).toBe(200);
    const list = page.getByRole('list', { name: 'Access tokens' });
    await list.getByRole('listitem').waitFor();
    await list.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Token revoked.', { exact: true }).waitFor();
    await page.getByText('This key has no active tokens.').waitFor();
    expect(await models()).toBe(401);
    expect(errors).toEqual([]);
  });

  it('are recommended beside a new key, with a warning against its use in frontend applications', async () => {
    const { page, context } = stage.visitor;
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create Key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).fill('website');
    await form.getByRole('button', { name: 'Create Key' }).click();
    const drawer = page.getByRole('dialog', { name: 'Key created' });
    await drawer
      .getByText('Do not place this key in frontend applications or public repositories.', { exact: true })
      .waitFor();
    await expectReadable(page, 'key-created');
    const opened = context.waitForEvent('page');
    await drawer.getByRole('link', { name: 'Create an access token' }).click();
    const tokens = (await opened).getByRole('dialog', { name: 'website' });
    await tokens.getByRole('tab', { name: 'Tokens', selected: true }).waitFor();
  });
});
