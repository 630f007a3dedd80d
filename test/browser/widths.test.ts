import { expect, it } from 'vitest';
import { cutTexts, fitsWidth, photograph, settled, visit, type Visitor } from '../harness/chromium.ts';
import { doors, pages } from '../harness/dashboard-pages.ts';
import { useLongValues } from './long-values.ts';
import { describeInBrowser } from './stage.ts';

const widths = [1280, 390];

describeInBrowser('a page of the dashboard with long values', (stage) => {
  it('shows complete texts at widths of 1280 and 390 px without horizontal scrolling', async () => {
    const further = await useLongValues(stage.account);
    const owner = await visit(stage.browser, stage.account.url, { cookie: stage.account.cookie });
    const stranger = await visit(stage.browser, stage.account.url);
    const faults = [...(await faultsOf(owner, [...pages, ...further])), ...(await faultsOf(stranger, doors))];
    expect(faults).toEqual([]);
  });
});

/** Visits the pages. @returns the texts that a width hides, one per line */
async function faultsOf(
  { page }: Visitor,
  walk: readonly (readonly [name: string, path: string])[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const [name, path] of walk) {
    await page.goto(path);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      await settled(page);
      await photograph(page, `${name}-${width}`);
      faults.push(...(await cutTexts(page)).map((text) => `${path} at ${width} px: ${text}`));
      if (!(await fitsWidth(page))) faults.push(`${path} at ${width} px scrolls sideways`);
    }
  }
  return faults;
}
