import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { post, type GraphqlAnswer } from '../harness/graphql-client.ts';
import { queryRunning, rowId, sqlText } from '../harness/running-database.ts';
import type { TestAccount } from '../harness/shared-server.ts';
import { describeInBrowser } from './stage.ts';

const invoiceForm = z.looseObject({ operationName: z.string() });
const october = '2026A-0001';
const november = '2026A-0002';

describeInBrowser('invoices of a user’s second account', (stage) => {
  beforeAll(async () => {
    await addSecondAccount(stage.account);
    const { page } = stage.visitor;
    await page.goto('/');
    await page.getByRole('button', { name: 'The first', exact: true }).click();
    await page.getByRole('menuitem', { name: /^The second/ }).click();
    await page.getByRole('button', { name: 'The second', exact: true }).waitFor();
    await page.goto('/billing/invoices');
  });

  it('are shown with the balance and its meaning', async () => {
    const now = stage.visitor.page.getByRole('region', { name: 'Balance' });
    await now.getByText('Top-ups and credit, less usage not yet invoiced').waitFor();
  });

  it('show periods in the account’s time zone', async () => {
    await stage.visitor.page.getByText('1 Oct 2026 – 31 Oct 2026').waitFor();
  });

  it('have a PDF in the list', async () => {
    const { page } = stage.visitor;
    const link = page.getByRole('link', { name: `Invoice ${october} as a PDF` });
    await expectPdf(page, await link.getAttribute('href'));
  });

  it('open with their own lines and PDF', async () => {
    const { page } = stage.visitor;
    await page.getByRole('button', { name: october }).click();
    const first = page.getByRole('dialog', { name: october });
    await first.getByText(`Usage of ${october}`).waitFor();
    await first.getByRole('cell', { name: 'sandbox/chat, chat (earlier period)', exact: true }).waitFor();
    await expectPdf(page, await first.getByRole('link', { name: 'Download PDF' }).getAttribute('href'));
    await page.keyboard.press('Escape');
    await first.waitFor({ state: 'detached' });

    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (invoiceForm.parse(route.request().postDataJSON()).operationName === 'Invoice') await held.promise;
      await route.fallback();
    });
    await page.getByRole('button', { name: november }).click();
    const second = page.getByRole('dialog');
    await second.getByLabel('Loading').waitFor();
    expect(await second.textContent()).not.toContain(october);
    held.resolve();
    await second.getByText(`Usage of ${november}`).waitFor();
    expect(await second.textContent()).not.toContain(october);
  });
});

async function expectPdf(page: Page, address: string | null): Promise<void> {
  const answer = await page.request.get(address ?? '');
  expect(answer.status()).toBe(200);
  expect((await answer.body()).subarray(0, 5).toString()).toBe('%PDF-');
}

/** A second account of the same user with two invoices, in the time zone with the greatest offset. */
async function addSecondAccount({ url, cookie, database }: TestAccount): Promise<void> {
  const ask = async (query: string): Promise<GraphqlAnswer> => post(url, { query }, { cookie });
  await ask('mutation { updateAccount(input: { name: "The first" }) { id } }');
  const made = await ask(
    'mutation { createAccount(input: { name: "The second", timeZone: "Pacific/Kiritimati" }) { id } }',
  );
  const second = sqlText(rowId(made.data?.createAccount.id));
  // Writes the rows directly, because a test cannot wait for the end of a period.
  await queryRunning(
    database,
    `with made as (
      insert into invoices (id, account_id, number, account_name, time_zone, period_start, period_end, plan_id, plan_name, status,
        total_nano, cutoff_at, created_at, due_at, paid_at)
      select gen_random_uuid(), ${second}, number, 'The second', 'Pacific/Kiritimati', start::timestamptz, stop::timestamptz,
        'enterprise', 'Enterprise', 'paid', 2500000000, stop::timestamptz, stop::timestamptz, stop::timestamptz, stop::timestamptz
      from (values ('${october}', '2026-09-30T10:00Z', '2026-10-31T10:00Z'), ('${november}', '2026-10-31T10:00Z', '2026-11-30T10:00Z'))
        as months(number, start, stop)
      returning id, number
    )
    insert into invoice_lines (invoice_id, position, kind, description, amount_nano)
    select id, 1, 'usage', 'Usage of ' || number, 2500000000 from made
    union all select id, 2, 'late_usage', 'sandbox/chat, chat (earlier period)', 1 from made`,
  );
}
