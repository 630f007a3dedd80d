import OpenAI from 'openai';
import type { Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { chromiumPath, openBrowser, settled, visit, type SharedBrowser } from '../harness/chromium.ts';
import { post } from '../harness/graphql-client.ts';
import type { TestAccount } from '../harness/shared-server.ts';
import { expectReadableAsIs } from './looks.ts';
import { newBrowserAccount } from './product.ts';

const PATIENCE_MS = 120_000;
const SENT = 4;

const operationForm = z.looseObject({ operationName: z.string() });

describe.skipIf(chromiumPath === null)('charts', () => {
  let account: TestAccount;
  let unused: TestAccount;
  let browser: SharedBrowser;
  let page: Page;

  beforeAll(async () => {
    [account, unused] = await Promise.all([newBrowserAccount(), newBrowserAccount()]);
    browser = await openBrowser();
    await use(account);
    ({ page } = await visit(browser, account.url, { cookie: account.cookie }));
  });

  afterAll(async () => {
    await browser?.close();
    await account?.dispose();
    await unused?.dispose();
  });

  describe('the style of a name', () => {
    it('is the same on every page and after a reload', async () => {
      await page.goto('/?metric=requests');
      const overview = await stylesIn(page.getByLabel('Usage', { exact: true }).getByRole('list', { name: 'Legend' }));
      expect([...overview.keys()]).toEqual(['sandbox/embedding', 'sandbox/chat']);
      expect(new Set(overview.values()).size).toBe(2);

      await page.goto('/billing/usage?figure=tokens');
      const logs = await stylesIn(page.getByRole('list', { name: 'Legend' }));
      expect([...logs.keys()]).toEqual(['sandbox/chat', 'sandbox/embedding']);
      expect(Object.fromEntries(logs)).toEqual(Object.fromEntries(overview));

      await page.reload();
      expect(await stylesIn(page.getByRole('list', { name: 'Legend' }))).toEqual(logs);
    });

    it('is the same in the drawer of a key', async () => {
      await page.goto('/billing/usage?by=key');
      const styles = await stylesIn(page.getByRole('list', { name: 'Legend' }));
      await page.goto('/keys');
      await page.getByText('First key').click();
      const bars = page.getByRole('dialog').getByLabel('Requests per day, last 30 days').locator('path[fill^="var("]');
      expect(`${await bars.first().getAttribute('fill')} solid`).toBe(styles.get('First key'));
    });
  });

  describe('units', () => {
    it.each([
      ['/?metric=requests', 'Requests over time', /^requests per day$/, '0 requests'],
      ['/?metric=requests&range=24h', 'Requests over time', /^requests per hour$/, '0 requests'],
      ['/?metric=tokens', 'Tokens over time', /^tokens per day$/, '0 tokens'],
      ['/?metric=spend', 'Spend over time', /^USD per day$/, '$0.00'],
      ['/billing/usage?figure=cost', 'Estimated cost over time by model', /^USD per day$/, '$0.00'],
      ['/billing/usage?figure=tokens', 'Tokens over time by model', /^tokens per day$/, '0 tokens'],
    ])('of %s are shown at its axis and in its tooltip', async (path, label, unit, nothing) => {
      await page.route('**/graphql', withCosts);
      await page.goto(path);
      const chart = page.getByLabel(label);
      await chart.getByText(unit).waitFor();
      await settled(page);
      // No request was sent at the time in the middle of the chart.
      await chart.hover();
      expect(await chart.getByText('Total').locator('..').textContent()).toBe(`Total${nothing}`);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });

    it('of response times are milliseconds or seconds', async () => {
      await page.goto('/?metric=latency');
      await page
        .getByLabel('Latency over time')
        .getByText(/^(milliseconds|seconds), by day$/)
        .waitFor();
    });

    it('are shown in table headers', async () => {
      await page.goto('/billing/usage');
      for (const name of ['Estimated cost (USD)', 'Cost (USD)', 'Input tokens', 'Output tokens'])
        await page.getByRole('columnheader', { name, exact: true }).waitFor();
      await page.goto('/models');
      for (const name of ['Context tokens', 'Input USD / 1M tokens', 'Output USD / 1M tokens'])
        await page.getByRole('columnheader', { name, exact: true }).waitFor();
    });
  });

  describe('without figures', () => {
    const usageOver = (): Locator => page.getByRole('region', { name: 'Usage over time' });

    it('show a loading state without data of the previous query', async () => {
      await page.goto('/billing/usage?figure=requests');
      await usageOver().getByLabel('Requests over time by model').waitFor();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      await answer(page, 'UsageCharts', async (route) => {
        await released;
        await route.continue();
      });
      await usageOver().getByRole('button', { name: 'By key' }).click();
      await usageOver().getByRole('status', { name: 'Loading' }).waitFor();
      expect(await usageOver().getByRole('figure').count()).toBe(0);
      expect(await usageOver().getByText(/^No /).count()).toBe(0);
      release();
      await usageOver().getByLabel('Requests over time by key').waitFor();
      expect(await usageOver().getByRole('status', { name: 'Loading' }).count()).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    });

    it('show the error of a failed query, and data after a retry', async () => {
      await answer(page, 'UsageCharts', refuse);
      await page.goto('/billing/usage');
      await usageOver().getByRole('alert').getByText('The database is unavailable.').waitFor();
      expect(await usageOver().getByRole('status', { name: 'Loading' }).count()).toBe(0);
      expect(await usageOver().getByText(/^No /).count()).toBe(0);
      await expectReadableAsIs(page, 'charts-failed');
      await page.unrouteAll({ behavior: 'wait' });
      await usageOver().getByRole('button', { name: 'Try again' }).click();
      await usageOver().getByRole('figure').waitFor();
      expect(await usageOver().getByRole('alert').count()).toBe(0);
    });

    it.each(['OverviewUsage', 'OverviewModels'])('show the error of %s on the overview', async (operation) => {
      await answer(page, operation, refuse);
      await page.goto('/?metric=spend');
      const usage = page.getByRole('region', { name: 'Usage', exact: true });
      await usage.getByRole('alert').getByText('The database is unavailable.').waitFor();
      await settled(page);
      expect(await usage.getByRole('figure').count()).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    });

    it('show that the period has no data', async () => {
      const visitor = await visit(browser, unused.url, { cookie: unused.cookie });
      await visitor.page.goto('/?metric=spend');
      await visitor.page.getByLabel('Spend over time').getByText('No spend in this period.').waitFor();
      await visitor.page.getByRole('region', { name: 'Models' }).getByText('No requests in this period.').waitFor();
      await visitor.page.getByRole('button', { name: 'Errors – No requests' }).click();
      await visitor.page.getByLabel('Errors over time').getByText('No errors in this period.').waitFor();
      await expectReadableAsIs(visitor.page, 'charts-empty-overview');
      await visitor.page.goto('/billing/usage');
      await visitor.page.getByLabel('Requests over time by model').getByText('No requests in this period.').waitFor();
      await visitor.page.getByRole('heading', { name: 'No requests in this period' }).waitFor();
      await expectReadableAsIs(visitor.page, 'charts-empty-logs');
      await visitor.page.goto('/keys');
      await visitor.page.getByText('First key').click();
      await visitor.page.getByText('No requests in the last 30 days.').waitFor();
      expect(visitor.errors).toEqual([]);
    });

    it('show that no data matches the filters, and data when they are cleared', async () => {
      await page.goto('/billing/usage?modelContains=none-such');
      await usageOver().getByText('No requests in this period match the filters.').waitFor();
      await page.getByRole('heading', { name: 'No matching requests' }).waitFor();
      await expectReadableAsIs(page, 'charts-filtered');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await usageOver().getByRole('list', { name: 'Legend' }).getByText('sandbox/chat').waitFor();
      expect(await page.getByText('match the filters').count()).toBe(0);
    });
  });
});

/** The colour and the texture by name. */
async function stylesIn(legend: Locator): Promise<Map<string, string>> {
  await legend.waitFor();
  const items = await legend.getByRole('listitem').all();
  const styles = await Promise.all(
    items.map(async (item) => {
      const sample = item.locator('svg');
      const colour = /var\(.+?\)/.exec((await sample.getAttribute('style')) ?? '')?.[0];
      return [await item.innerText(), `${colour} ${await sample.getAttribute('data-texture')}`] as const;
    }),
  );
  return new Map(styles);
}

async function answer(page: Page, operation: string, respond: (route: Route) => Promise<void>): Promise<void> {
  await page.route('**/graphql', async (route) => {
    const { operationName } = operationForm.parse(route.request().postDataJSON());
    if (operationName === operation) await respond(route);
    else await route.fallback();
  });
}

async function refuse(route: Route): Promise<void> {
  const extensions = { code: 'database_unavailable', requestId: 'req_0' };
  await route.fulfill({ json: { errors: [{ message: 'The database is unavailable.', extensions }] } });
}

/** Replaces costs of 0: sandbox requests are free. */
async function withCosts(route: Route): Promise<void> {
  const response = await route.fetch();
  const text = await response.text();
  await route.fulfill({ response, body: text.replaceAll('"cost":{"amount":"0"', '"cost":{"amount":"0.25"') });
}

/** One model has the most requests, the other the most tokens. */
async function use({ url, apiKey }: TestAccount): Promise<void> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  for (let sent = 1; sent < SENT; sent += 1)
    await openai.embeddings.create({ model: 'sandbox/embedding', input: 'a', encoding_format: 'float' });
  await openai.chat.completions.create({
    model: 'sandbox/chat',
    messages: [{ role: 'user', content: 'Say something' }],
    max_tokens: 40,
  });
  const range = {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    to: new Date(Date.now() + 60_000).toISOString(),
  };
  const query = 'query ($range: UsageRange!) { usage(range: $range) { total { requests } } }';
  // A request is counted shortly after its response.
  await vi.waitFor(async () => {
    const { data } = await post(url, { query, variables: { range } }, { authorization: `Bearer ${apiKey}` });
    expect(data).toEqual({ usage: { total: { requests: SENT } } });
  }, PATIENCE_MS);
}
