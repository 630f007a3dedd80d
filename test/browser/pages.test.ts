import OpenAI from 'openai';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import {
  accessibilityFaults,
  chromiumPath,
  launchChromium,
  photograph,
  settled,
  signIn,
  visit,
  type Size,
  type StorageState,
  type Theme,
} from '../harness/chromium.ts';
import { doors, pages } from '../harness/dashboard-pages.ts';

describe.skipIf(chromiumPath === null)('the dashboard', () => {
  let server: ServerProcess;
  let browser: Browser;
  let storage: StorageState;

  beforeAll(async () => {
    server = await startServer();
    browser = await launchChromium();
    await use(server);
    const { page, context, close } = await visit(browser, server.url);
    await signIn(page, server);
    storage = await context.storageState();
    await close();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  const looks: readonly (readonly [Size, Theme])[] = [
    ['desktop', 'light'],
    ['desktop', 'dark'],
    ['phone', 'light'],
    ['phone', 'dark'],
  ];

  describe.each(looks)('on a %s, %s', (size, theme) => {
    it.each(doors)('the page %s can be read by everybody', async (name, path) => {
      await look(`${name}-${size}-${theme}`, path, undefined);
    });

    it.each(pages)('the page %s can be read by everybody', async (name, path) => {
      await look(`${name}-${size}-${theme}`, path, storage);
    });

    async function look(name: string, path: string, signedIn: StorageState | undefined): Promise<void> {
      const { page, errors, close } = await visit(browser, server.url, { size, theme, storage: signedIn });
      await page.goto(path);
      await settled(page);
      await photograph(page, name);
      expect(await accessibilityFaults(page)).toEqual([]);
      // Nothing hangs over the edge.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(errors).toEqual([]);
      await close();
    }
  });

  describe('every page', () => {
    it('is in the list that is looked at', async () => {
      const { page, close } = await visit(browser, server.url, { storage });
      await page.goto('/');
      await settled(page);
      const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').all();
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
      expect(paths.length).toBeGreaterThan(4);
      expect(paths.filter((path) => !pages.some(([, each]) => each === path))).toEqual([]);
      await close();
    });

    it('that does not exist says so', async () => {
      const { page, close } = await visit(browser, server.url, { storage });
      expect((await page.goto('/no/such/page'))?.status()).toBe(404);
      await page.getByText('There is no such page').waitFor();
      await close();
    });

    it('of a model whose name has a dot is there by its address', async () => {
      const { page, close } = await visit(browser, server.url, { storage });
      expect((await page.goto('/models/nobody/none-1.5'))?.status()).toBe(200);
      await page.getByText('No model called “nobody/none-1.5”').waitFor();
      await close();
    });
  });
});

/** A little of everything, so that pages have something to show. */
async function use({ url, apiKey }: ServerProcess): Promise<void> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey });
  for (let index = 0; index < 20; index += 1) {
    await openai.chat.completions.create({
      model: 'sandbox/chat',
      messages: [{ role: 'user', content: `Say something, ${index}` }],
      max_tokens: 20 + index,
    });
    if (index % 4 === 0) await openai.embeddings.create({ model: 'sandbox/embedding', input: 'a' });
  }
}
