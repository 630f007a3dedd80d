import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFakeProvider, stream, type FakeProvider } from '../harness/fake-provider.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import {
  accessibilityFaults,
  chromiumPath,
  launchChromium,
  photograph,
  picturesFolder,
  settled,
  signIn,
  visit,
  type Visitor,
} from '../harness/chromium.ts';

const LANES = 8;
/** What is promised is 100 ms; a machine that has other work is given more. */
const LONGEST_TASK_MS = 1_000;

/** As text: the page keeps what it says of tasks that held it up for more than 50 ms. */
const watchLongTasks = `globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ entryTypes: ['longtask'] });`;

describe.skipIf(chromiumPath === null)('the comparator', () => {
  let server: ServerProcess;
  let provider: FakeProvider;
  let browser: Browser;
  let visitor: Visitor;
  let folder = '';
  let address = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-comparator-'));
    const config = join(folder, 'sluice.yaml');
    const names = Array.from({ length: LANES }, (_, place) => `lane-${place + 1}`);
    writeFileSync(config, `aliases:\n${names.map((name) => `  ${name}: sandbox/chat\n`).join('')}`);
    provider = await startFakeProvider((request, response) =>
      stream(['The sea is ', request.json.model === 'gpt-4.1' ? 'green' : 'blue', ' and calm today.'])(
        request,
        response,
      ),
    );
    server = await startServer({
      SLUICE_SANDBOX_TOKENS_PER_SECOND: '100',
      SLUICE_CONFIG: config,
      OPENAI_API_KEY: 'x',
      OPENAI_BASE_URL: provider.url,
    });
    browser = await launchChromium();
    visitor = await visit(browser, server.url);
    await signIn(visitor.page, server);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
    await provider?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function asking(models: readonly string[], kind = 'CHAT'): string {
    return `/compare?kind=${kind}&models=${encodeURIComponent(JSON.stringify(models))}`;
  }

  const lanes = (page: Page) =>
    page.getByRole('group', { name: 'Answers' }).getByRole('region', { name: /^Answer of / });

  it('streams eight answers side by side, and the page stays responsive', async () => {
    const { page } = visitor;
    await page.goto(asking(Array.from({ length: LANES }, (_, place) => `lane-${place + 1}`)));
    await settled(page);
    await page.getByLabel('Question').fill('Tell a story about the sea in 1200 words.');
    await page.getByRole('button', { name: 'Ask 8 models' }).click();
    await expect.poll(() => lanes(page).count()).toBe(LANES);
    await expect.poll(() => page.getByText('tokens/s').count()).toBe(LANES);
    // From here on the page does nothing but stream.
    await page.evaluate(watchLongTasks);
    await page.waitForTimeout(3_000);
    await photograph(page, 'comparison-streaming-desktop-light');
    await expect
      .poll(
        () =>
          page
            .getByText('Your choice')
            .or(page.getByRole('button', { name: 'Stop all' }))
            .count(),
        { timeout: 60_000 },
      )
      .toBe(0);
    const tasks = z.array(z.number()).parse(await page.evaluate(() => Reflect.get(globalThis, 'longTasks')));
    const longest = Math.max(0, ...tasks);
    writeFileSync(
      join(picturesFolder, 'comparison-long-tasks.json'),
      JSON.stringify({ lanes: LANES, tokensPerSecond: 100, tasksOver50Ms: tasks.length, longestMs: longest }),
    );
    expect(longest).toBeLessThan(LONGEST_TASK_MS);
    address = page.url();
    const texts = await lanes(page).allTextContents();
    expect(texts.every((each) => each.length > 100)).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('scrolls its answers together', async () => {
    const { page } = visitor;
    await page.reload();
    await settled(page);
    await lanes(page)
      .nth(0)
      .evaluate((each) => Reflect.set(each, 'scrollTop', 200));
    await expect
      .poll(() =>
        lanes(page)
          .nth(7)
          .evaluate((each) => Reflect.get(each, 'scrollTop')),
      )
      .toBeGreaterThan(20);
  });

  it('shows the difference of two, takes a vote, and keeps a name', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'Difference' }).click();
    await page.getByRole('region', { name: 'Difference' }).getByText('They say the same').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'lane-3', exact: true }).getByRole('button', { name: 'Best' }).click();
    await page.getByRole('button', { name: 'Your choice' }).waitFor();
    await page.getByText('1 vote', { exact: true }).waitFor();
    await page.getByLabel('Name').fill('Stories of the sea');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Stories of the sea' }).waitFor();
    await page.goto('/compare');
    await page
      .getByRole('link', { name: /Stories of the sea/ })
      .getByText('lane-3', { exact: true })
      .waitFor();
  });

  it('shows what one answer says that the other does not', async () => {
    const { page } = visitor;
    await page.goto(asking(['openai/gpt-4.1', 'openai/gpt-4.1-mini']));
    await settled(page);
    await page.getByLabel('Question').fill('What is the sea like?');
    await page.getByRole('button', { name: 'Ask 2 models' }).click();
    await page.getByRole('button', { name: 'Difference' }).click();
    const difference = page.getByRole('region', { name: 'Difference' });
    const told = async () => ({
      taken: await difference.locator('del').allTextContents(),
      added: await difference.locator('ins').allTextContents(),
      alike: await difference.locator('span').allTextContents(),
      isSame: (await difference.getByText('They say the same').count()) > 0,
    });
    const alike = ['The sea is ', ' and calm today.'];
    await expect.poll(told).toEqual({ taken: ['green'], added: ['blue'], alike, isSame: false });
    await page.getByLabel('From', { exact: true }).selectOption('openai/gpt-4.1-mini');
    await page.getByLabel('To', { exact: true }).selectOption('openai/gpt-4.1');
    await expect.poll(told).toEqual({ taken: ['blue'], added: ['green'], alike, isSame: false });
    await page.keyboard.press('Escape');
  });

  it('shows a vote and a name before they are taken, and takes back what is refused', async () => {
    const { page } = visitor;
    let answer = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (!/voteComparison|renameComparison/.test(route.request().postData() ?? '')) return route.continue();
      await answer.promise;
      return route.fulfill({ json: { data: null, errors: [{ message: 'Not now.' }] } });
    });
    await page
      .getByRole('region', { name: 'openai/gpt-4.1', exact: true })
      .getByRole('button', { name: 'Best' })
      .click();
    await page.getByRole('button', { name: 'Your choice' }).waitFor();
    answer.resolve();
    await page.getByText('Not now.').first().waitFor();
    await page.getByRole('button', { name: 'Your choice' }).waitFor({ state: 'detached' });

    answer = Promise.withResolvers<void>();
    await page.getByLabel('Name').fill('Colours of the sea');
    await page.getByRole('button', { name: 'Save' }).click();
    const heading = page.getByRole('heading', { level: 1, name: 'Colours of the sea' });
    await heading.waitFor();
    answer.resolve();
    await heading.waitFor({ state: 'detached' });
    await page.unroute('**/graphql');
  });

  it('stops one lane, and leaves the others alone', async () => {
    const { page } = visitor;
    await page.goto(asking(['lane-1', 'lane-2']));
    await settled(page);
    await page.getByLabel('Question').fill('Tell another story about the sea in 20000 words.');
    await page.getByRole('button', { name: 'Ask 2 models' }).click();
    await page.getByRole('button', { name: 'Stop lane-1' }).click();
    await page.getByRole('region', { name: 'lane-1', exact: true }).getByText('Cancelled').waitFor();
    const other = page.getByRole('region', { name: 'lane-2', exact: true });
    const length = async (): Promise<number> => (await other.textContent())?.length ?? 0;
    const before = await length();
    await expect.poll(length).toBeGreaterThan(before + 200);
    expect(await page.getByText('Cancelled').count()).toBe(1);
    await page.getByRole('button', { name: 'Stop all' }).click();
    await other.getByText('Cancelled').waitFor();
  });

  it.each([
    ['IMAGE', 'sandbox/image', (page: Page) => page.getByRole('img', { name: 'By sandbox/image, 1' })],
    ['SPEECH', 'sandbox/speech', (page: Page) => page.getByLabel('Spoken by sandbox/speech')],
    ['EMBEDDINGS', 'sandbox/embedding', (page: Page) => page.getByText(/cosine, of/)],
  ] as const)('compares what is no chat: %s', async (kind, model, result) => {
    const { page } = visitor;
    await page.goto(asking([model], kind));
    await settled(page);
    await page.getByRole('button', { name: 'Ask them' }).click();
    await result(page).waitFor();
    await photograph(page, `comparison-${kind.toLowerCase()}-desktop-light`);
  });

  it('is read by its link without signing in, until that is revoked', async () => {
    const { page } = visitor;
    await page.goto(address);
    await settled(page);
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    expect(link).toContain(`${server.url}/shared/comparison#`);
    for (const [size, theme] of [
      ['desktop', 'light'],
      ['desktop', 'dark'],
      ['phone', 'light'],
      ['phone', 'dark'],
    ] as const) {
      const stranger = await visit(browser, server.url, { size, theme });
      await stranger.page.goto(link);
      await stranger.page.getByRole('heading', { level: 1, name: 'Stories of the sea' }).waitFor();
      await expect.poll(() => lanes(stranger.page).count()).toBe(LANES);
      await photograph(stranger.page, `shared-comparison-${size}-${theme}`);
      expect(await accessibilityFaults(stranger.page)).toEqual([]);
      expect(await stranger.page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(stranger.requested.some((each) => each.includes(link.split('#')[1] ?? '#'))).toBe(false);
      expect(stranger.errors).toEqual([]);
      await stranger.close();
    }
    await page.getByRole('button', { name: 'Revoke the link' }).click();
    await page.getByText('The link leads nowhere now.').first().waitFor();
    const late = await visit(browser, server.url);
    await late.page.goto(link);
    await late.page.getByText(/This link leads nowhere/).waitFor();
    await late.close();
    expect(visitor.errors).toEqual([]);
  });
});
