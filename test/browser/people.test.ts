import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { mailFolder } from '../harness/mailbox.ts';
import type { OidcIssuer } from '../harness/oidc-issuer.ts';
import { visit, type Visitor } from '../harness/chromium.ts';
import { expectReadableAsIs } from './looks.ts';
import { invite, joinTeam, leaveTeam } from './membership.ts';
import { describeInBrowser } from './stage.ts';

const ada = { name: 'Ada', email: `ada-${randomUUID()}@example.com`, password: 'four quiet herons at dusk' };
/** The address that she changes to. */
const laterEmail = `lovelace-${randomUUID()}@example.com`;
const STEP_MS = 30_000;

describeInBrowser('a person', (stage) => {
  let issuer: OidcIssuer;
  let visitor: Visitor;
  let totp: TOTP;
  let recoveryCodes: string[] = [];
  /** The last used time step of the app: a code works once. */
  let spent = 0;

  beforeAll(async () => {
    ({ issuer } = stage.account);
    visitor = await visit(stage.browser, stage.account.url);
  });

  it('signs up, and is asked to confirm the address on every page', async () => {
    const { page } = visitor;
    await page.goto('/sign-up');
    await page.getByLabel('Name').fill(ada.name);
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    const banner = page.getByRole('complementary', { name: 'Confirm your address' });
    await banner.getByText(ada.email).waitFor();
    await page.getByRole('link', { name: 'Settings' }).click();
    await banner.waitFor();
    await page.getByRole('tab', { name: 'Sign-in' }).click();
    expect(await page.getByRole('button', { name: 'Set up' }).isDisabled()).toBe(true);
    await expectReadableAsIs(page, 'people-unverified');
  });

  it('confirms the address with the link in the mail, which works once', async () => {
    const { page } = visitor;
    const link = await mailFolder(stage.account.dataDir).link(ada.email, 'Confirm your e-mail address');
    // Opening it without a session, as mail scanners do, confirms nothing.
    const elsewhere = await visit(stage.browser, stage.account.url);
    await elsewhere.page.goto(link);
    await elsewhere.page.getByRole('heading', { name: 'Sign in to confirm your address' }).waitFor();
    await expectReadableAsIs(elsewhere.page, 'people-verify-signed-out');
    await page.reload();
    await page.getByRole('complementary', { name: 'Confirm your address' }).waitFor();
    await elsewhere.page.getByRole('link', { name: 'Sign in' }).click();
    await elsewhere.page.getByLabel('E-mail').fill(ada.email);
    await elsewhere.page.getByLabel('Password').fill(ada.password);
    await elsewhere.page.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    await expectReadableAsIs(elsewhere.page, 'people-verified');
    await elsewhere.page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await elsewhere.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await elsewhere.page.getByRole('complementary', { name: 'Confirm your address' }).waitFor({ state: 'detached' });
    await elsewhere.close();
    await page.goto(link);
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
  });

  it('sets up an authenticator app and saves the recovery codes', async () => {
    const { page } = visitor;
    await page.goto('/settings?tab=security');
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill('not this one');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Your password').fill(ada.password);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    await expectReadableAsIs(page, 'people-totp-setup');
    totp = new TOTP({ secret: Secret.fromBase32((await dialog.locator('code').textContent()) ?? '') });
    await dialog.getByLabel('Code of your authenticator app').fill(await freshCode());
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    const codes = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    recoveryCodes = await codes.allTextContents();
    expect(recoveryCodes).toHaveLength(10);
    await expectReadableAsIs(page, 'people-recovery-codes');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('sluice-recovery-codes.txt');
    await dialog.getByLabel('I have saved these codes').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'New recovery codes' }).waitFor();
  });

  it('signs in with the app’s code', async () => {
    const { page } = visitor;
    await signOut(page);
    await givePassword(page);
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await expectReadableAsIs(page, 'people-code');
    await page.getByLabel('Code of your authenticator app').fill('000 000');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Code of your authenticator app').fill(await freshCode());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('signs in with a recovery code, which works once', async () => {
    const { page } = visitor;
    const code = recoveryCodes[0] ?? '';
    await signOut(page);
    await givePassword(page);
    await giveRecoveryCode(page, code);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await signOut(page);
    await givePassword(page);
    await giveRecoveryCode(page, code);
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Recovery code').fill(recoveryCodes[1] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('links an identity and signs in with it and the code', async () => {
    const { page } = visitor;
    await page.goto('/settings?tab=security');
    issuer.person = null;
    await page.getByRole('button', { name: /^Link / }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill('not this one');
    await dialog.getByLabel('Code of your authenticator app').fill('000 000');
    await dialog.getByRole('button', { name: /^Continue to/ }).click();
    await dialog.getByText('is wrong').waitFor();
    await expectReadableAsIs(page, 'people-link');
    await proveToLink(page, recoveryCodes[5] ?? '');
    await page.getByRole('alert').getByText('denied the sign-in').waitFor();
    await expectReadableAsIs(page, 'people-link-failed');
    issuer.person = { sub: 'ada', email: ada.email, email_verified: true };
    await page.getByRole('button', { name: /^Link / }).click();
    await proveToLink(page, recoveryCodes[6] ?? '');
    await page.getByRole('button', { name: /^Unlink / }).waitFor();
    await expectReadableAsIs(page, 'people-linked');

    await signOut(page);
    await page.goto('/sign-in?next=/keys');
    await page.getByRole('button', { name: /^Continue with / }).click();
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    await giveRecoveryCode(page, recoveryCodes[2] ?? '');
    await page.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
  });

  it('sees why an identity provider denied the sign-in', async () => {
    const other = await visit(stage.browser, stage.account.url);
    issuer.person = null;
    await other.page.goto('/sign-in');
    await other.page.getByRole('button', { name: /^Continue with / }).click();
    await other.page.getByRole('alert').getByText('denied the sign-in').waitFor();
    expect(other.errors).toEqual([]);
    await other.close();
  });

  it.each([
    ['a user with a code', 'ada', ada.email, 'Sign in'],
    ['who is new', 'grace', `grace-${randomUUID()}@example.com`, 'Create account'],
  ])(
    'takes an invitation through an identity provider, and its token into no address: %s',
    async (_who, sub, email, way) => {
      const link = await invite(stage.account, email, 'VIEWER');
      issuer.person = { sub, email, email_verified: true, name: sub };
      const other = await visit(stage.browser, stage.account.url);
      await other.page.goto(link);
      await other.page.getByRole('link', { name: way }).click();
      await other.page.getByRole('button', { name: /^Continue with / }).click();
      if (sub === 'ada') await giveRecoveryCode(other.page, recoveryCodes[7] ?? '');
      // The previous page has a button with this name too.
      await other.page.waitForURL(({ pathname }) => pathname === '/invitation');
      await other.page.getByRole('button', { name: /^Join / }).click();
      await other.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      const token = new URL(link).hash.replace('#token=', '');
      expect(token.length).toBeGreaterThan(20);
      expect(other.requested.some((address) => address.includes('/auth/club/callback'))).toBe(true);
      expect(other.requested.filter((address) => address.includes(token))).toEqual([]);
      expect(other.errors).toEqual([]);
      await other.close();
    },
  );

  it('ends another session, which is signed out immediately', async () => {
    const { page } = visitor;
    const other = await visit(stage.browser, stage.account.url);
    await givePassword(other.page);
    await giveRecoveryCode(other.page, recoveryCodes[3] ?? '');
    await other.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await other.page.getByText('Connected').waitFor();
    // It has no socket that would notify it.
    const quiet = await other.context.newPage();
    await quiet.goto('/keys');
    await quiet.getByText('No API keys yet').waitFor();
    await page.goto('/settings?tab=sessions');
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await sessions.nth(1).waitFor();
    await expect.poll(() => sessions.filter({ hasText: 'This session' }).count()).toBe(1);
    await expectReadableAsIs(page, 'people-sessions');
    await page.getByRole('button', { name: 'End all other sessions' }).click();
    await page.getByText('other session').first().waitFor();
    await sessions.nth(1).waitFor({ state: 'detached' });
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // Its queries are refused, and it may be redirected before it is checked.
    await quiet.getByLabel('Show revoked keys').click({ noWaitAfter: true });
    await quiet.getByRole('heading', { name: 'Sign in' }).waitFor();
    await fillPassword(quiet);
    await giveRecoveryCode(quiet, recoveryCodes[8] ?? '');
    await quiet.getByRole('heading', { level: 1, name: 'API Keys' }).waitFor();
    expect(await quiet.getByLabel('Show revoked keys').isChecked()).toBe(true);
    await other.close();
  });

  it('creates an account after leaving the only one', async () => {
    const bo = { name: 'Bo', email: `bo-${randomUUID()}@example.com`, password: 'an otter under the mill' };
    const other = await visit(stage.browser, stage.account.url, {
      cookie: await joinTeam(stage.account, bo, 'VIEWER'),
    });
    const { page } = other;
    await leaveTeam(page, bo);
    await page.getByRole('heading', { name: 'You are not a member of an account' }).waitFor();
    await page.getByLabel('Name').fill('Kites');
    await expectReadableAsIs(page, 'people-no-account');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Kites', exact: true }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await other.close();
  });

  it('changes the names of user and account, which are updated immediately', async () => {
    const { page } = visitor;
    await page.goto('/settings?tab=account');
    await page.getByLabel('Account name').fill('Engines');
    await page.getByLabel('Time zone').selectOption('Europe/Berlin');
    await page.getByLabel('Zero retention').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Engines', exact: true }).waitFor();
    await expectReadableAsIs(page, 'people-account');
    await page.getByRole('tab', { name: 'Profile' }).click();
    await page.getByLabel('Your name').fill('Ada L.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Name updated.').first().waitFor();
    await page.reload();
    await page.getByLabel('Your name').waitFor();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada L.');
    await page.getByRole('tab', { name: 'Account', exact: true }).click();
    expect(await page.getByLabel('Zero retention').isChecked()).toBe(true);
  });

  it('changes the e-mail address with a link sent to the new one', async () => {
    const { page } = visitor;
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New address').fill(laterEmail);
    await dialog.getByLabel('Your password').fill(ada.password);
    await dialog.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('when you open the link').waitFor();
    await expectReadableAsIs(page, 'people-pending-email');
    await page.goto(await mailFolder(stage.account.dataDir).link(laterEmail, 'Confirm your e-mail address'));
    await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
    await page.goto('/settings');
    await page.getByText(laterEmail).first().waitFor();
  });

  it('sets a new password with a link and the second factor', async () => {
    const { page } = visitor;
    await signOut(page);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    // The previous page has the same field.
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
    await page.getByLabel('E-mail').fill(laterEmail);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
    await page.goto(await mailFolder(stage.account.dataDir).link(laterEmail, 'Reset your password'));
    await page.getByLabel('New password').fill('a lantern under seven rivers');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(recoveryCodes[4] ?? '');
    await expectReadableAsIs(page, 'people-reset');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(visitor.errors).toEqual([]);
  });

  async function freshCode(): Promise<string> {
    // The server accepts the code of the next time step too, so tests need not wait for 30 s.
    const step = Math.max(Math.floor(Date.now() / STEP_MS), spent + 1);
    spent = step;
    return totp.generate({ timestamp: step * STEP_MS });
  }

  async function signOut(page: Page): Promise<void> {
    await page.goto('/');
    await page.getByRole('button', { name: /^Account menu/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  }

  async function givePassword(page: Page): Promise<void> {
    await page.goto('/sign-in');
    await fillPassword(page);
  }

  async function fillPassword(page: Page): Promise<void> {
    await page.getByLabel('E-mail').fill(ada.email);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  async function proveToLink(page: Page, code: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill(ada.password);
    await dialog.getByRole('button', { name: 'Use a recovery code' }).click();
    await dialog.getByLabel('Recovery code').fill(code);
    await dialog.getByRole('button', { name: /^Continue to/ }).click();
  }

  async function giveRecoveryCode(page: Page, code: string): Promise<void> {
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
});
