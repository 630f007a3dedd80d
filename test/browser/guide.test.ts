import { expect, it } from 'vitest';
import { fitsWidth, sizes } from '../harness/chromium.ts';
import { documentationPages } from '../harness/docs.ts';
import { expectReadable } from './looks.ts';
import { describeInBrowser } from './stage.ts';

const paths = documentationPages
  .filter((path) => path.startsWith('docs/'))
  .map((path) => path.replace(/^docs\/(.*)\.md$/, '/docs/guide/$1').replace(/\/README$/, ''));

describeInBrowser('the guide', (stage) => {
  /** Pages with wide tables, long lines of code and each language. */
  it.each(['', '/quickstart', '/graphql/clients', '/accounts/teams', '/api/chat'])(
    'can be read by everybody, in both sizes and themes: /docs/guide%s',
    async (name) => {
      const { page, errors } = stage.visitor;
      errors.length = 0;
      await page.goto(`/docs/guide${name}`);
      await expectReadable(page, `guide${name.replaceAll('/', '-')}`);
      expect(errors).toEqual([]);
    },
  );

  it('fits a phone on every page', async () => {
    const { page } = stage.visitor;
    await page.setViewportSize(sizes.phone);
    const wide: string[] = [];
    for (const path of paths) {
      await page.goto(path);
      if (!(await fitsWidth(page))) wide.push(path);
    }
    await page.setViewportSize(sizes.desktop);
    expect(wide).toEqual([]);
  });

  it('leads from a page on a phone to the list of all pages', async () => {
    const { page } = stage.visitor;
    await page.setViewportSize(sizes.phone);
    await page.goto('/docs/guide/quickstart');
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'Ledger' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor();
    await page.setViewportSize(sizes.desktop);
  });

  it('is linked from the API reference', async () => {
    const { page } = stage.visitor;
    await page.goto('/docs');
    await page.getByRole('link', { name: 'Guide', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sluice documentation' }).waitFor();
  });
});
