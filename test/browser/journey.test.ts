import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';
import { beforeAll, expect, it } from 'vitest';
import { accessibilityFaults, photograph, settled, visit, type Visitor } from '../harness/chromium.ts';
import { describeInBrowser } from './stage.ts';

describeInBrowser('a new user', (stage) => {
  let visitor: Visitor;
  let guest: Visitor;
  let secret = '';

  beforeAll(async () => {
    visitor = await visit(stage.browser, stage.account.url);
    guest = await visit(stage.browser, stage.account.url);
  });

  it('is redirected to sign-in and back to the requested page', async () => {
    const { page } = visitor;
    await page.goto('/keys?revoked=true');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/keys?revoked=true');
    await page.getByLabel('E-mail').fill(stage.account.email);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  it.each([
    '//elsewhere.example/',
    String.raw`/\elsewhere.example/`,
    'https://elsewhere.example/',
    '/\t/elsewhere.example/',
  ])('is not redirected to another host by %j', async (next) => {
    const { page, context, requested } = guest;
    await context.clearCookies();
    await page.goto(`/sign-in?next=${encodeURIComponent(next)}#//elsewhere.example/`);
    await page.getByLabel('E-mail').fill(stage.account.email);
    await page.getByLabel('Password').fill(stage.account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(requested.filter((each) => new URL(each).host !== new URL(stage.account.url).host)).toEqual([]);
  });

  it('creates an account', async () => {
    const { page } = visitor;
    await page.goto('/sign-up');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill(`ada-${randomUUID()}@example.com`);
    await page.getByLabel('Password').fill('password');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('four quiet herons at dusk');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByRole('heading', { name: 'Your first request' }).waitFor();
  });

  it('creates a key, sends the sample request and sees it live', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Create Key' }).click();
    const code = page.getByRole('region', { name: 'Code' });
    await code.filter({ hasText: 'sk-sluice-' }).waitFor();
    [secret = ''] = /sk-sluice-\w+/.exec((await code.textContent()) ?? '') ?? [];
    expect(await code.textContent()).toContain(`${stage.account.url}/v1/chat/completions`);
    await page.getByText('Waiting for your first request').waitFor();
    await page.getByText('Connected').waitFor();

    const openai = new OpenAI({ baseURL: `${stage.account.url}/v1`, apiKey: secret });
    const answer = await openai.chat.completions
      .create({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello!' }] })
      .asResponse();
    expect(answer.status).toBe(200);

    await page.getByText(/sandbox\/chat responded in/).waitFor();
    await page.getByRole('list', { name: 'Live requests' }).getByText('Succeeded').waitFor();
    await page.getByRole('button', { name: /Requests 1 / }).waitFor();
  });

  it('finds it in the log with its timing and cost calculation, at a URL that can be shared', async () => {
    const { page } = visitor;
    await page.getByRole('list', { name: 'Live requests' }).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Usage Logs' }).waitFor();
    const rows = page.getByRole('table', { name: 'Requests', exact: true }).getByRole('row');
    await rows.nth(1).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Succeeded').first().waitFor();
    await drawer.getByRole('region', { name: 'Timing' }).waitFor();
    await drawer.getByRole('region', { name: 'Cost' }).waitFor();
    expect(new URL(page.url()).searchParams.get('log')).not.toBeNull();
    await page.reload();
    await page.getByRole('dialog').getByText('Succeeded').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('sees every filter of the log and removes it', async () => {
    const { page } = visitor;
    await page.goto('/billing/usage?provider=sandbox&status=FAILED');
    const usage = page.getByLabel('Usage over time');
    await usage.getByText('0 requests', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Provider: sandbox' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.has('provider')).toBe(false);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    // Its total, or a day of its table: days without requests say 0 again.
    await usage
      .getByText(/^[1-9]\d* requests?$/)
      .first()
      .waitFor({ state: 'attached' });
  });

  it('changes and revokes a key, which is refused immediately and still found by its link', async () => {
    const { page } = visitor;
    await page.getByRole('link', { name: 'API Keys' }).click();
    await page.getByRole('button', { name: 'First key' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Requests per minute').fill('50');
    await page.getByLabel('USD').fill('2.50');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Key updated.').first().waitFor();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('First key revoked.').first().waitFor();
    await page.reload();
    await page.getByRole('dialog', { name: 'First key' }).getByText('Revoked', { exact: true }).waitFor();
    const openai = new OpenAI({ baseURL: `${stage.account.url}/v1`, apiKey: secret, maxRetries: 0 });
    await expect(openai.models.list()).rejects.toMatchObject({ status: 401 });
  });

  it('filters the log by any of many keys, including a revoked one', async () => {
    const { page } = visitor;
    const query = 'mutation ($name: String!) { createApiKey(input: { name: $name }) { apiKey { id } } }';
    const create = async (name: string): Promise<void> => {
      const data = { query, variables: { name } };
      const answer = await page.request.post('/graphql', { data, headers: { 'apollo-require-preflight': 'true' } });
      expect(await answer.text()).toContain('"apiKey"');
    };
    await Promise.all(Array.from({ length: 101 }, (_, index) => create(`Key ${index + 1}`)));
    await page.goto('/billing/usage');
    await page.getByRole('button', { name: 'Key: Any key' }).click();
    await page.getByText('52 more').waitFor();
    await page.getByPlaceholder('Search API keys').fill('first');
    const found = page.getByRole('option');
    await expect.poll(() => found.allTextContents()).toEqual(['First keyRevoked']);
    await photograph(page, 'usage-logs-find-key-desktop-light');
    expect(await accessibilityFaults(page)).toEqual([]);
    await found.click();
    await page.getByRole('button', { name: 'Key: First key' }).waitFor();
    const rows = page.getByRole('table', { name: 'Requests', exact: true }).getByRole('row');
    await rows.nth(1).waitFor();
    await page.getByRole('button', { name: 'Key: First key' }).click();
    await page.getByPlaceholder('Search API keys').fill('KEY 57');
    await page.getByRole('option', { name: 'Key 57' }).click();
    await page.getByRole('button', { name: 'Key: Key 57' }).waitFor();
    await rows.nth(1).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Key: Key 57' }).click();
    await page.getByRole('option', { name: 'Any key' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.has('key')).toBe(false);
    await rows.nth(1).waitFor();
  });

  it('tries a model with a streamed response and navigates by keyboard', async () => {
    const { page } = visitor;
    await page.goto('/');
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/Search pages/).fill('sandbox/chat');
    await page.getByRole('option', { name: /sandbox\/chat/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /Sandbox chat/ }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(/tokens in \d/).waitFor();
    expect((await page.getByRole('log', { name: 'Response' }).textContent())?.length).toBeGreaterThan(0);
  });

  it('sees the release date of a model in every time zone', async () => {
    const storage = await visitor.context.storageState();
    const other = await visit(stage.browser, stage.account.url, { storage, timeZone: 'Pacific/Pago_Pago' });
    for (const path of [
      '/models',
      '/models/sandbox/chat',
      '/models/compare?ids=["sandbox/chat","sandbox/embedding"]',
    ]) {
      await other.page.goto(path);
      await other.page.getByText('20 Nov 2026').first().waitFor();
      expect(await other.page.getByText('19 Nov 2026').count()).toBe(0);
    }
    await other.close();
  });

  it('sets a budget for the account', async () => {
    const { page } = visitor;
    await page.goto('/billing/plan');
    await page.getByRole('button', { name: 'Set account budget' }).click();
    await page.getByLabel('USD').fill('0');
    await page.getByRole('button', { name: 'Set budget' }).click();
    const amount = page.getByRole('textbox', { name: 'Amount (USD)', description: 'Must be positive' });
    await amount.waitFor();
    await amount.fill('12.5');
    await page.getByRole('button', { name: 'Set budget' }).click();
    await page
      .getByText(/of \$12\.50 per month/)
      .first()
      .waitFor();
    expect(await page.getByText('reserved by running requests').count()).toBe(0);
  });

  it('sees the selected theme from the first paint', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    const html = await (await page.request.get('/keys', { headers: { accept: 'text/html' } })).text();
    expect(html).toContain('data-theme="dark"');
  });

  it('leaves no secret in storage or URLs, and sends no requests to other hosts', async () => {
    const { page, context, requested, errors } = visitor;
    const { cookies, origins } = await context.storageState();
    const kept = JSON.stringify(origins) + (await page.evaluate('JSON.stringify(sessionStorage) + document.cookie'));
    expect(secret).toMatch(/^sk-sluice-/);
    expect(kept).not.toContain('sk-sluice-');
    expect(kept).not.toContain('sluice_session');
    expect(cookies.find(({ name }) => name === 'sluice_session')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    const { host } = new URL(stage.account.url);
    expect(requested.length).toBeGreaterThan(20);
    expect(requested.filter((each) => new URL(each).host !== host)).toEqual([]);
    expect(requested.filter((each) => each.includes('sk-sluice-') || each.includes('herons'))).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('signs out, after which pages redirect to sign-in', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto('/billing/plan');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});
