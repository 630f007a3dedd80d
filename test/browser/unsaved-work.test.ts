import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { settled, visit } from '../harness/chromium.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('unsaved input', (stage) => {
  it('is not discarded by Escape while a form is filled', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys');
    await page.getByRole('button', { name: 'Create Key' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Create Key' }).first().click();
    await form.getByLabel('Name', { exact: true }).fill('embedder');
    await form.getByLabel('Models', { exact: true }).fill('sandbox/embedding');
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('embedder');
  });

  it('becomes a key, shown with sample code and a warning about its use', async () => {
    const { page } = stage.visitor;
    await page.getByRole('dialog', { name: 'Create Key' }).getByRole('button', { name: 'Create Key' }).click();
    const drawer = page.getByRole('dialog', { name: 'Key created' });
    const code = drawer.getByRole('region', { name: 'Code' });
    await code.filter({ hasText: 'sandbox/embedding' }).filter({ hasText: '/v1/embeddings' }).waitFor();
    expect(await code.textContent()).toContain('sk-sluice-');
    expect(await code.textContent()).not.toContain('sandbox/chat');
    await drawer.getByText('Do not place this key in frontend applications or public repositories').waitFor();
    const link = await drawer.getByRole('link', { name: 'Create an access token' }).getAttribute('href');
    await expectReadable(page, 'new-key');

    const other = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    await other.page.goto(link ?? '');
    await other.page.getByRole('dialog', { name: 'embedder' }).getByText('Expires in').waitFor();
  });

  it('is not lost by Escape while a key is shown', async () => {
    const { page } = stage.visitor;
    const drawer = page.getByRole('dialog', { name: 'Key created' });
    const question = page.getByRole('dialog', { name: 'Have you copied it?' });
    await page.keyboard.press('Escape');
    await question.getByText('shown only once').waitFor();
    await expectReadable(page, 'new-key-question');
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await drawer.getByRole('button', { name: 'Done' }).click();
    await drawer.waitFor({ state: 'detached' });
  });

  it('closes without a confirmation once it is saved', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: /^embedder/ }).click();
    const drawer = page.getByRole('dialog', { name: 'embedder' });
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    await drawer.getByLabel('Requests per day').first().fill('9');
    await drawer.getByRole('button', { name: 'Save' }).click();
    const notice = page.getByText('Key updated.', { exact: true });
    await notice.waitFor();
    // The first closes the notice.
    await page.keyboard.press('Escape');
    await notice.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });

  it('includes a request, by its id in the command palette', async () => {
    const { page } = stage.visitor;
    const openai = new OpenAI({ baseURL: `${stage.account.url}/v1`, apiKey: stage.account.apiKey });
    const answer = await openai.chat.completions
      .create({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] })
      .asResponse();
    const id = answer.headers.get('x-request-id') ?? '';
    await page.goto('/billing/usage');
    await page.getByRole('table', { name: 'Requests', exact: true }).getByRole('row').nth(1).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/Search pages/).fill(id);
    await page.getByRole('option', { name: new RegExp(id) }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'sandbox/chat' }).getByText(id).waitFor();
  });

  it('includes a model that is selected by Enter as soon as it is typed', async () => {
    const { page } = stage.visitor;
    await page.goto('/playground?capability=chat&model=sandbox/chat');
    await settled(page);
    await page.getByRole('button', { name: /^Model:/ }).click();
    await page.getByPlaceholder('Find a model').pressSequentially('lane-3');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Model: lane-3' }).waitFor();
  });
});
