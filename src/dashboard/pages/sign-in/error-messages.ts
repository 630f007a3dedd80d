/** Messages for the error codes that `/auth` returns in the URL. */
const messages: Readonly<Record<string, string>> = {
  sign_in_expired: 'This sign-in has expired or was already completed. Start over.',
  identity_provider_failed:
    'The identity provider could not be reached or returned an invalid response. Try again in a minute. If the error persists, contact the operator of this server.',
  identity_provider_denied:
    'The identity provider denied the sign-in, or you cancelled it. Try again, or use another sign-in method.',
  identity_without_email:
    'The identity provider did not share your e-mail address. Allow it to share the address, then try again.',
  identity_not_linked:
    'A user with your e-mail address already exists. Sign in with another method, then link the provider under Settings.',
  identity_taken: 'This identity is linked to another user. Sign in as that user, or use another identity.',
  sign_up_not_local:
    'Sign-up requires an invitation unless you open it on the server’s own machine. Ask the owner of an account for an invitation.',
  sign_up_closed: 'Sign-up is by invitation on this server. Ask the owner of an account for an invitation.',
  email_not_verified: 'Confirm your e-mail address before you link an identity.',
  too_many_attempts: 'Too many attempts. Wait a few minutes, then try again.',
  unauthenticated: 'Your session has ended. Sign in, then link the identity again.',
  not_found: 'This server no longer offers that identity provider. Use another sign-in method.',
  database_unavailable: 'The server cannot reach its database. Try again in a minute.',
};

export function signInErrorMessage(code: string | undefined): string | null {
  if (code === undefined) return null;
  return messages[code] ?? 'Sign-in failed. Try again, or use another sign-in method.';
}
