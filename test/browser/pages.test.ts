import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  chromiumPath,
  cutPlaceholders,
  openBrowser,
  settled,
  sizes,
  visit,
  type SharedBrowser,
  type Visitor,
} from '../harness/chromium.ts';
import { doors, pages } from '../harness/dashboard-pages.ts';
import type { TestAccount } from '../harness/shared-server.ts';
import { expectReadable } from './looks.ts';
import { newBrowserAccount } from './product.ts';
import { VisitorPool } from './visitor-pool.ts';

describe.skipIf(chromiumPath === null)('the dashboard', () => {
  let account: TestAccount;
  let browser: SharedBrowser;
  const strangers = new VisitorPool();
  const owners = new VisitorPool();

  beforeAll(async () => {
    account = await newBrowserAccount();
    browser = await openBrowser();
    await use(account);
    // Two pages at a time: while one waits for the server, the other is looked at.
    for (let count = 0; count < 2; count += 1) {
      strangers.add(await visit(browser, account.url));
      owners.add(await visit(browser, account.url, { cookie: account.cookie }));
    }
  });

  afterAll(async () => {
    await browser?.close();
    await account?.dispose();
  });

  it.concurrent.each(doors)('the page %s can be read by everybody, in both sizes and themes', async (name, path) => {
    await strangers.use((visitor) => look(visitor, name, path));
  });

  it.concurrent.each(pages)('the page %s can be read by everybody, in both sizes and themes', async (name, path) => {
    await owners.use((visitor) => look(visitor, name, path));
  });

  async function look({ page, errors }: Visitor, name: string, path: string): Promise<void> {
    errors.length = 0;
    await page.goto(path);
    await expectReadable(page, name);
    for (const width of [1440, 1280, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await cutPlaceholders(page), `at a width of ${width} px`).toEqual([]);
    }
    await page.setViewportSize(sizes.desktop);
    expect(errors).toEqual([]);
  }

  describe('every page', () => {
    it('is in the list that is looked at', () =>
      owners.use(async ({ page }) => {
        await page.goto('/');
        await settled(page);
        const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
        const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
        expect(paths.length).toBeGreaterThan(4);
        expect(paths.filter((path) => !pages.some(([, each]) => each === path))).toEqual([]);
      }));

    it('that does not exist says so', () =>
      owners.use(async ({ page }) => {
        expect((await page.goto('/no/such/page'))?.status()).toBe(404);
        await page.getByText('There is no such page').waitFor();
      }));

    it('of a model whose name has a dot is there by its address', () =>
      owners.use(async ({ page }) => {
        expect((await page.goto('/models/nobody/none-1.5'))?.status()).toBe(200);
        await page.getByText('No model called “nobody/none-1.5”').waitFor();
      }));
  });
});

/** A little of everything, so that pages have something to show. */
async function use({ url, apiKey }: TestAccount): Promise<void> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey });
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
  await Promise.all([...chats, ...embeddings]);
}
