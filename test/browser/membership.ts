import type { Page } from 'playwright-core';

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** @param page of who may */
export async function invite(page: Page, { email }: Person, role: 'VIEWER' | 'BILLING'): Promise<void> {
  await page.goto('/team?invite=true');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill(email);
  await dialog.getByLabel('Role').selectOption(role);
  await dialog.getByRole('button', { name: 'Send the invitation' }).click();
  await page.getByRole('list', { name: 'Invitations' }).getByText(email).waitFor();
}

/** Somebody new comes by the link in their invitation. */
export async function joinTeam(page: Page, { name, password }: Person, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('link', { name: 'I am new here' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: /^Join / }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

export async function leaveTeam(page: Page, { name }: Person): Promise<void> {
  await page.goto('/team');
  await page.getByRole('button', { name: `More about ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Leave the account' }).click();
  await page.getByRole('button', { name: 'Leave it for good' }).click();
}
