import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('a model name in a form', (stage) => {
  /** Waits until a field shows its error and has the focus. */
  async function expectFault(field: Locator, text: string): Promise<void> {
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    const note = await field.getAttribute('aria-describedby');
    expect(await stage.visitor.page.locator(`[id="${note}"]`).textContent()).toContain(text);
    const id = await field.getAttribute('id');
    await expect.poll(() => stage.visitor.page.evaluate('document.activeElement?.id')).toBe(id);
  }

  it('is refused as target of a route with a suggestion, or saved anyway', async () => {
    const { page } = stage.visitor;
    await page.goto('/routes');
    await page.getByRole('button', { name: 'Create route' }).first().click();
    const form = page.getByRole('dialog', { name: 'Create route' });
    await form.getByLabel('Name').fill('misspelled');
    const [first, second] = [
      form.getByLabel('Target 1', { exact: true }),
      form.getByLabel('Target 2', { exact: true }),
    ];
    await first.fill('sandbox/chat');
    await second.fill('sandbox/caht');
    const save = form.getByRole('button', { name: 'Create route' });
    await save.click();
    await expectFault(second, 'Did you mean `sandbox/chat`?');
    expect(await form.getByRole('button', { name: 'Save anyway' }).count()).toBe(0);
    await second.fill('anthropic/claude-of-tomorrow');
    expect(await second.getAttribute('aria-invalid')).toBe('false');
    await form.getByLabel('Model for long inputs').fill('opnai/gpt-4o');
    await save.click();
    await expectFault(second, 'save it anyway');
    await expectReadable(page, 'model-name-of-route');
    await form.getByRole('button', { name: 'Save anyway' }).click();
    const larger = form.getByLabel('Model for long inputs');
    await expectFault(larger, 'Did you mean `openai/gpt-4o`?');
    await larger.fill('openai/gpt-4o');
    await save.click();
    await form.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByText('Route saved. It applies from the next request.').first().waitFor();
  });

  it('is refused as model of a key with a suggestion, or saved anyway', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys?create=true');
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).fill('misspelled');
    const models = form.getByLabel('Models', { exact: true });
    await models.fill('sandbox/chat, sandbox/imgae');
    await form.getByRole('button', { name: 'Limit a model' }).click();
    const limit = form.getByRole('group', { name: 'Limit for a model' });
    await limit.getByLabel('Model', { exact: true }).fill('misspeled');
    await limit.getByLabel('Concurrent requests').fill('1');
    const create = form.getByRole('button', { name: 'Create Key' });
    await create.click();
    await expectFault(models, 'Did you mean `sandbox/image`?');
    await models.fill('sandbox/chat, openai/gpt-of-tomorrow');
    await create.click();
    await expectFault(models, 'save it anyway');
    await expectReadable(page, 'model-name-of-key');
    await form.getByRole('button', { name: 'Save anyway' }).click();
    await expectFault(limit.getByLabel('Model', { exact: true }), 'Did you mean `misspelled`?');
    await limit.getByLabel('Model', { exact: true }).fill('misspelled');
    await create.click();
    await form.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByRole('dialog', { name: 'Key created' }).getByRole('button', { name: 'Done' }).click();
  });

  it('that a key already has is accepted when the key is changed', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: /^misspelled/ }).click();
    const drawer = page.getByRole('dialog', { name: 'misspelled' });
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    const models = drawer.getByLabel('Models', { exact: true });
    expect(await models.inputValue()).toBe('sandbox/chat, openai/gpt-of-tomorrow');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Key updated.', { exact: true }).waitFor();
    await models.fill('sandbox/chat, opnai/gpt-4o');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await expectFault(models, 'Did you mean `openai/gpt-4o`?');
    expect(stage.visitor.errors).toEqual([]);
  });
});
