import { expect, it } from 'vitest';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('the set-up of tools', (stage) => {
  it('has the address, the model and a new key, which works', async () => {
    const { page } = stage.visitor;
    await page.goto('/tools?model=sandbox%2Fchat');
    const code = page.getByRole('region', { name: 'Code' });
    const command = code.filter({ hasText: `base_url="${stage.account.url}/v1"` });
    await command.waitFor();
    expect(await command.textContent()).toContain('model=sandbox/chat');
    await page.getByRole('tab', { name: 'Claude Code' }).click();
    await code.filter({ hasText: `ANTHROPIC_BASE_URL=${stage.account.url}\n` }).waitFor();
    await page.getByRole('button', { name: 'Create Key for Claude Code' }).click();
    const line = page.getByText(/^export SLUICE_API_KEY=sk-sluice-\w+$/);
    const key = ((await line.textContent()) ?? '').split('=')[1] ?? '';
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${stage.account.url}/v1/models`, { headers })).status).toBe(200);
    await expectReadable(page, 'tools-key');
    await page.getByRole('tab', { name: 'n8n' }).click();
    await page.getByRole('button', { name: 'Copy the base URL' }).waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'n8n', selected: true }).waitFor();
    // A secret outlives no page.
    expect(await page.locator('body').innerText()).not.toContain(key);
  });

  it('creates a key that leads the names of an agent to the model', async () => {
    const { page } = stage.visitor;
    await page.goto('/tools?model=sandbox%2Fchat&tool=claude-code');
    await page.getByRole('checkbox', { name: 'Answer claude-* with this model' }).check();
    await expectReadable(page, 'tools-alias');
    await page.getByRole('button', { name: 'Create Key for Claude Code' }).click();
    const line = page.getByText(/^export SLUICE_API_KEY=sk-sluice-\w+$/);
    const key = ((await line.textContent()) ?? '').split('=')[1] ?? '';
    const messages = [{ role: 'user', content: 'Hello' }];
    const response = await fetch(`${stage.account.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-haiku-4-5', max_tokens: 100, messages }),
    });
    expect([response.status, await response.json()]).toMatchObject([200, { role: 'assistant' }]);
  });

  it('names a key whose secret is not known', async () => {
    const { page } = stage.visitor;
    await page.goto('/tools?model=sandbox%2Fchat&tool=claude-code');
    await page.getByLabel('API key', { exact: true }).selectOption({ index: 1 });
    await page.getByText(/^export SLUICE_API_KEY=<secret of .+>$/).waitFor();
    await page.getByText('Its secret was shown when it was created.').waitFor();
    expect(await page.getByRole('button', { name: 'Create Key for Claude Code' }).count()).toBe(0);
    await page.getByLabel('API key', { exact: true }).selectOption('');
    await page.getByRole('button', { name: 'Create Key for Claude Code' }).waitFor();
  });

  it('leads to a route for the names that agents request', async () => {
    const { page } = stage.visitor;
    await page.goto('/tools');
    await page.getByRole('link', { name: 'claude-*' }).click();
    const drawer = page.getByRole('dialog', { name: 'Create route' });
    expect(await drawer.getByLabel('Name', { exact: true }).inputValue()).toBe('claude-*');
  });
});
