import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import type { ServerProcess } from '../harness/server-process.ts';
import { chromiumPath, launchChromium, settled, signIn, visit } from '../harness/chromium.ts';
import { startWithLongLog } from '../harness/long-log.ts';

const ROWS = 100_000;
/** More than a screen holds with those kept ready above and below it. */
const MOST_IN_PAGE = 60;

describe.skipIf(chromiumPath === null)('a log of 100,000 requests', () => {
  let server: ServerProcess;
  let browser: Browser;

  beforeAll(async () => {
    server = await startWithLongLog(ROWS, openDatabase);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  it('is walked through with few rows in the page, and goes on where one stopped', async () => {
    const { page, errors, close } = await visit(browser, server.url);
    await signIn(page, server);
    await page.goto('/billing/usage');
    await settled(page);
    const table = page.getByRole('table', { name: 'Requests', exact: true });
    await table.getByRole('row').nth(1).focus();
    const focused = table.locator('[role=row]:focus');
    let reached = 0;
    while (reached < 1_000) {
      const loaded = Number(await table.getAttribute('aria-rowcount'));
      await page.keyboard.press('End');
      // The last row that is loaded is gone to, perhaps one that came in just now, and then the next page is loaded behind it.
      await expect.poll(async () => Number(await focused.getAttribute('aria-rowindex'))).toBeGreaterThanOrEqual(loaded);
      expect(await table.getByRole('row').count()).toBeLessThan(MOST_IN_PAGE);
      await expect.poll(async () => Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(loaded);
      reached = loaded;
    }
    await focused.press('Home');
    await table.locator('[aria-rowindex="1"]:focus').waitFor();
    expect(errors).toEqual([]);
    await close();
  });
});
