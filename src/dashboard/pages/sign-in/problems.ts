/** What `/auth` says went wrong, by its code, for people: what happened and what to do. */
const problems: Readonly<Record<string, string>> = {
  sign_in_expired: 'That sign-in took too long, or was finished already. Start over.',
  identity_provider_failed:
    'The identity provider could not be reached, or its answer is not valid. Try again in a minute; if it goes on, tell who runs this server.',
  identity_provider_denied:
    'The identity provider did not let you in, or you turned back. Try again, or use another way.',
  identity_without_email:
    'The identity provider told no e-mail address of yours. Let it share your address, and begin again.',
  identity_not_linked:
    'There is a user with your e-mail address already. Sign in in another way, then link the provider under Settings.',
  identity_taken: 'This identity is linked to another user. Sign in as that user, or use another identity.',
  sign_up_not_local:
    'Sign-up works on the server’s own machine, and with an invitation. Ask the owner of an account for one.',
  sign_up_closed: 'Sign-up is not open here. Ask the owner of an account for an invitation.',
  email_not_verified: 'Confirm your e-mail address first. Then identities can be linked.',
  too_many_attempts: 'That were too many attempts. Wait a few minutes, then try again.',
  unauthenticated: 'Your session has ended. Sign in, then link the identity again.',
  not_found: 'This server does not know that identity provider any more. Use another way.',
  database_unavailable: 'The server cannot reach its database. Try again in a minute.',
};

export function problemOf(code: string | undefined): string | null {
  if (code === undefined) return null;
  return problems[code] ?? 'Signing in did not work. Try again, or use another way.';
}
