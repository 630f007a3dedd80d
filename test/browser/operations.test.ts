import OpenAI from 'openai';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { json, refusal, type FakeProvider } from '../harness/fake-provider.ts';
import { accessibilityFaults, photograph, settled, visit, type Visitor } from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

const operationForm = z.looseObject({ operationName: z.string() });
const answerForm = z.object({ data: z.record(z.string(), z.unknown()) });
const SECRET = 'sk-of-the-account-0123456789abcd';

describeInBrowser('an administrator of the account', (stage) => {
  let provider: FakeProvider;
  let phone: Visitor;

  beforeAll(async () => {
    ({ provider } = stage.account);
    phone = await visit(stage.browser, stage.account.url, {
      size: 'phone',
      theme: 'dark',
      cookie: stage.account.cookie,
    });
  });

  it('sees that no provider is connected when the operator has none either', async () => {
    const { page } = stage.visitor;
    await page.route('**/graphql', async (route) => {
      const { operationName } = operationForm.parse(route.request().postDataJSON());
      if (operationName !== 'Providers') return route.fallback();
      const response = await route.fetch();
      const { data } = answerForm.parse(await response.json());
      await route.fulfill({ response, json: { data: { ...data, providerStates: [] } } });
    });
    await page.goto('/providers');
    await page.getByText('No providers connected yet').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('connects a provider, sees the result of its test, and never sees the key again', async () => {
    const { page } = stage.visitor;
    provider.answerWith(json(200, { object: 'list', data: [{ id: 'gpt-5.5', object: 'model' }] }));
    await page.goto('/providers');
    await page.getByText('Built in').waitFor();
    await page.getByLabel('Find a provider').fill('groq');
    await page.getByRole('button', { name: /^Groq/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Connect Groq' });
    await drawer.getByLabel('API key').fill(SECRET);
    await drawer.getByLabel('Base URL').fill(provider.url);
    provider.answerWith(refusal(401, `no such key: ${SECRET}`));
    await drawer.getByRole('button', { name: 'Connect and test' }).click();
    await drawer.getByText(/with status 401. Provider message: no such key: \[removed\]/).waitFor();
    await drawer.getByRole('button', { name: 'Save anyway' }).waitFor();
    await seen('connect-failed');
    provider.answerWith(json(200, { object: 'list', data: [{ id: 'gpt-5.5', object: 'model' }] }));
    await drawer.getByRole('button', { name: 'Connect and test' }).click();
    const opened = page.getByRole('dialog', { name: 'Groq' });
    await opened.getByText('The provider lists 1 model.').waitFor();
    await opened.getByText(/abcd$/).waitFor();
    expect(await page.content()).not.toContain(SECRET);
    expect(new URL(page.url()).searchParams.get('provider')).toBe('groq');
    await seen('provider-connected');
  });

  it('sees that it fails, and changes the key', async () => {
    const { page } = stage.visitor;
    provider.answerWith(refusal(401, 'no such key'));
    const drawer = page.getByRole('dialog', { name: 'Groq' });
    await drawer.getByRole('button', { name: 'Test now' }).click();
    await drawer.getByText('Failing', { exact: true }).waitFor();
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'groq/gpt-5.5', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('provider_credentials')]);
    // A request is stored shortly after its response.
    await expect
      .poll(
        async () => {
          await page.reload();
          await settled(page);
          return drawer.getByText('HTTP 401: no such key').count();
        },
        { timeout: 120_000, interval: 1_000 },
      )
      .toBe(1);
    await seen('provider-failing');
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    await drawer.getByLabel('API key').fill('sk-of-the-account-another-key-9876');
    await drawer.getByRole('button', { name: 'Test and save' }).click();
    await drawer.getByText(/The connection was not saved/).waitFor();
    provider.answerWith(json(200, { object: 'list', data: [{ id: 'gpt-5.5', object: 'model' }] }));
    await drawer.getByRole('button', { name: 'Test and save' }).click();
    await page.getByText('Connection updated.').first().waitFor();
    await drawer.getByRole('tab', { name: 'Status' }).click();
    await drawer.getByText(/9876$/).waitFor();
    await drawer.getByText('The provider lists 1 model.').waitFor();
  });

  it('creates a route with a fallback and previews its routing', async () => {
    const { page } = stage.visitor;
    await page.goto('/routes');
    await page.getByRole('button', { name: 'everyones' }).waitFor();
    await page.getByText('Alias', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Create route' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create route' });
    await drawer.getByLabel('Name').fill('everyday');
    await drawer.getByLabel('Target 1', { exact: true }).fill('groq/gpt-5.5');
    await drawer.getByLabel('Target 2', { exact: true }).fill('groq/gpt-5.5');
    await drawer.getByText('This target is already listed.').waitFor();
    await drawer.getByLabel('Target 2', { exact: true }).fill('sandbox/chat');
    await seen('make-route-filled');
    await drawer.getByRole('button', { name: 'Create route' }).click();
    const steps = page.getByRole('list', { name: 'Targets in order' }).getByRole('listitem');
    await steps.nth(1).waitFor();
    expect(await steps.nth(0).textContent()).toContain('groq/gpt-5.5');
    expect(await steps.nth(0).textContent()).toContain('Your key');
    expect(await steps.nth(1).textContent()).toContain('sandbox/chat');
    await seen('routes-filled');

    provider.answerWith(refusal(500, 'broken'));
    const openai = new OpenAI({ baseURL: `${stage.account.url}/v1`, apiKey: stage.account.apiKey });
    const answer = await openai.chat.completions.create({
      model: 'everyday',
      messages: [{ role: 'user', content: 'Hello!' }],
    });
    expect(answer.model).toContain('chat');
  });

  it('sees in the log why another target answered', async () => {
    const { page } = stage.visitor;
    const response = await fetch(`${stage.account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stage.account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'everyday', messages: [{ role: 'user', content: 'Again' }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
    const row = page.getByLabel('Requests', { exact: true }).getByText('sandbox/chat').first();
    // A request is stored shortly after its response.
    await expect
      .poll(
        async () => {
          await page.goto(`/billing/usage?requestId=${response.headers.get('x-request-id')}`);
          await settled(page);
          return row.count();
        },
        { timeout: 120_000, interval: 1_000 },
      )
      .toBe(1);
    await row.click();
    const routing = page.getByRole('dialog').getByRole('region', { name: 'Routing' });
    await routing.getByText('Targets are tried in the order of the route.').waitFor();
    await routing.scrollIntoViewIfNeeded();
    await seen('log-routing');
    await page.goto('/routes');
  });

  it('changes the target order of the route and deletes it', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: 'everyday', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'everyday' });
    await drawer.getByRole('button', { name: 'Move target 2 up' }).click();
    await drawer.getByLabel('Target order').selectOption('LISTED');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    const steps = page.getByRole('list', { name: 'Targets in order' }).getByRole('listitem');
    await steps.nth(0).getByText('sandbox/chat', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'everyday', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete route' }).click();
    await page.getByRole('heading', { name: 'No routes yet' }).waitFor();
  });

  it('disconnects the provider', async () => {
    const { page } = stage.visitor;
    await page.goto('/providers?provider=groq');
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Groq disconnected.').first().waitFor();
    const connected = page.getByRole('table', { name: 'Connected providers' });
    await connected.waitFor();
    // The table shows the previous rows until it is reloaded.
    await connected.getByText('Groq').first().waitFor({ state: 'detached' });
    expect(stage.visitor.errors).toEqual([]);
  });

  /** Checks the current page, and its URL at phone size. */
  async function seen(name: string): Promise<void> {
    const { page } = stage.visitor;
    await photograph(page, `${name}-desktop-light`);
    expect(await accessibilityFaults(page)).toEqual([]);
    // The input of a form is not in the URL.
    if (name.startsWith('make-')) return;
    await phone.page.goto(page.url());
    await settled(phone.page);
    await photograph(phone.page, `${name}-phone-dark`);
    expect(await accessibilityFaults(phone.page)).toEqual([]);
    expect(phone.errors).toEqual([]);
  }
});
