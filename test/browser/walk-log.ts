import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { settled } from '../harness/chromium.ts';

/** More rows than a screen shows plus those rendered above and below it. */
const MAX_ROWS_IN_PAGE = 60;

/** Scrolls the log by keyboard until the given number of rows is loaded, then back to the first. */
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
    // Moving to the last loaded row loads the next page.
    await expect.poll(async () => Number(await focused.getAttribute('aria-rowindex'))).toBeGreaterThanOrEqual(loaded);
    expect(await table.getByRole('row').count()).toBeLessThan(MAX_ROWS_IN_PAGE);
    await expect.poll(async () => Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(loaded);
    reached = loaded;
  }
  await focused.press('Home');
  await table.locator('[aria-rowindex="1"]:focus').waitFor();
}
