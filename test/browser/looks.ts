import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  accessibilityFaults,
  drawn,
  fitsWidth,
  photograph,
  settled,
  sizes,
  type Size,
  type Theme,
} from '../harness/chromium.ts';

/** Consecutive looks differ in size or theme. Checks that do not depend on the size run once per theme. */
const looks = [
  { size: 'desktop', theme: 'light', rules: 'all' },
  { size: 'desktop', theme: 'dark', rules: 'colours' },
  { size: 'phone', theme: 'dark', rules: 'all' },
  { size: 'phone', theme: 'light', rules: 'colours' },
] as const satisfies readonly { size: Size; theme: Theme; rules: 'all' | 'colours' }[];

/** Checks the accessibility of the current page in both sizes and themes. It starts and ends at the desktop size. */
export async function expectReadable(page: Page, name: string): Promise<void> {
  const backgrounds: Record<Theme, unknown> = { light: '', dark: '' };
  for (const { size, theme, rules } of looks) {
    await page.setViewportSize(sizes[size]);
    await page.emulateMedia({ colorScheme: theme });
    await settled(page);
    await photograph(page, `${name}-${size}-${theme}`);
    expect(await accessibilityFaults(page, rules), `${size}, ${theme}`).toEqual([]);
    expect(await fitsWidth(page), `${size}, ${theme}`).toBe(true);
    backgrounds[theme] = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  }
  expect(backgrounds.dark).not.toEqual(backgrounds.light);
  await page.setViewportSize(sizes.desktop);
  // A drawer comes in anew at this size: a click meanwhile could begin on a button and end beside it.
  await drawn(page);
}

/** Checks the accessibility of the current page in its current size and theme. */
export async function expectReadableAsIs(page: Page, name: string): Promise<void> {
  await photograph(page, name);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await fitsWidth(page)).toBe(true);
}
