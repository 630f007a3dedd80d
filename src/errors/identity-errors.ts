import type { CatalogueEntry } from './catalogue-entry.ts';

const invalid = 'invalid_request_error';
const server = 'server_error';

/** Errors of sign-up, sign-in and linked identities. */
export const identityErrors = {
  metrics_not_allowed: {
    status: 401,
    type: invalid,
    message:
      'Metrics require the bearer token set by `SLUICE_METRICS_TOKEN`, or a request to `SLUICE_METRICS_ADDRESS`. If neither is set, they are available only on this machine under a loopback name.',
  },
  host_not_allowed: {
    status: 403,
    type: invalid,
    message:
      'The host name `{host}` is not allowed. This protects the server against DNS rebinding. Use the address of the server; its operator can allow more names with `SLUICE_PUBLIC_URL` or `SLUICE_ALLOWED_HOSTS`.',
  },
  origin_not_allowed: {
    status: 403,
    type: invalid,
    message:
      'Pages of this origin may not open a WebSocket here. The operator of this server can allow it with `allowed_origins` in `graphql` of `sluice.yaml`.',
  },
  invalid_credentials: {
    status: 401,
    type: invalid,
    message: 'The e-mail address or the password is wrong. Check both, or set a new password with "Forgot password?".',
  },
  too_many_attempts: { status: 429, type: 'requests', message: 'Too many attempts. Please try again in {seconds} s.' },
  email_taken: {
    status: 409,
    type: invalid,
    message: 'An account with this e-mail address already exists. Sign in instead.',
  },
  sign_up_closed: {
    status: 403,
    type: invalid,
    message: 'Sign-up is closed on this server. Ask the owner of an account for an invitation.',
  },
  sign_up_not_local: {
    status: 403,
    type: invalid,
    message:
      'Sign-up requires an invitation, or a browser on the machine of this server, because no mail server is configured to verify addresses. Ask the owner of an account for an invitation; the operator can set `SMTP_URL`.',
  },
  sign_up_password_required: {
    status: 401,
    type: invalid,
    message: 'This link was opened in another browser. Enter the password that you signed up with.',
  },
  account_not_verified: {
    status: 403,
    type: invalid,
    message:
      'This account is not verified yet. Verify the e-mail address of an owner with the link in the mail (the dashboard can send it again under Settings), or connect a provider with your own API key. Sandbox models work without verification, if this server offers them.',
  },
  account_not_approved: {
    status: 403,
    type: invalid,
    message:
      'This account is not approved yet. Ask the operator of this server to approve it (in the dashboard under Settings, or with `sluice accounts approve`), or connect a provider with your own API key. Sandbox models work without approval, if this server offers them.',
  },
  invalid_email: {
    status: 400,
    type: invalid,
    message: 'This is not a valid e-mail address. Enter one like `name@example.com`.',
  },
  weak_password: { status: 400, type: invalid, message: 'The password is too weak: {reason}' },
  totp_required: {
    status: 401,
    type: invalid,
    message: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
  },
  invalid_totp: {
    status: 401,
    type: invalid,
    message: 'This code is wrong or was already used. Enter the code that the app shows now.',
  },
  totp_already_enabled: {
    status: 409,
    type: invalid,
    message: 'An authenticator app is already set up. Remove it first to set up another.',
  },
  totp_not_started: {
    status: 409,
    type: invalid,
    message: 'No authenticator app is being set up. Start the setup again.',
  },
  totp_not_enabled: {
    status: 409,
    type: invalid,
    message: 'No authenticator app is set up. Set one up under Settings first.',
  },
  invalid_token: {
    status: 400,
    type: invalid,
    message: 'This link has expired or was already used. Request a new one.',
  },
  link_for_other: {
    status: 403,
    type: invalid,
    message: 'This link is for another user. Sign in as that user, then open it again.',
  },
  password_not_set: {
    status: 409,
    type: invalid,
    message: 'You have no password yet. Set one with the link that "Forgot password?" sends you.',
  },
  recent_sign_in_required: {
    status: 403,
    type: invalid,
    message: 'You signed in more than 10 minutes ago. Sign out, sign in again, and link the identity then.',
  },
  email_not_verified: {
    status: 403,
    type: invalid,
    message: 'Verify your e-mail address first, with the link in the mail that was sent to it.',
  },
  last_way_in: {
    status: 409,
    type: invalid,
    message: 'This is your only sign-in method. Set a password or link another identity first.',
  },
  sign_in_expired: {
    status: 400,
    type: invalid,
    message: 'This sign-in has expired or was already completed. Start again.',
  },
  identity_provider_failed: {
    status: 502,
    type: server,
    message: 'The identity provider {provider} could not be reached, or its response is not valid. Try again later.',
  },
  identity_provider_denied: {
    status: 403,
    type: invalid,
    message: 'The identity provider {provider} denied the sign-in, or you cancelled it.',
  },
  identity_without_email: {
    status: 403,
    type: invalid,
    message: 'The identity provider {provider} did not share your e-mail address. Allow it to, and start again.',
  },
  identity_not_linked: {
    status: 409,
    type: invalid,
    message:
      'A user with this e-mail address already exists, and the address is not verified on both sides. Sign in with another method, then link {provider} under Settings.',
  },
  identity_taken: {
    status: 409,
    type: invalid,
    message: 'This identity is linked to another user. Sign in as that user, or use another identity.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
