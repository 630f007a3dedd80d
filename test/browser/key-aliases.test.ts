import { expect, it } from 'vitest';
import { z } from 'zod';
import { expectReadableAsIs } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const told = z.object({
  data: z.object({
    apiKeys: z.object({
      nodes: z.array(z.object({ modelAliases: z.array(z.object({ name: z.string(), model: z.string() })) })),
    }),
  }),
});

describeInBrowser('the aliases of a key', (stage) => {
  async function aliases() {
    const query = '{ apiKeys(filter: { nameContains: "agent" }) { nodes { modelAliases { name model } } } }';
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return told.parse(await response.json()).data.apiKeys.nodes[0]?.modelAliases;
  }

  it('are set, corrected, shown again and removed', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys?create=true');
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).fill('agent');
    for (const [at, name, model] of [
      [0, 'claude-*', 'sandbox/chat'],
      [1, 'gpt-*', 'sandbox/chatt'],
    ] as const) {
      await form.getByRole('button', { name: 'Add an alias' }).click();
      const alias = form.getByRole('group', { name: 'Alias', exact: true }).nth(at);
      await alias.getByLabel('Requested name').fill(name);
      await alias.getByLabel('Model or route').fill(model);
    }
    await form.getByRole('button', { name: 'Create Key' }).click();
    const second = form.getByRole('group', { name: 'Alias', exact: true }).nth(1);
    await second.getByText('Did you mean `sandbox/chat`?').waitFor();
    await second.scrollIntoViewIfNeeded();
    await expectReadableAsIs(page, 'key-aliases-desktop-light');
    await second.getByLabel('Model or route').fill('sandbox/chat');
    await form.getByRole('button', { name: 'Create Key' }).click();
    await page.getByRole('dialog', { name: 'Key created' }).getByRole('button', { name: 'Done' }).click();
    expect(await aliases()).toEqual([
      { name: 'claude-*', model: 'sandbox/chat' },
      { name: 'gpt-*', model: 'sandbox/chat' },
    ]);

    await page.getByRole('button', { name: /^agent/ }).click();
    const drawer = page.getByRole('dialog', { name: 'agent' });
    await drawer.getByText('claude-* → sandbox/chat, gpt-* → sandbox/chat').waitFor();
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    await drawer.getByRole('button', { name: 'Remove this alias' }).first().click();
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Key updated.', { exact: true }).first().waitFor();
    expect(await aliases()).toEqual([{ name: 'gpt-*', model: 'sandbox/chat' }]);
  });
});
