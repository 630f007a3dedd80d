import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, settled, visit, type SharedBrowser, type Visitor } from '../harness/chromium.ts';
import { doors, pages } from '../harness/dashboard-pages.ts';
import { newBrowserAccount, type BrowserAccount } from './product.ts';

/** What a page says where its address leads nowhere. */
const nowhere = /There is no such|No model called|has no such|This page has failed|Something went wrong/;
/** Answered by programs, not by pages. */
const interfaces = /^\/(?:v1|v2|graphql|docs|exports|media|auth)(?:\/|$|\?)/;

describe.skipIf(chromiumPath === null)('every internal link of the dashboard', () => {
  let account: BrowserAccount;
  let browser: SharedBrowser;
  let visitor: Visitor;

  beforeAll(async () => {
    account = await newBrowserAccount();
    browser = await openBrowser();
    visitor = await visit(browser, account.url, { cookie: account.cookie });
    const openai = new OpenAI({ baseURL: `${account.url}/v1`, apiKey: account.apiKey });
    await openai.chat.completions.create({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] });
    await openai.chat.completions.create({ model: 'quick', messages: [{ role: 'user', content: 'Hello' }] });
  });

  afterAll(async () => {
    await browser?.close();
    await account?.dispose();
  });

  it('is followed to a page that shows what it names', async () => {
    const { page } = visitor;
    const waiting = [...doors, ...pages].map(([, path]) => path);
    const seen = new Set(waiting);
    const dead: string[] = [];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (interfaces.test(path)) {
        const answer = await page.request.get(path);
        if (answer.status() >= 400) dead.push(`${path}: ${answer.status()}`);
        continue;
      }
      dead.push(...(await faultsOf(path)));
      for (const link of await page.locator('a[href]').all()) {
        const url = new URL((await link.getAttribute('href')) ?? '', page.url());
        const next = `${url.pathname}${url.search}`;
        if (url.origin !== new URL(account.url).origin || seen.has(next)) continue;
        seen.add(next);
        waiting.push(next);
      }
    }
    expect(dead).toEqual([]);
    expect(seen.size).toBeGreaterThan(pages.length);
  });

  it('opens the model, route or alias of each row of Models', async () => {
    const { page } = visitor;
    const rows = page.getByRole('table', { name: 'Models', exact: true }).locator('[data-index]');
    await page.goto('/models');
    await rows.first().waitFor();
    const ids = await rows.locator('.font-mono').allTextContents();
    expect(ids).toContain('everyones');
    const dead: string[] = [];
    for (const [place, id] of ids.entries()) {
      await page.goto('/models');
      await rows.nth(place).click();
      await page.getByRole('link', { name: 'All models' }).waitFor();
      await settled(page);
      if (!(await page.getByText(id, { exact: true }).first().isVisible())) dead.push(`${id}: ${page.url()}`);
      dead.push(...(await faultsOf(new URL(page.url()).pathname)));
    }
    expect(dead).toEqual([]);
  });

  it('opens a route that is called like a page', async () => {
    const { page } = visitor;
    const saved = await fetch(`${account.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({
        query: 'mutation { saveRoute(input: { name: "compare", targets: [{ model: "sandbox/chat" }] }) { name } }',
      }),
    });
    expect(await saved.json()).toEqual({ data: { saveRoute: { name: 'compare' } } });
    await page.goto('/models?search=compare');
    await page.locator('[data-index]').first().click();
    await page.getByRole('button', { name: 'Copy the model’s name' }).waitFor();
    expect(await faultsOf(new URL(page.url()).pathname)).toEqual([]);
    await page.getByRole('button', { name: 'Copy the model’s name' }).waitFor();
  });

  /** Opens the page. @returns what is wrong with it, each in one line */
  async function faultsOf(path: string): Promise<string[]> {
    const { page, errors } = visitor;
    errors.length = 0;
    const status = (await page.goto(path))?.status();
    await settled(page);
    const text = (await page.locator('body').textContent()) ?? '';
    const said = nowhere.exec(text)?.[0];
    return [
      ...(status === 200 ? [] : [`${path}: ${status}`]),
      ...(said === undefined ? [] : [`${path}: ${said}`]),
      ...errors.map((error) => `${path}: ${error}`),
    ];
  }
});
