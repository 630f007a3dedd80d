import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cutCells, cutPlaceholders, photograph, settled, sizes, visit, type Visitor } from '../harness/chromium.ts';
import { doors, pages } from '../harness/dashboard-pages.ts';
import type { TestAccount } from '../harness/shared-server.ts';
import { expectReadable } from './looks.ts';
import { VisitorPool } from './visitor-pool.ts';
import { describeInBrowser } from './stage.ts';

/** The texts of pages that do not exist or have failed. */
const nowhere =
  /There is no such|(?:Page|Request|Session|Comparison|Invoice|Entry) not found|No model named|has no API key|This page failed to load|Something went wrong/;
/** Paths of the API, which are not pages. */
const interfaces = /^\/(?:v1|v2|graphql|docs|exports|media|auth)(?:\/|$|\?)/;

const hrefs = `[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))`;

describeInBrowser('the dashboard', (stage) => {
  /** The links of each opened page, by its URL. */
  const opened = new Map<string, readonly string[]>();
  const strangers = new VisitorPool();
  const owners = new VisitorPool();

  beforeAll(async () => {
    await use(stage.account);
    // Two pages at a time: one is checked while the other loads.
    for (let count = 0; count < 2; count += 1) {
      strangers.add(await visit(stage.browser, stage.account.url));
      owners.add(await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie }));
    }
  });

  it.concurrent.each(doors)('the page %s is accessible in both sizes and themes', async (name, path) => {
    await strangers.use((visitor) => look(visitor, name, path));
  });

  it.concurrent.each(pages)('the page %s is accessible in both sizes and themes', async (name, path) => {
    await owners.use((visitor) => look(visitor, name, path));
  });

  async function look(visitor: Visitor, name: string, path: string): Promise<void> {
    const { page, errors } = visitor;
    expect(await faultsOf(visitor, path)).toEqual([]);
    await expectReadable(page, name);
    for (const width of [1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await cutPlaceholders(page), `at a width of ${width} px`).toEqual([]);
    }
    await page.setViewportSize(sizes.desktop);
    expect(errors).toEqual([]);
  }

  /** Opens the page and collects its links. @returns its problems, one per line */
  async function faultsOf({ page, errors }: Visitor, path: string): Promise<string[]> {
    errors.length = 0;
    const status = (await page.goto(path))?.status();
    await settled(page);
    const said = nowhere.exec((await page.locator('body').textContent()) ?? '')?.[0];
    const { origin } = new URL(stage.account.url);
    // One round trip to the browser for all links, of which a page has dozens.
    const links = z.array(z.string()).parse(await page.evaluate(hrefs));
    const urls = links.map((link) => new URL(link, page.url())).filter((url) => url.origin === origin);
    opened.set(
      path,
      urls.map(({ pathname, search }) => `${pathname}${search}`),
    );
    return [
      ...(status === 200 ? [] : [`${path}: ${status}`]),
      ...(said === undefined ? [] : [`${path}: ${said}`]),
      ...errors.map((error) => `${path}: ${error}`),
    ];
  }

  describe('every internal link', () => {
    it('opens a page that shows its subject', () =>
      owners.use(async (visitor) => {
        const waiting: string[] = pages.map(([, path]) => path);
        const seen = new Set(waiting);
        const dead: string[] = [];
        for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
          if (interfaces.test(path)) {
            const status = (await visitor.page.request.get(path)).status();
            if (status >= 400) dead.push(`${path}: ${status}`);
          } else if (!opened.has(path)) dead.push(...(await faultsOf(visitor, path)));
          for (const next of opened.get(path) ?? [])
            if (!seen.has(next)) {
              seen.add(next);
              waiting.push(next);
            }
        }
        expect(dead).toEqual([]);
        expect(seen.size).toBeGreaterThan(pages.length);
      }));

    it('opens the model, route or alias of each row of Models', () =>
      owners.use(async ({ page, errors }) => {
        errors.length = 0;
        await page.goto('/models');
        const rows = page.getByRole('table', { name: 'Models', exact: true }).locator('[data-index]');
        await rows.first().waitFor();
        const ids = await rows.locator('.font-mono').allTextContents();
        expect(ids).toContain('everyones');
        const dead: string[] = [];
        for (const [place, id] of ids.entries()) {
          await rows.nth(place).click();
          await page.getByRole('link', { name: 'All models' }).waitFor();
          await settled(page);
          const path = new URL(page.url()).pathname;
          if (!(await page.getByText(id, { exact: true }).first().isVisible())) dead.push(`${id}: ${path}`);
          const said = nowhere.exec((await page.locator('body').textContent()) ?? '')?.[0];
          if (said !== undefined) dead.push(`${path}: ${said}`);
          const status = (await page.request.get(path, { headers: { accept: 'text/html' } })).status();
          if (status !== 200) dead.push(`${path}: ${status}`);
          await page.goBack();
          await rows.first().waitFor();
        }
        expect(dead).toEqual([]);
        expect(errors).toEqual([]);
      }));

    it('opens a route that has the name of a page', () =>
      owners.use(async (visitor) => {
        const { page } = visitor;
        const saved = await fetch(`${stage.account.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.account.apiKey}` },
          body: JSON.stringify({
            query: 'mutation { saveRoute(input: { name: "compare", targets: [{ model: "sandbox/chat" }] }) { name } }',
          }),
        });
        expect(await saved.json()).toEqual({ data: { saveRoute: { name: 'compare' } } });
        await page.goto('/models?search=compare');
        await page.locator('[data-index]').first().click();
        await page.getByRole('button', { name: 'Copy the model’s name' }).waitFor();
        expect(await faultsOf(visitor, new URL(page.url()).pathname)).toEqual([]);
        await page.getByRole('button', { name: 'Copy the model’s name' }).waitFor();
      }));
  });

  it.concurrent.each(['/billing/usage', '/audit', '/models'])(
    'the rows of %s are whole at a width of 1280 px',
    async (path) => {
      await owners.use(async ({ page }) => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto(path);
        await page.getByRole('row').nth(1).waitFor();
        await settled(page);
        await photograph(page, `rows${path.replaceAll('/', '-')}`);
        expect(await cutCells(page)).toEqual([]);
        await page.setViewportSize(sizes.desktop);
      });
    },
  );

  describe('every page', () => {
    it('has a visible entry in the navigation of a low window, and all are visible at a height of 800 px', () =>
      owners.use(async ({ page }) => {
        const cut = () =>
          page.evaluate(`(() => {
            const bounds = document.querySelector('nav').getBoundingClientRect();
            return [...document.querySelectorAll('nav a')].flatMap((link) => {
              const { top, bottom } = link.getBoundingClientRect();
              return top < bounds.top || bottom > bounds.bottom ? [link.textContent] : [];
            });
          })()`);
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto('/settings');
        await settled(page);
        expect(await cut()).toEqual([]);
        await page.setViewportSize({ width: 1280, height: 560 });
        await page.goto('/settings');
        await settled(page);
        expect(await cut()).not.toContain('Settings');
        await page.setViewportSize(sizes.desktop);
      }));

    it('is in the list of checked pages', () =>
      owners.use(async ({ page }) => {
        await page.goto('/');
        await settled(page);
        const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
        const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
        expect(paths.length).toBeGreaterThan(4);
        expect(paths.filter((path) => !pages.some(([, each]) => each === path))).toEqual([]);
      }));

    it('that does not exist shows an error', () =>
      owners.use(async ({ page }) => {
        expect((await page.goto('/no/such/page'))?.status()).toBe(404);
        await page.getByText('Page not found').waitFor();
      }));

    it('of a model with a dot in its name opens by its URL', () =>
      owners.use(async ({ page }) => {
        expect((await page.goto('/models/nobody/none-1.5'))?.status()).toBe(200);
        await page.getByText('No model named “nobody/none-1.5”').waitFor();
      }));
  });
});

/** Creates data for every page. */
async function use({ url, apiKey }: TestAccount): Promise<void> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  await openai.chat.completions.create({ model: 'quick', messages: [{ role: 'user', content: 'Hello' }] });
  const chats = Array.from({ length: 20 }, (_, index) =>
    openai.chat.completions.create({
      model: 'sandbox/chat',
      messages: [{ role: 'user', content: `Say something, ${index}` }],
      max_tokens: 20 + index,
    }),
  );
  const embeddings = Array.from({ length: 5 }, () =>
    openai.embeddings.create({ model: 'sandbox/embedding', input: 'a' }),
  );
  const run = { headers: { 'x-sluice-session-id': 'run-42', 'x-sluice-parent-id': 'plan' } };
  const hello = { model: 'sandbox/chat', messages: [{ role: 'user' as const, content: 'Hello' }] };
  await Promise.all([...chats, ...embeddings, openai.chat.completions.create(hello, run)]);
}
