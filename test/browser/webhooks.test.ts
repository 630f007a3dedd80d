import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const answerForm = z.object({ data: z.object({ webhooks: z.array(z.record(z.string(), z.unknown())) }) });
const operationForm = z.looseObject({ operationName: z.string() });
const state = {
  lastAttemptAt: '2026-11-24T12:00:00.000Z',
  lastFailure: 'it returned status 500',
  lastStatus: 500,
  failingSince: '2026-11-21T12:00:00.000Z',
  disabledAt: '2026-11-24T12:00:00.000Z',
};

describeInBrowser('a webhook that fails', (stage) => {
  beforeAll(async () => {
    const query = 'mutation { createWebhook(input: { url: "https://example.com/hook" }) { webhook { id } } }';
    await fetch(`${stage.account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.account.apiKey}` },
      body: JSON.stringify({ query }),
    });
  });

  it('shows since when it failed when it is disabled, and is enabled by one button', async () => {
    const { page } = stage.visitor;
    let isDisabled = true;
    await page.route('**/graphql', async (route) => {
      const { operationName } = operationForm.parse(route.request().postDataJSON());
      if (operationName === 'EnableWebhook') isDisabled = false;
      if (operationName !== 'Webhooks' || !isDisabled) return route.fallback();
      const response = await route.fetch();
      const { data } = answerForm.parse(await response.json());
      const webhooks = data.webhooks.map((webhook) => ({ ...webhook, ...state }));
      return route.fulfill({ response, json: { data: { webhooks } } });
    });
    await page.goto('/hooks');
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByText(/^after failing since .*2026/).waitFor();
    await expectReadable(page, 'webhooks-disabled');
    const heading = page.getByRole('heading', { level: 1, name: 'Webhooks' });
    const line = await heading.boundingBox();
    await page.setViewportSize({ width: 390, height: 844 });
    expect((await heading.boundingBox())?.height).toBe(line?.height);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'https://example.com/hook' }).click();
    const drawer = page.getByRole('dialog', { name: 'Webhook' });
    await drawer.getByText(/^after failing since/).waitFor();
    await drawer.getByText('it returned status 500').waitFor();
    await drawer.getByText('Every delivery failed for three days, so this webhook is disabled.').waitFor();
    await expectReadable(page, 'webhook-disabled');
    await drawer.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Webhook enabled').first().waitFor();
    await drawer.getByText('No attempts yet').waitFor();
    expect(await page.getByText('Disabled', { exact: true }).count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it.each([
    [500, 'The event is retried within an hour.'],
    [410, 'The server responded with 410 (gone), so the event is not retried.'],
  ])('shows whether an event with response %i is retried', async (lastStatus, text) => {
    const { page } = stage.visitor;
    await page.route('**/graphql', async (route) => {
      if (operationForm.parse(route.request().postDataJSON()).operationName !== 'Webhooks') return route.fallback();
      const response = await route.fetch();
      const { data } = answerForm.parse(await response.json());
      const webhooks = data.webhooks.map((webhook) => ({ ...webhook, ...state, lastStatus, disabledAt: null }));
      return route.fulfill({ response, json: { data: { webhooks } } });
    });
    await page.goto('/hooks');
    await page.getByRole('button', { name: 'https://example.com/hook' }).click();
    const drawer = page.getByRole('dialog', { name: 'Webhook' });
    await drawer.getByText(`${text} If every delivery fails for three days, the webhook is disabled.`).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
