import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from '../harness/chromium.ts';

/** More than a screen holds with those kept ready above and below it. */
const MAX_ROWS_IN_PAGE = 60;

/** Goes down the log by keyboard, from page to page of it, until so many rows are loaded, and back to the first. */
export async function walkLog(page: Page, rows: number): Promise<void> {
  await page.goto('/billing/usage');
  await settled(page);
  const table = page.getByRole('table', { name: 'Requests', exact: true });
  await table.getByRole('row').nth(1).focus();
  const focused = table.locator('[role=row]:focus');
  let reached = 0;
  while (reached < rows) {
    const loaded = Number(await table.getAttribute('aria-rowcount'));
    await page.keyboard.press('End');
    // The last row that is loaded is gone to, perhaps one that came in just now, and then the next page is loaded behind it.
    await expect.poll(async () => Number(await focused.getAttribute('aria-rowindex'))).toBeGreaterThanOrEqual(loaded);
    expect(await table.getByRole('row').count()).toBeLessThan(MAX_ROWS_IN_PAGE);
    await expect.poll(async () => Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(loaded);
    reached = loaded;
  }
  await focused.press('Home');
  await table.locator('[aria-rowindex="1"]:focus').waitFor();
}
