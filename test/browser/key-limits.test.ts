import { expect, it } from 'vitest';
import { z } from 'zod';
import { expectReadableAsIs } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const rates = z.looseObject({ requestsPerMinute: z.number().nullable(), requestsPerDay: z.number().nullable() });
const told = z.object({
  data: z.object({
    apiKeys: z.object({
      nodes: z.array(
        z.object({
          limits: z.object({
            concurrency: z.number().nullable(),
            perModel: z.array(rates.extend({ model: z.string() })),
            perCapability: z.array(rates.extend({ capability: z.string() })),
          }),
        }),
      ),
    }),
  }),
});

describeInBrowser('the limits of a key', (stage) => {
  async function limits() {
    const query = `{ apiKeys(filter: { nameContains: "reports" }) { nodes { limits {
      concurrency perModel { model requestsPerMinute requestsPerDay } perCapability { capability requestsPerMinute requestsPerDay }
    } } } }`;
    const response = await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return told.parse(await response.json()).data.apiKeys.nodes[0]?.limits;
  }

  it('are set for models and capabilities, shown again and removed', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys?create=true');
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).fill('reports');
    await form.getByRole('button', { name: 'Limit a model' }).click();
    const model = form.getByRole('group', { name: 'Limit for a model' });
    await model.getByLabel('Model', { exact: true }).fill('sandbox/chat');
    await model.getByLabel('Requests per minute').fill('60');
    await form.getByRole('button', { name: 'Limit a capability' }).click();
    const capability = form.getByRole('group', { name: 'Limit for a capability' });
    await capability.getByLabel('Capability', { exact: true }).selectOption('images');
    await capability.getByLabel('Requests per day').fill('9');
    await capability.scrollIntoViewIfNeeded();
    await expectReadableAsIs(page, 'key-limits-desktop-light');
    await form.getByRole('button', { name: 'Create Key' }).click();
    await page.getByRole('dialog', { name: 'Key created' }).getByRole('button', { name: 'Done' }).click();
    expect(await limits()).toEqual({
      concurrency: null,
      perModel: [{ model: 'sandbox/chat', requestsPerMinute: 60, requestsPerDay: null }],
      perCapability: [{ capability: 'images', requestsPerMinute: null, requestsPerDay: 9 }],
    });

    await page.getByText('limits for sandbox/chat, limits for images', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: /^reports/ }).click();
    const drawer = page.getByRole('dialog', { name: 'reports' });
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    const kept = drawer.getByRole('group', { name: 'Limit for a capability' });
    expect(await kept.getByLabel('Requests per day').inputValue()).toBe('9');
    await drawer.getByRole('button', { name: 'Remove the limit for this model' }).click();
    await drawer.getByLabel('Concurrent requests').first().fill('7');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Key updated.', { exact: true }).waitFor();
    expect(await limits()).toEqual({
      concurrency: 7,
      perModel: [],
      perCapability: [{ capability: 'images', requestsPerMinute: null, requestsPerDay: 9 }],
    });
  });

  it('show their errors', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys?create=true');
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).fill('unbounded');
    await form.getByRole('button', { name: 'Limit a capability' }).click();
    await form.getByRole('button', { name: 'Create Key' }).click();
    await form.getByText('must contain at least one limit').waitFor();
  });

  it('show at their fields that a date is past, a budget is zero or a number is too large', async () => {
    const { page } = stage.visitor;
    await page.goto('/keys?create=true');
    const form = page.getByRole('dialog', { name: 'Create Key' });
    await form.getByLabel('Name', { exact: true }).fill('over');
    await form.getByLabel('Expires').fill('2020-01-01');
    await form.getByRole('button', { name: 'Create Key' }).click();
    await form.getByText('Must be in the future', { exact: true }).waitFor();
    expect(await form.getByLabel('Expires').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('Expires').fill('');
    await form.getByLabel('USD').fill('0');
    await form.getByRole('button', { name: 'Create Key' }).click();
    await form.getByText('Must be positive', { exact: true }).waitFor();
    expect(await form.getByLabel('USD').getAttribute('aria-invalid')).toBe('true');
    for (const label of ['Requests per minute', 'Cache responses for, in seconds']) {
      const field = form.getByLabel(label);
      await field.fill('99999999999');
      expect(await field.and(page.locator(':out-of-range')).count()).toBe(1);
    }
  });
});
