import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, signIn, visit, type SharedBrowser } from '../harness/chromium.ts';
import { queryRunning } from '../harness/running-database.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { expectReadable } from './looks.ts';

const TEN_DAYS_AGO = "now() at time zone 'UTC' - interval '10 days'";

describe.skipIf(chromiumPath === null)('an archive of usage', () => {
  let server: ServerProcess;
  let browser: SharedBrowser;
  let month: string;

  beforeAll(async () => {
    server = await startServer();
    browser = await openBrowser();
    const [archived] = await queryRunning<{ month: string }>(
      server.database,
      `insert into usage_archives (month, location, stored_before, archived_at, parts, rows, cost_nano, bytes, incomplete_accounts)
       values (date_trunc('month', ${TEN_DAYS_AGO}) at time zone 'UTC', 's3://sluice/production/', now(), now(), 3, 1234567, 8900000000, 98765432, 2)
       returning to_char(month at time zone 'UTC', 'YYYY-MM') as month`,
    );
    month = archived?.month ?? '';
    await queryRunning(
      server.database,
      "insert into usage_retention (account_id, kept_from) select id, date_trunc('day', now()) from accounts",
    );
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  it('is named in Usage Logs and Analytics where requests of the period were removed, and listed under Settings', async () => {
    const { page, errors, close } = await visit(browser, server.url);
    await signIn(page, server);
    const name = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(`${month}-01T00:00:00Z`),
    );
    await page.goto('/analytics');
    const notice = page.getByRole('note', { name: 'Removed requests' });
    await notice.waitFor();
    expect(await notice.textContent()).toContain('Totals and groups include them');
    await page.goto('/billing/usage');
    await notice.waitFor();
    expect(await notice.textContent()).toContain(`${name} is archived as Parquet files.`);
    await expectReadable(page, 'usage-archive-notice');
    await notice.getByRole('link', { name: 'Settings' }).click();
    const list = page.getByRole('list', { name: 'Archived months' });
    await list.waitFor();
    const text = await list.textContent();
    expect(text).toContain('1,234,567 rows');
    expect(text).toContain(`s3://sluice/production/usage/month=${month}/`);
    expect(text).toContain('2 accounts may lack rows');
    await list.scrollIntoViewIfNeeded();
    await expectReadable(page, 'usage-archive-settings');
    expect(errors).toEqual([]);
    await close();
  });

  it('is not mentioned where all requests of the period are there', async () => {
    await queryRunning(server.database, "update usage_retention set kept_from = now() - interval '90 days'");
    const { page, close } = await visit(browser, server.url);
    await signIn(page, server);
    await page.goto('/billing/usage');
    await page.getByText('No requests in this period').first().waitFor();
    expect(await page.getByRole('note', { name: 'Removed requests' }).count()).toBe(0);
    await close();
  });
});
