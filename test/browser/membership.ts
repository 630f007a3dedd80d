import type { Page } from 'playwright-core';
import { mailFolder } from '../harness/mailbox.ts';

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** A running server, and an API key with the permission to invite. */
interface Inviter {
  readonly url: string;
  readonly apiKey: string;
  readonly dataDir: string;
}

/** @returns the link in the mail */
export async function invite(
  { url, apiKey, dataDir }: Inviter,
  email: string,
  role: 'VIEWER' | 'BILLING',
  count = 1,
): Promise<string> {
  const { body } = await ask(
    url,
    'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }',
    { email, role },
    { authorization: `Bearer ${apiKey}` },
  );
  if (!body.includes('"Invitation"')) throw new Error(body);
  return mailFolder(dataDir).link(email, 'Invitation to', count);
}

/** Adds a new user to an account. @returns the user's session as a `cookie` header */
export async function joinTeam(inviter: Inviter, person: Person, role: 'VIEWER' | 'BILLING'): Promise<string> {
  const link = await invite(inviter, person.email, role);
  const { body, cookie } = await ask(
    inviter.url,
    'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }',
    { ...person, invitation: new URL(link).hash.replace('#token=', '') },
  );
  if (cookie === undefined) throw new Error(body);
  return cookie;
}

export async function leaveTeam(page: Page, { name }: Person): Promise<void> {
  await page.goto('/team');
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: 'Leave account' }).click();
  await page.getByRole('button', { name: 'Leave account' }).click();
}

async function ask(
  url: string,
  query: string,
  input: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ body: string; cookie: string | undefined }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables: { input } }),
  });
  return { body: await response.text(), cookie: response.headers.getSetCookie()[0]?.split(';')[0] };
}
