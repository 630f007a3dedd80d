import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  drawn,
  chromiumPath,
  cutCells,
  openBrowser,
  visit,
  type SharedBrowser,
  type Visitor,
} from '../harness/chromium.ts';
import { completion } from '../harness/fake-provider.ts';
import { post } from '../harness/graphql-client.ts';
import { queryRunning, rowId, sqlText } from '../harness/running-database.ts';
import { expectReadable, expectReadableAsIs } from './looks.ts';
import { newBrowserAccount, type BrowserAccount } from './product.ts';

describe.skipIf(chromiumPath === null)('the pages of an account', () => {
  let account: BrowserAccount;
  let browser: SharedBrowser;
  let visitor: Visitor;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
  });

  beforeEach(async () => {
    account = await newBrowserAccount();
    visitor = await visit(browser, account.url, { cookie: account.cookie });
    return async () => {
      expect(visitor.errors).toEqual([]);
      await visitor.close();
      await account.dispose();
    };
  });

  const ask = async (query: string, variables: object = {}) =>
    (await post(account.url, { query, variables }, { cookie: account.cookie })).data ?? {};

  it('show the signed-in user in a menu with settings, documentation and sign-out', async () => {
    const { page } = visitor;
    await page.goto('/');
    const rail = page.getByRole('complementary').first();
    await rail.getByText(account.email, { exact: true }).waitFor();
    const documentation = [
      ['API reference', '/v1/chat/completions'],
      ['Guide', '/docs/guide/quickstart'],
    ] as const;
    for (const [name, text] of documentation) {
      const href = await rail.getByRole('link', { name, exact: true }).getAttribute('href');
      const docs = await page.request.get(href ?? '');
      expect(await docs.text()).toContain(text);
    }
    await rail.getByRole('button', { name: `Account menu: ${account.email}` }).click();
    for (const [name] of documentation) await page.getByRole('menuitem', { name, exact: true }).waitFor();
    await expectReadableAsIs(page, 'account-menu');
    await page.getByRole('menuitem', { name: 'Profile and sign-in' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await expectReadable(page, 'shell');
  });

  it('create keys with the same default for live content as the API', async () => {
    const { page } = visitor;
    await page.goto('/keys?create=true');
    const box = page.getByRole('dialog').locator('input[name="liveContent"]');
    const [made] = (await ask('{ apiKeys(first: 1) { nodes { liveContent } } }')).apiKeys.nodes;
    expect(made.liveContent).toBe(true);
    await expect.poll(() => box.isChecked()).toBe(true);
  });

  it('explain the cost of a model without a known price', async () => {
    const { page } = visitor;
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await ask(connect, { input: { provider: 'openai', apiKey: 'key', baseUrl: account.provider.url } });
    account.provider.answerWith(completion());
    const response = await fetch(`${account.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openai/unknown-model', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(response.status).toBe(200);
    const requestId = response.headers.get('x-request-id') ?? '';
    const logged = '{ usageLogs(first: 10) { nodes { id requestId } } }';
    await expect.poll(async () => (await ask(logged)).usageLogs.nodes).toMatchObject([{ requestId }]);
    await page.goto(`/billing/usage?requestId=${requestId}`);
    const table = page.getByRole('table', { name: 'Requests' });
    const row = table.locator('[data-index]').filter({ hasText: 'unknown-model' });
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      await row.getByText('No price', { exact: true }).filter({ visible: true }).waitFor();
      expect(await row.innerText()).not.toContain('0.00');
      expect(await cutCells(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await drawn(page);
    await table.getByTitle('openai/unknown-model').click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('No price is known for this model, so its cost is counted as $0.00.').waitFor();
    expect(await drawer.getByText('Price version').count()).toBe(0);
  });

  it('show prices per million or per thousand tokens, as selected', async () => {
    const { page } = visitor;
    const connect = 'mutation ($input: ConnectProviderInput!) { connectProvider(input: $input) { id } }';
    await ask(connect, { input: { provider: 'openai', apiKey: 'key', baseUrl: account.provider.url } });
    const model = '{ model(id: "openai/gpt-4.1") { pricing { input } } }';
    const million = Number((await ask(model)).model.pricing.input);
    expect(million).toBeGreaterThan(0);
    await page.goto('/models/openai/gpt-4.1');
    const price = page.getByRole('region', { name: 'Price', exact: true });
    await price
      .getByText(`$${million.toFixed(2)} / 1M tokens`)
      .first()
      .waitFor();
    await page.goto('/settings');
    await page.getByLabel('Token prices').selectOption('Per 1K tokens');
    await page.goto('/models/openai/gpt-4.1');
    await price
      .getByText(`$${million / 1_000} / 1K tokens`)
      .first()
      .waitFor();
    await expectReadable(page, 'model-prices');
    await page.goto('/models?search=gpt-4.1&provider=openai');
    await page.getByText('with prices in USD per 1K tokens').waitFor();
    await page
      .getByRole('row')
      .filter({ hasText: `$${million / 1_000}` })
      .first()
      .waitFor();
    await expectReadable(page, 'models-prices');
    await page.getByLabel('Token prices').selectOption('Per 1M tokens');
    await page
      .getByRole('row')
      .filter({ hasText: `$${million.toFixed(2)}` })
      .first()
      .waitFor();
  });

  it('do not offer a failed response as the best', async () => {
    const { page } = visitor;
    const start = 'mutation ($input: StartComparisonInput!) { startComparison(input: $input) { id } }';
    const models = ['sandbox/chat', 'nobody/nothing'];
    const { id } = (await ask(start, { input: { prompt: 'Hello', models } })).startComparison;
    await page.goto(`/compare/${id}`);
    const lane = (name: string) => page.getByRole('region', { name, exact: true });
    await lane('nobody/nothing').getByRole('alert').waitFor();
    await lane('sandbox/chat').getByRole('button', { name: 'Best' }).waitFor();
    expect(await lane('nobody/nothing').getByRole('button', { name: 'Best' }).count()).toBe(0);
  });

  it('filter the audit log by any of many members and show no JSON', async () => {
    const { page } = visitor;
    const accountId = sqlText(rowId((await ask('{ account { id } }')).account.id));
    await queryRunning(
      account.database,
      `with people as (
        insert into users (id, email, name, created_at)
        select gen_random_uuid(), 'member-' || place || '-' || ${accountId} || '@example.com', 'Member ' || place, now()
        from generate_series(1, 120) as place returning id
      )
      insert into memberships (id, account_id, user_id, role, created_at)
      select gen_random_uuid(), ${accountId}, id, 'viewer', now() from people`,
    );
    const limited = `mutation { createApiKey(input: { name: "Limited", limits: { requestsPerMinute: 1200, concurrency: 5 } }) { apiKey { id } } }`;
    await ask(limited);
    await page.goto('/audit');
    await page.getByRole('row').filter({ hasText: 'Limited' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Requests per minute: 1,200').waitFor();
    expect(await drawer.getByRole('region', { name: 'Changes' }).textContent()).not.toMatch(/[{}"]/);
    await expectReadable(page, 'audit-limits');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Actor: All actors' }).click();
    await page.getByPlaceholder('Search members and API keys').fill('member 117');
    await page.getByRole('option', { name: /Member 117/ }).click();
    await page.getByRole('button', { name: 'Actor: Member 117' }).waitFor();
    await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
    await page.getByRole('button', { name: 'Actor: Member 117' }).click();
    await page.getByPlaceholder('Search members and API keys').fill(account.email);
    await page.getByRole('option').filter({ hasText: account.email }).click();
    await page.getByRole('row').filter({ hasText: 'Limited' }).waitFor();
  });
});
