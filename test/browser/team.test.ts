import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailFolder } from '../harness/mailbox.ts';
import { startServer, type ServerProcess } from '../harness/server-process.ts';
import {
  chromiumPath,
  openBrowser,
  settled,
  signIn,
  visit,
  type SharedBrowser,
  type Visitor,
} from '../harness/chromium.ts';
import { expectReadableAsIs } from './looks.ts';
import { invite, joinTeam, leaveTeam } from './membership.ts';

const ben = { name: 'Ben', email: 'ben@example.com', password: 'nine paper boats in rain' };

describe.skipIf(chromiumPath === null)('a team', () => {
  let server: ServerProcess;
  let browser: SharedBrowser;
  let owner: Visitor;
  let invited: Visitor;

  beforeAll(async () => {
    server = await startServer({ SLUICE_SIGNUP: 'invite' });
    browser = await openBrowser();
    owner = await visit(browser, server.url);
    invited = await visit(browser, server.url, { size: 'phone', theme: 'dark' });
    await signIn(owner.page, server);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.dispose();
  });

  it('accepts nobody without an invitation', async () => {
    const { page } = invited;
    await page.goto('/sign-up');
    await page.getByText('open the link in the invitation').waitFor();
    await expectReadableAsIs(page, 'team-uninvited');
  });

  it('gets a member by an invitation', async () => {
    const { page } = owner;
    await page.goto('/team');
    await page.getByRole('list', { name: 'Members' }).getByText(server.email).waitFor();
    await page.getByRole('button', { name: 'Invite member' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This server sends no mail').waitFor();
    await dialog.getByLabel('E-mail').fill(server.email);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('E-mail').fill(ben.email);
    await dialog.getByLabel('Role').selectOption('VIEWER');
    await expectReadableAsIs(page, 'team-invite');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('heading', { name: 'Share the link' }).waitFor();
    await expectReadableAsIs(page, 'team-invitation-link');
    const shown = await dialog.getByText('/invitation#token=').textContent();
    expect(shown).toBe(await mailFolder(server.dataDir).link(ben.email, 'Invitation to'));
    await dialog.getByRole('button', { name: 'Done' }).click();
    const invitations = page.getByRole('list', { name: 'Invitations' });
    await invitations.getByText(ben.email).waitFor();
    await page.getByRole('button', { name: `Resend to ${ben.email}` }).click();
    expect(await dialog.getByText('/invitation#token=').textContent()).not.toBe(shown);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expectReadableAsIs(page, 'team-invited');
  });

  it('is joined by a new user with the link of the latest mail', async () => {
    const { page } = invited;
    const link = await mailFolder(server.dataDir).link(ben.email, 'Invitation to', 2);
    expect(new URL(link).hash).toMatch(/^#token=/);
    await page.goto(link);
    await page.getByRole('heading', { name: /^Join / }).waitFor();
    await expectReadableAsIs(page, 'team-offer');
    await page.getByRole('link', { name: 'Create account' }).click();
    await page.getByLabel('Name').fill(ben.name);
    expect(await page.getByLabel('E-mail').inputValue()).toBe(ben.email);
    await page.getByLabel('Password').fill(ben.password);
    await expectReadableAsIs(page, 'team-sign-up');
    await page.getByRole('button', { name: /^Join / }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(invited.requested.some((address) => new URL(address).search.includes('token'))).toBe(false);

    await page.goto(link);
    await page.reload();
    await page.getByRole('heading', { name: 'This invitation is not valid' }).waitFor();
  });

  it('permits actions by role, immediately after a change', async () => {
    const { page } = invited;
    await page.goto('/audit');
    await page.getByText('For owners and admins').waitFor();
    await page.goto('/team');
    await page.getByRole('list', { name: 'Members' }).getByText(server.email).waitFor();
    await page.getByRole('button', { name: 'Invite member' }).waitFor({ state: 'detached' });

    await owner.page.reload();
    await owner.page.getByLabel('Role of Ben').selectOption('ADMIN');
    await owner.page.getByText('Ben is now admin.').first().waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Invite member' }).waitFor();
    await page.getByText('Permissions by role').click();
    await page.getByRole('row', { name: /View the audit log/ }).waitFor();
    await expectReadableAsIs(page, 'team-roles');
  });

  it('is recorded in the audit log with values before and after', async () => {
    const { page } = owner;
    await page.goto('/audit');
    await settled(page);
    await expectReadableAsIs(page, 'audit');
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await rows
      .filter({ hasText: 'Invitation accepted' })
      .or(rows.filter({ hasText: 'Member added' }))
      .first()
      .waitFor();
    await page.getByLabel('Action').selectOption('member.*');
    await rows.filter({ hasText: 'Member role changed' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(server.email).first().waitFor();
    const changes = await drawer.getByRole('region', { name: 'Changes' }).textContent();
    expect(changes).toContain('viewer');
    expect(changes).toContain('admin');
    await expectReadableAsIs(page, 'audit-entry');
    expect(new URL(page.url()).searchParams.get('entry')).not.toBeNull();
    await page.reload();
    await page.getByRole('dialog').getByRole('heading', { name: 'Member role changed' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'All “Member role changed” entries' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('action')).toBe('member.role_changed');
    await rows.nth(2).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/\.csv$/);
  });

  it('shows the items removed from and added to a list', async () => {
    const { page } = owner;
    const ask = async (query: string, variables: Record<string, unknown>): Promise<string> => {
      const headers = { 'apollo-require-preflight': 'true' };
      const answer = await page.request.post('/graphql', { data: { query, variables }, headers });
      return answer.text();
    };
    const created = await ask(
      'mutation ($models: [String!]) { createApiKey(input: { name: "Lists", allowedModels: $models }) { apiKey { id } } }',
      { models: ['sandbox/chat', 'sandbox/image', 'sandbox/speech'] },
    );
    const [, id = ''] = /"id":"([^"]+)"/.exec(created) ?? [];
    const update =
      'mutation ($id: ID!, $models: [String!]) { updateApiKey(input: { id: $id, allowedModels: $models }) { id } }';
    await ask(update, { id, models: ['sandbox/image', 'sandbox/rerank', 'sandbox/chat'] });
    await page.goto('/audit?action=api_key.updated');
    await page.getByRole('row').filter({ hasText: 'Lists' }).click();
    const drawer = page.getByRole('dialog');
    const values = drawer.getByLabel('Changes').last().getByRole('definition');
    await expect
      .poll(() => values.allInnerTexts().then((texts) => texts.map((text) => text.split(/\s*\n\s*/))))
      .toEqual([['−', 'removed:', 'sandbox/speech', '+', 'added:', 'sandbox/rerank', 'Unchanged: 2']]);
    await expectReadableAsIs(page, 'audit-list');
    await ask(update, { id, models: null });
    await page.goto('/audit?action=api_key.updated');
    await page.getByRole('row').filter({ hasText: 'Lists' }).first().click();
    const last = drawer.getByLabel('Changes').last().getByRole('definition');
    await expect.poll(() => last.allInnerTexts()).toEqual([expect.stringMatching(/−[^]*sandbox\/rerank/)]);
    expect(await drawer.getByText('secret').count()).toBe(0);
  });

  it('is one of several accounts of a user, each with its own files', async () => {
    const { page } = owner;
    await page.goto('/');
    await page.getByRole('complementary').getByRole('button').first().click();
    await page.getByRole('menuitem', { name: 'New account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Side project');
    await expectReadableAsIs(page, 'account-new');
    await dialog.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('button', { name: 'Side project' }).waitFor();
    await page.goto('/team');
    await settled(page);
    await expect.poll(() => page.getByRole('list', { name: 'Members' }).getByRole('listitem').count()).toBe(1);
    await page.goto('/settings?tab=account');
    const exported = await page.getByRole('link', { name: 'Export account' }).getAttribute('href');
    const answer = await page.request.get(exported ?? '');
    expect(await answer.text()).toContain('Side project');
    expect(await answer.text()).not.toContain(ben.email);
    await chooseAccount(page, 'Side project', /Owner/);
    await page.getByRole('button', { name: 'Side project', exact: true }).waitFor({ state: 'detached' });
    await page.goto('/team');
    await page.getByRole('list', { name: 'Members' }).getByText(ben.email).waitFor();
  });

  it('shows no data of the previous account after a switch', async () => {
    const { page } = owner;
    await page.goto('/');
    await page.getByRole('button', { name: 'Create Key' }).click();
    await page.getByRole('region', { name: 'Code' }).filter({ hasText: 'sk-sluice-' }).waitFor();
    const first = (await page.getByRole('complementary').getByRole('button').first().textContent()) ?? '';
    const pageOf = page.getByRole('main');
    await chooseAccount(page, first, /^Side project/);
    await page.getByRole('button', { name: 'Side project', exact: true }).waitFor();
    await pageOf.getByRole('button', { name: 'Create Key' }).waitFor();
    expect(await pageOf.textContent()).not.toContain('sk-sluice-');

    await page.getByRole('link', { name: 'API Keys' }).click();
    await pageOf.getByText('No API keys yet').waitFor();
    await chooseAccount(page, 'Side project', first);
    await pageOf.getByRole('button', { name: 'First key' }).first().waitFor();
    // Holds back the responses of the next account. The page must show no data until they arrive.
    const answer = await holdAnswers(page);
    await chooseAccount(page, first, /^Side project/);
    await page.getByRole('status', { name: 'Loading' }).first().waitFor();
    expect(await page.getByText('First key').count()).toBe(0);
    await answer();
    await pageOf.getByText('No API keys yet').waitFor();
    await chooseAccount(page, 'Side project', first);
    await pageOf.getByRole('button', { name: 'First key' }).first().waitFor();
  });

  it('is deleted with its account and restored', async () => {
    const { page } = owner;
    await page.goto('/settings?tab=account');
    const name = await page.getByLabel('Account name').inputValue();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Type/).fill('something else');
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel(/^Type/).fill(name);
    await dialog.getByRole('button', { name: 'Delete account' }).click();
    const banner = page.getByRole('complementary', { name: 'The account is deleted' });
    await banner.waitFor();
    await expectReadableAsIs(page, 'account-deleted');
    await banner.getByRole('button', { name: 'Restore account' }).click();
    await banner.waitFor({ state: 'detached' });
  });

  it('offers a viewer only permitted actions', async () => {
    const dora = { name: 'Dora', email: 'dora@example.com', password: 'six grey geese at noon' };
    const other = await visit(browser, server.url, { cookie: await joinTeam(server, dora, 'VIEWER') });
    const { page } = other;
    await page.goto('/');
    await settled(page);
    expect(await page.getByRole('button', { name: 'Create Key' }).count()).toBe(0);

    await page.goto('/keys?create=true');
    await page.getByRole('button', { name: 'First key' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'First key' });
    await drawer.getByRole('tab', { name: 'Settings' }).click();
    await drawer.getByText('Only owners, admins and developers can change these settings.').waitFor();
    expect(await drawer.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    expect(await drawer.getByRole('button', { name: /Rotate|Revoke|Save/ }).count()).toBe(0);
    await expectReadableAsIs(page, 'role-viewer-key');

    await page.goto('/routes?create=true');
    await settled(page);
    expect(await page.getByRole('button', { name: 'Create route' }).count()).toBe(0);
    await page.goto('/models/sandbox/chat');
    await page.getByRole('heading', { name: 'Use in code' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Try this model' }).count()).toBe(0);
    await page.goto('/billing/plan');
    await page.getByText('Only owners can change the plan.').waitFor();
    await page.getByRole('heading', { name: 'Budgets' }).waitFor();
    expect(await page.getByRole('button', { name: /^Change to|Set account/ }).count()).toBe(0);

    const builders = page.getByRole('heading', { name: 'For owners, admins and developers' });
    for (const path of ['/playground', '/compare']) {
      await page.goto(path);
      await builders.waitFor();
      await settled(page);
    }
    await expectReadableAsIs(page, 'role-viewer-compare');
    expect(await page.getByRole('button', { name: 'Add model' }).count()).toBe(0);
    expect(other.errors).toEqual([]);
    await other.close();
  });

  it('offers a billing member billing, and names the roles for other actions', async () => {
    const emil = { name: 'Emil', email: 'emil@example.com', password: 'two blue doors in chalk' };
    const other = await visit(browser, server.url, { cookie: await joinTeam(server, emil, 'BILLING') });
    const { page } = other;
    for (const path of ['/keys?create=true', '/routes', '/compare', '/hooks']) {
      await page.goto(path);
      await page.getByRole('heading', { name: 'For owners, admins, developers and viewers' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    await expectReadableAsIs(page, 'role-billing-webhooks');
    await page.goto('/billing/plan');
    await page.getByRole('button', { name: 'Set account budget' }).waitFor();
    expect(await page.getByRole('button', { name: /^Change to/ }).count()).toBe(0);
    await page.goto('/billing/invoices');
    await page.getByText('This server has no payment service, so you cannot buy credit here.').waitFor();
    expect(await page.getByRole('button', { name: 'Top up' }).count()).toBe(0);

    await page.getByRole('button', { name: /^Search/ }).click();
    const palette = page.getByRole('dialog', { name: 'Command palette' });
    await palette.getByPlaceholder('Search pages, models').fill('sandbox');
    await palette.getByRole('option', { name: /sandbox\/chat/ }).waitFor();
    await palette.getByPlaceholder('Search pages, models').fill('');
    await palette.getByRole('option', { name: 'Light theme' }).waitFor();
    expect(await palette.getByRole('option', { name: 'Create Key' }).count()).toBe(0);
    expect(other.errors).toEqual([]);
    await other.close();
  });

  it('is left by a user without another account, who creates one', async () => {
    const cleo = { name: 'Cleo', email: 'cleo@example.com', password: 'a red kite over barley' };
    const other = await visit(browser, server.url, { cookie: await joinTeam(server, cleo, 'VIEWER') });
    const { page } = other;
    await leaveTeam(page, cleo);
    const outside = page.getByRole('heading', { name: 'You are not a member of an account' });
    await outside.waitFor();
    await settled(page);
    expect(await page.getByRole('button', { name: 'Create account' }).count()).toBe(0);
    await expectReadableAsIs(page, 'team-no-account');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    await page.getByLabel('E-mail').fill(cleo.email);
    await page.getByLabel('Password').fill(cleo.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await outside.waitFor();
    await page.goto(await invite(server, cleo.email, 'BILLING', 2));
    await page.getByRole('button', { name: /^Join / }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await other.close();
  });

  it('is left and transferred, and always has an owner', async () => {
    const { page } = owner;
    await page.goto('/team');
    await page.getByRole('button', { name: 'Actions for Ben' }).click();
    await page.getByRole('menuitem', { name: 'Transfer ownership' }).click();
    await page.getByRole('button', { name: 'Transfer ownership' }).click();
    await page.getByText('Ben is now the owner.').first().waitFor();
    await invited.page.goto('/team');
    await invited.page.getByRole('button', { name: 'Actions for Ben' }).click();
    await invited.page.getByRole('menuitem', { name: 'Leave account' }).click();
    await invited.page.getByRole('button', { name: 'Leave account' }).click();
    await invited.page.getByText('An account must have an owner').first().waitFor();
    expect(owner.errors).toEqual([]);
  });
});

async function chooseAccount(page: Page, from: string, to: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: from, exact: true }).click();
  await page.getByRole('menuitem', { name: to }).first().click();
}

/** @returns a function that releases them, including earlier ones */
async function holdAnswers(page: Page): Promise<() => Promise<void>> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/graphql', async (route) => {
    await released;
    await route.continue();
  });
  return async () => {
    release();
    await page.unrouteAll({ behavior: 'wait' });
  };
}
