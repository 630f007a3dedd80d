import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, openBrowser, signIn, visit, type SharedBrowser, type Visitor } from '../harness/chromium.ts';
import { startMailbox, type Mailbox } from '../harness/mailbox.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import { signUp } from '../harness/shared-server.ts';
import { expectReadableAsIs } from './looks.ts';

const ada = { name: 'Ada', email: 'ada@example.com', password: 'nine paper boats in rain' };

describe.skipIf(chromiumPath === null)('a user who signs up', () => {
  let mailbox: Mailbox;
  let byMail: ServerProcess;
  let withoutMail: ServerProcess;
  let browser: SharedBrowser;
  let visitor: Visitor;

  beforeAll(async () => {
    mailbox = await startMailbox();
    [byMail, withoutMail] = await Promise.all([
      startServer({ SMTP_URL: mailbox.url, SLUICE_SIGNUP: 'open' }),
      startServer({ TRUST_PROXY_HOPS: '1' }),
    ]);
    browser = await openBrowser();
    visitor = await visit(browser, byMail.url);
  });

  afterAll(async () => {
    await browser?.close();
    await Promise.all([byMail?.dispose(), withoutMail?.dispose()]);
    await mailbox?.close();
  });

  async function fill({ page }: Visitor): Promise<void> {
    await page.goto('/sign-up');
    await page.getByLabel('Name').fill(ada.name);
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  }

  const link = async (count = 1): Promise<string> =>
    `${byMail.url}/confirm-sign-up#token=${await mailbox.token(ada.email, 'Finish signing up', count)}`;

  it('is asked to check the mail, and for the password when the link is opened in another browser', async () => {
    await fill(visitor);
    await visitor.page.getByText(ada.email).waitFor();
    await expectReadableAsIs(visitor.page, 'sign-up-check-mail');
    const phone = await visit(browser, byMail.url, { size: 'phone', theme: 'dark' });
    await phone.page.goto(await link());
    await phone.page.getByRole('heading', { name: 'Enter your password' }).waitFor();
    await phone.page.getByLabel('Password').fill('not the password at all');
    await phone.page.getByRole('button', { name: 'Finish signing up' }).click();
    await phone.page.getByText('This is not the password').waitFor();
    await expectReadableAsIs(phone.page, 'sign-up-other-browser');
    await phone.close();
  });

  it('is signed in by the link once', async () => {
    const { page } = visitor;
    const opened = await link();
    await page.goto(opened);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const later = await visit(browser, byMail.url);
    await later.page.goto(opened);
    await later.page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await expectReadableAsIs(later.page, 'sign-up-used-link');
    await fill(later);
    await mailbox.wait(ada.email, 'You already have an account');
    await later.close();
  });

  it('waits for approval when no mail can be sent, and is approved under Settings', async () => {
    const guest = await signUp(withoutMail.url, { email: 'guest@example.com', name: 'Guest' });
    const waiting = await visit(browser, withoutMail.url, { size: 'phone' });
    await signIn(waiting.page, guest);
    const banner = waiting.page.getByRole('complementary', { name: 'The account waits for approval' });
    await banner.waitFor();
    await expectReadableAsIs(waiting.page, 'sign-up-waits');
    const operator = await visit(browser, withoutMail.url, { theme: 'dark' });
    await signIn(operator.page, withoutMail);
    await operator.page.goto('/settings?tab=account');
    const list = operator.page.getByRole('list', { name: 'Accounts to approve' });
    await list.getByText(guest.email).waitFor();
    await expectReadableAsIs(operator.page, 'sign-up-approve');
    await operator.page.getByRole('button', { name: 'Approve Guest' }).click();
    await operator.page.getByText('No accounts are waiting for approval.').waitFor();
    await waiting.page.reload();
    await waiting.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await banner.count()).toBe(0);
    await waiting.page.goto('/settings?tab=account');
    await waiting.page.getByRole('heading', { name: 'This account', exact: true }).waitFor();
    expect(await waiting.page.getByText('Accounts to approve').count()).toBe(0);
    expect([...operator.errors, ...waiting.errors]).toEqual([]);
    await Promise.all([operator.close(), waiting.close()]);
  });
});
